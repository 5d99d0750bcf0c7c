/* sizing_wording.c - the verdict of /v1/inference-sizing, in words. */
#include "api/inference/sizing_wording.h"

#include "base/number.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

const char *inference_sizing_binding(enum serving_limit limit)
{
    static const char *const words[SERVING_LIMITS] = {
        [SERVING_NOTHING] = "none",
        [SERVING_WEIGHTS] = "memory",
        [SERVING_CACHE] = "kv_cache",
        [SERVING_LATENCY] = "latency_p95",
        [SERVING_TTFT] = "time_to_first_token",
        [SERVING_SLOTS] = "slots",
        [SERVING_USER_RATE] = "tokens_per_second_per_user",
        [SERVING_THROUGHPUT] = "throughput",
        [SERVING_QUEUE] = "throughput",
        [SERVING_PROMPTS] = "prefill",
        [SERVING_HEADROOM] = "headroom",
    };

    return words[limit];
}

const char *inference_sizing_whole(struct request_context *context, double value)
{
    char text[NUMBER_SIZE];

    if (!isfinite(value))
        return arena_print(context->arena, "%.0f", value);
    return arena_part(context->arena, text, number_fixed(text, value, 0));
}

static const char *short_number(struct request_context *context, double value)
{
    enum { DIGITS = 4 };
    const double least = 1e-4, most = 9999; /* outside this range printf would use an exponent */
    char text[NUMBER_SIZE];

    if (!(value >= least && value <= most))
        return arena_print(context->arena, "%.*g", DIGITS, value);
    return arena_part(context->arena, text,
                      number_trim(text, number_significant(text, value, DIGITS)));
}

static const char *memory_reason(struct request_context *context, const struct serving_plan *plan)
{
    const struct gap *gap = &plan->gap;
    const char *what = plan->binding == SERVING_WEIGHTS
                           ? "its share of the weights, the reserve and the KV cache"
                           : "the KV cache next to its share of the weights and the reserve";

    return arena_print(context->arena,
                       "Does not fit: for %s each %sGPU needs %.1f GiB and has %.1f, %.1f GiB are "
                       "missing.",
                       what, plan->inference.job.sharing > 0 ? "part of a " : "", gap->needed,
                       gap->available, gap->missing);
}

/* Limits apply to the 95th percentile if requests come at random: alone on a replica, to a request
 * as long as that. */
static const char *of_the_longest(const struct serving_plan *plan)
{
    const struct inference *inference = &plan->inference;
    bool first = plan->binding == SERVING_TTFT,
         answers = !first && inference->job.output_cv > 0 && inference->job.output_tokens > 1;

    if (!serving_is_open(inference) || !(inference->job.input_cv > 0 || answers))
        return "";
    return first ? " if its prompt is among the longest 5% (input_tokens_cv)"
                 : " if it is among the longest 5%";
}

static const char *limit_reason(struct request_context *context, const struct serving_plan *plan)
{
    bool alone = !(plan->limited_requests_per_second > 0), open = serving_is_open(&plan->inference);
    const char *who = alone ? "even a single request, alone on a replica," : "at this load";
    const char *help = alone ? ". Adding replicas does not help; more GPUs per replica, "
                               "lower-precision weights or a faster GPU may"
                             : "";
    const struct gap *gap = &plan->gap;

    if (plan->binding == SERVING_LATENCY)
        return arena_print(context->arena, "Too slow: %s %s %.4g seconds%s; the limit is %.4g%s.",
                           who, alone ? "takes" : "95% of requests are answered only within",
                           gap->available, alone ? of_the_longest(plan) : "", gap->needed, help);
    if (plan->binding == SERVING_TTFT)
        return arena_print(context->arena, "Too slow: %s %.4g seconds%s; the limit is %.4g%s.",
                           alone  ? "even for a single request, alone on a replica, the first "
                                    "token takes"
                           : open ? "at this load 5% of first tokens take longer than"
                                  : "at this load the first token takes",
                           gap->available, alone ? of_the_longest(plan) : "", gap->needed, help);
    if (plan->binding == SERVING_SLOTS)
        return arena_print(context->arena,
                           "Too slow at times: about %.2g%% of requests find all the slots of a "
                           "replica taken and wait for one. If more do, as they may, 5%% of first "
                           "tokens take longer than %.4g seconds; the limit is %.4g. More replicas "
                           "or memory help.",
                           100 * plan->latency.slot_chance, gap->available, gap->needed);
    return arena_print(context->arena,
                       "Too slow: %s gets %.4g tokens per second; the minimum is %.4g%s.",
                       alone ? who : "at this load a user", gap->available, gap->needed, help);
}

static const char *load_reason(struct request_context *context,
                               const struct serving_request *request,
                               const struct serving_plan *plan)
{
    const struct gap *gap = &plan->gap;

    if (request->load == SERVING_RATE)
        return arena_print(
            context->arena,
            "Overloaded: %.*f requests per minute arrive at the peak, the design "
            "takes %.*f%s.",
            gap->needed < 10 ? 2 : 0, gap->needed, gap->available < 10 ? 2 : 0, gap->available,
            plan->binding == SERVING_CACHE ? " before its KV caches are full"
            : plan->binding == SERVING_THROUGHPUT
                ? " with all the requests in flight an engine admits"
            : plan->binding == SERVING_QUEUE ? " before its queue of prompts grows without end"
            : plan->binding == SERVING_PROMPTS
                ? ", as many as its replicas that only read prompts take"
                : " within the limits");
    if (plan->binding == SERVING_PROMPTS)
        return arena_print(
            context->arena,
            "The replicas that only read prompts take %.4g requests per minute, those that write "
            "answer %.4g: use more of the former or fewer of the latter.",
            gap->available, gap->needed);
    return arena_print(context->arena,
                       "The KV cache of a replica holds %s request%s of this length, but %.4g "
                       "should be in flight: the others wait, or each GPU needs %.1f GiB more.",
                       context_count(context, plan->inference.pool.held),
                       text_plural(plan->inference.pool.held), plan->batch_p95, gap->missing);
}

/* The replicas of the design; with disaggregation, decode and prefill replicas.
 */
static const char *replicas_words(struct request_context *context, const struct serving_plan *plan)
{
    const struct serving_design *design = &plan->design;

    if (plan->inference.job.sharing > 0)
        return arena_print(context->arena, "%.0f replica%s on %.0f GPU%s, each with room for %.0f",
                           design->replicas, text_plural(design->replicas), design->gpu_count,
                           text_plural(design->gpu_count), plan->inference.job.sharing);
    double gpus = design->tensor * design->pipeline, readers = design->prefill_replicas;
    const char *writers =
        arena_join(context->arena, context_count(context, design->replicas), " replica",
                   text_plural(design->replicas), " of ", inference_sizing_whole(context, gpus),
                   " GPU", text_plural(gpus));

    if (readers <= 0)
        return writers;
    return arena_print(context->arena, "%s write%s, %.0f read%s", writers,
                       design->replicas == 1 ? "s" : "", readers, readers == 1 ? "s" : "");
}

/* The requirement after losing a replica, while the request rate stays the same. */
static const char *loss_words(struct request_context *context,
                              const struct serving_request *request,
                              const struct serving_plan *plan)
{
    if (request->load != SERVING_RATE || !plan->failover.known)
        return "";
    if (plan->failover.survived)
        return " It stays within the limits if a replica fails.";
    return arena_join(context->arena, " Surviving the loss of a ",
                      plan->inference.job.sharing > 0 ? "GPU" : "replica", " takes ",
                      context_count(context, plan->failover.gpus), " GPUs.");
}

/* A whole percentage, without saying that a design in use is not. */
static const char *used_words(struct request_context *context, double share)
{
    return share > 0 && share < 0.005 ? "under 1" : inference_sizing_whole(context, 100 * share);
}

static const char *peak_words(struct request_context *context,
                              const struct serving_request *request,
                              const struct serving_plan *plan)
{
    double peak = fmin(1, request->peak_ratio * plan->utilization);

    if (request->load != SERVING_RATE || !(request->peak_ratio > 1))
        return "";
    return arena_join(context->arena, " on average and ", used_words(context, peak),
                      "% at the peak");
}

/* Built by joining, since most answers have it. */
static const char *met_reason(struct request_context *context,
                              const struct serving_request *request,
                              const struct serving_plan *plan)
{
    const char *limits =
        plan->kept.latency <= request->limits.latency_p95_seconds ? ", within the limit" : "";

    bool open = serving_is_open(&plan->inference);

    return arena_join(context->arena, replicas_words(context, plan),
                      open ? ": 95% of requests are answered within "
                           : ": a request of mean length is answered in ",
                      short_number(context, plan->kept.latency), " seconds", limits, ", at ",
                      used_words(context, plan->utilization),
                      request->job.writes_nothing ? "% of what the design can read"
                                                  : "% of what the design can write",
                      peak_words(context, request, plan), ".", loss_words(context, request, plan));
}

const char *inference_sizing_reason(struct request_context *context,
                                    const struct serving_request *request,
                                    const struct serving_plan *plan)
{
    bool slow = plan->binding == SERVING_LATENCY || plan->binding == SERVING_TTFT ||
                plan->binding == SERVING_SLOTS || plan->binding == SERVING_USER_RATE;
    bool alone = !(plan->limited_requests_per_second > 0);

    if (!plan->fits)
        return memory_reason(context, plan);
    if (isnan(plan->tpot.middle))
        return "The link between these GPUs is unknown, so no times can be given: enter "
               "link_gb_per_second.";
    if (slow && !plan->meets_limits && (plan->meets_load || alone))
        return limit_reason(context, plan);
    if (!plan->meets_load)
        return load_reason(context, request, plan);
    return met_reason(context, request, plan);
}
