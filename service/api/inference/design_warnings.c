/* design_warnings.c - warnings about the design that the search chose: what of the load decides its
 * size, and what designs chosen otherwise would take. */
#include "api/inference/sizing.h"
#include "base/text.h"
#include "estimate/inference/inference.h"
#include "estimate/inference/serving/slots.h"

#include <math.h>

/* True if a limit on a percentile determines the size. */
static bool is_late(const struct serving_plan *plan)
{
    return plan->binding == SERVING_TTFT || plan->binding == SERVING_SLOTS ||
           plan->binding == SERVING_LATENCY;
}

/* How many requests wait for a slot is the least certain part of the estimate: what it does to the
 * first tokens, and what keeping the limit in spite of it costs. */
static void warn_slots(struct request_context *context, const struct serving_request *request,
                       const struct serving_plan *plan)
{
    struct serving_request sure = *request;
    struct serving_plan found;

    if (plan->latency.slot_chance > SLOTS_DOUBT && !plan->inference.job.writes_nothing)
        context_warn(
            context, "slots_run_out",
            "%.2g%% of requests find the %s slots of a replica taken and wait for one, "
            "%.2g seconds on average. How many do is the least certain part of the "
            "estimate: the 95th percentile of first tokens may be %.3g to %.3g seconds "
            "for this alone. More replicas or GPUs with more memory make it certain%s",
            100 * plan->latency.slot_chance,
            context_count(context, floor(serving_most_in_flight(&plan->inference))),
            plan->latency.slot_seconds, plan->latency.ttft_p95_least, plan->latency.ttft_p95_most,
            isnan(request->limits.ttft_seconds) ? "; time_to_first_token_seconds_max asks for them"
                                                : "");
    if (context->light || plan->binding != SERVING_SLOTS || !plan->meets_limits ||
        serving_is_stated(&request->pinned))
        return;
    sure.job.slots_as_estimated = true;
    if (!serving_search_smaller(&sure, &plan->design, plan->design.gpu_count - 1, &found))
        return;
    context_warn(context, "slots_kept_free",
                 "%.0f GPUs are estimated to meet the limit on the first token, but %.2g%% of the "
                 "requests would wait for a slot, and how many wait and for how long is "
                 "uncertain: this design also meets the limit if %.3g%% more of all requests wait, "
                 "half as long again",
                 found.design.gpu_count, 100 * found.latency.slot_chance, 100 * SLOTS_DOUBT);
}

/* True if latency limits, with prompts of several passes, determine the size of the design. */
static bool is_bound_by_passes(const struct serving_request *request,
                               const struct serving_plan *plan)
{
    const struct inference_job *job = &plan->inference.job;
    bool late = is_late(plan) || plan->binding == SERVING_USER_RATE;

    return late && serving_limited(&request->limits) && plan->meets_limits &&
           !serving_is_stated(&request->pinned) && !job->separate_prefill &&
           (job->engine == ENGINE_UNSPECIFIED || job->engine == ENGINE_VLLM ||
            job->engine == ENGINE_SGLANG) &&
           job->input_tokens * (1 - job->cached_ratio) > inference_pass_tokens(&plan->inference);
}

/* Passes longer than any engine takes by itself are not searched: what they do to the time between
 * two tokens at its worst is not part of any limit. That they would need fewer GPUs is said. */
static void warn_passes(struct request_context *context, const struct serving_request *request,
                        const struct serving_plan *plan)
{
    static const double budget = 32768, worth = 0.9; /* a smaller saving of GPUs is not mentioned */
    struct serving_request longer = *request;
    struct serving_plan found;

    if (context->light || !request->passes_open || !is_bound_by_passes(request, plan))
        return;
    longer.job.pass_tokens = budget;
    if (!serving_search_smaller(&longer, &plan->design, worth * plan->design.gpu_count, &found))
        return;
    context_warn(context, "longer_passes",
                 "tokens_per_pass=%.0f would need %.0f GPUs instead of %.0f: prompts of this "
                 "length are then read in fewer passes. Answers being written wait longer "
                 "between two tokens meanwhile, up to a whole pass: try it on your traffic",
                 budget, found.design.gpu_count, plan->design.gpu_count);
}

/* The GPUs of the smallest design for a request; 0 if these are more than three quarters of those
 * of the design `than`. */
static double fewer_gpus(const struct serving_request *request, const struct serving_design *than)
{
    struct serving_plan found;

    return serving_search_smaller(request, than, 0.75 * than->gpu_count, &found)
               ? found.design.gpu_count
               : 0;
}

/* Whether a design's lengths are spread, and its GPUs mostly idle; those of a prefill replica are
 * not in the utilization. */
static bool may_be_idle(const struct serving_plan *plan)
{
    const struct inference_job *job = &plan->inference.job;

    return plan->meets_limits && job->open_arrivals && job->input_cv + job->output_cv > 0 &&
           (plan->design.prefill_replicas > 0 || plan->utilization < 0.5);
}

/* How long the longest requests are; where nothing is written, prompts alone. */
static const char *long_words(struct request_context *context, const struct inference *inference)
{
    const struct inference_job *job = &inference->job;
    const char *prompts =
        arena_print(context->arena, "one prompt in twenty has over %s tokens, %.2g times the mean",
                    context_count(context, round(job->input_tokens * inference->prompts.p95)),
                    inference->prompts.p95);

    if (job->writes_nothing)
        return arena_print(context->arena, "%s (input_tokens_cv %.3g)", prompts, job->input_cv);
    return arena_print(
        context->arena,
        "%s, and one answer in twenty over %s (input_tokens_cv %.3g, "
        "output_tokens_cv %.3g)",
        prompts, context_count(context, round(inference->answers.mean * inference->answers.p95)),
        job->input_cv, job->output_cv);
}

void inference_lengths_warn(struct request_context *context, const struct serving_request *request,
                            const struct serving_plan *plan)
{
    const struct inference *inference = &plan->inference;
    const struct inference_job *job = &inference->job;
    struct serving_request alike = *request, later = *request;

    if (context->light || !may_be_idle(plan) || serving_is_stated(&request->pinned))
        return;
    alike.cache = later.cache = NULL; /* sized for other lengths and limits */
    alike.job.input_cv = alike.job.output_cv = 0;
    later.limits.ttft_seconds *= 2;
    later.limits.latency_p95_seconds *= 2;
    double enough = fewer_gpus(&alike, &plan->design);
    if (!(enough > 0) || fewer_gpus(request, &plan->design) > 0)
        return; /* or the design is larger for another reason than its limits */
    double twice = fewer_gpus(&later, &plan->design);
    const char *text = arena_print(
        context->arena,
        "the limit on the slowest 5%% decides the number of GPUs%s: %s. If all requests were as "
        "long as the mean, %.0f GPU%s would be enough%s: enter the spread of your own traffic, and "
        "consider a separate design for the longest",
        plan->design.prefill_replicas > 0
            ? ""
            : arena_print(context->arena, ", which %s %.0f%% of what they could",
                          job->writes_nothing ? "read" : "write", 100 * plan->utilization),
        long_words(context, inference), enough, text_plural(enough),
        twice > 0 ? arena_print(context->arena, ", with twice the limit %.0f", twice) : "");
    answer_warn_first(&context->answer, "lengths_decide", text);
}

/* What the same load takes on replicas that do both, with the engine's own passes. */
static const char *simple_words(struct request_context *context,
                                const struct serving_request *request)
{
    struct serving_request simple = *request;
    struct serving_plan plan;

    if (request->passes_open)
        simple.job.pass_tokens = 0;
    simple.job.separate_prefill = false;
    simple.passes_open = simple.apart_open = false;
    if (!serving_search(&simple, &plan))
        return "no number of GPUs keeps the limits";
    return arena_print(context->arena, "%.0f GPUs are needed", plan.design.gpu_count);
}

/* Warn of each setting that differs from the engine's own, with what it saves. */
static void warn_ways_chosen(struct request_context *context, const struct serving_request *request,
                             const struct serving_plan *plan)
{
    const struct inference *inference = &plan->inference;
    const struct inference_job *job = &inference->job;
    double tokens = plan->design.pass_tokens;

    double pass_seconds = inference->prefill.marginal / job->pipeline * tokens /
                          (job->input_tokens * (1 - job->cached_ratio));

    if (tokens > 0)
        context_warn(context, "passes_chosen",
                     "tokens_per_pass=%.0f was chosen: with the engine's own %.0f, %s.%s Set it as "
                     "--max-num-batched-tokens of vLLM, --chunked-prefill-size of SGLang or "
                     "max_num_tokens of TensorRT-LLM",
                     tokens, inference->constants->ttft_pass_tokens, simple_words(context, request),
                     job->output_tokens > 1
                         ? arena_print(context->arena,
                                       " A token waits for a full pass up to about %.2g s.",
                                       pass_seconds)
                         : "");
    if (request->apart_open && job->separate_prefill)
        context_warn(context, "prefill_apart_chosen",
                     "prompts are read on GPUs of their own: without, with separate_prefill=0, %s. "
                     "It takes a router and a fast network between the two kinds of replica",
                     simple_words(context, request));
}

void inference_design_warn(struct request_context *context, const struct serving_request *request,
                           const struct serving_plan *plan)
{
    warn_slots(context, request, plan);
    if (is_late(plan))
        inference_lengths_warn(context, request, plan);
    warn_passes(context, request, plan);
    warn_ways_chosen(context, request, plan);
}
