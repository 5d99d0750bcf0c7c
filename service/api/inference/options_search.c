/* options_search.c - ranks the options of all candidates, explains why other GPU types are
 * unsuitable, and makes the address of an option. */
#include "api/inference/options_search.h"

#include "api/inference/sizing_correction.h"
#include "api/inference/sizing_wording.h"
#include "api/routes/resources.h"
#include "estimate/inference/serving/ranking.h"
#include "estimate/inference/serving/search.h"
#include "estimate/inference/words.h"

#include <math.h>
#include <string.h>

const struct inference_options_kind *
inference_options_kind_of(const struct inference_options *options,
                          const struct serving_option *option)
{
    return &options->kinds[options->kind_of[option->candidate]];
}

const char *inference_options_dtype(const struct inference_options *options,
                                    const struct serving_option *option)
{
    return words_of_number(options->candidates[option->candidate].request->job.weight_format);
}

bool inference_options_quantized(const struct inference_options *options,
                                 const struct serving_option *option)
{
    return inference_sizing_quality(&options->candidates[option->candidate].request->job) != NULL;
}

double inference_options_passes(const struct inference_options *options,
                                const struct serving_option *option)
{
    double given = options->candidates[option->candidate].request->job.pass_tokens;
    double tokens = option->design.pass_tokens > 0 ? option->design.pass_tokens : given;

    return tokens > 0 ? tokens : (double)NAN;
}

/* The candidate's request with the option's number of prefill replicas, which without its limits or
 * corrections may be another. */
static struct serving_request request_of(const struct inference_options *options,
                                         const struct serving_option *option)
{
    struct serving_request request = *options->candidates[option->candidate].request;

    if (option->design.prefill_replicas > 0)
        request.pinned.prefill_replicas = option->design.prefill_replicas;
    return request;
}

void inference_options_uncorrected(const struct inference_options *options,
                                   const struct serving_option *option, struct serving_plan *plan)
{
    struct serving_request request = request_of(options, option);

    request.residuals.correct = NULL;
    serving_evaluate(&request, &option->design, plan);
}

void inference_options_warn_lengths(struct request_context *context,
                                    const struct inference_options *options,
                                    const struct serving_option *option)
{
    const struct serving_request *asked = options->candidates[option->candidate].request;
    struct serving_request request = request_of(options, option);
    struct serving_plan plan;

    if (isnan(asked->limits.ttft_seconds) && isnan(asked->limits.latency_p95_seconds))
        return;
    serving_evaluate(&request, &option->design, &plan);
    inference_lengths_warn(context, asked, &plan);
}

/* As in the option's own sizing. Every served catalogue has the constants. */
static void widen(const struct inference_options *options, struct serving_option *option)
{
    struct serving_request request = request_of(options, option);
    struct serving_plan plan = {.design = option->design};
    struct err err = {0};

    if (option->correction.runs > 0 || inference_is_weak(&request.job) ||
        !inference_sizing_widen(options->context, &request, &plan, &err))
        return;
    option->tpot = plan.tpot;
    option->latency = plan.latency_p95;
    option->latency_p50 = plan.latency_p50;
    option->ttft_p95 = plan.ttft_p95;
}

struct nearest_words inference_options_compare(struct inference_options *options,
                                               struct serving_option *option)
{
    struct request_context *context = options->context;
    struct inference_job job =
        serving_request_of(options->candidates[option->candidate].request, &option->design).job;

    job.tensor = option->design.tensor;
    job.pipeline = option->design.pipeline;
    if (!options->evidence)
        options->evidence = evidence_of(context->catalog, context->arena);
    struct nearest_features asked = nearest_of_inference(&job, option->batch);
    struct nearest_words words = nearest_measurements_words(context, options->evidence, &asked);
    if (!words.near)
        widen(options, option);
    return words;
}

void inference_options_range(const struct inference_options *options, struct serving_option *option)
{
    struct serving_request request = request_of(options, option);
    const double none = (double)NAN;
    struct serving_plan plan;

    request.limits = (struct serving_limits){none, none, none}; /* the design was chosen by them */
    serving_evaluate(&request, &option->design, &plan);
    option->tpot = plan.tpot;
    option->latency = plan.latency_p95;
    option->latency_p50 = plan.latency_p50;
    option->ttft_p95 = plan.ttft_p95;
}

struct completion {
    const struct inference_options *options;
    const size_t *listed;
};

static void complete_piece(void *context, size_t i)
{
    const struct completion *of = context;
    const struct inference_options *options = of->options;
    struct serving_option *option = &options->found[of->listed[i]];
    const struct serving_request *request = options->candidates[option->candidate].request;

    inference_options_range(options, option);
    option->power_kw =
        serving_power(request, &option->design, options->context->catalog, options->context->as_of)
            .kw;
}

void inference_options_complete(const struct inference_options *options, const size_t listed[],
                                size_t n)
{
    struct completion of = {options, listed};
    bool corrected = false; /* by measured runs, in the request's arena */

    for (size_t i = 0; i < n; i++)
        corrected |=
            options->candidates[options->found[listed[i]].candidate].request->residuals.correct !=
            NULL;
    if (!corrected)
        parallel_each(options->context->parallel, n, complete_piece, &of);
    for (size_t i = 0; i < n && corrected; i++)
        complete_piece(&of, i);
}

bool inference_options_limited(const struct inference_options *options)
{
    const struct inference_sizing_in *in = &options->in->sizing;

    return !isnan(in->latency_p95_seconds) || !isnan(in->time_to_first_token_seconds_max) ||
           !isnan(in->tokens_per_second_per_user_min);
}

bool inference_options_misses(struct inference_options *options,
                              const struct serving_option *option)
{
    const double none_is_wider = 3; /* times its middle: an interval need not be completed */
    const struct serving_limits *limits = &options->candidates[option->candidate].request->limits;
    struct serving_option widened = *option;
    double slowest = 1 / limits->user_tokens_per_second;

    if (option->seconds > none_is_wider * limits->latency_p95_seconds)
        return true;
    inference_options_range(options, &widened);
    inference_options_compare(options, &widened);
    double low = widened.tpot.low / widened.tpot.middle;
    double latency = isnan(widened.latency.low) ? option->seconds * low : widened.latency.low;
    double first = isnan(widened.ttft_p95.low) ? option->ttft * low : widened.ttft_p95.low;
    return latency > limits->latency_p95_seconds || first > limits->ttft_seconds ||
           widened.tpot.low > slowest;
}

const char *inference_options_link(const struct inference_options *options,
                                   const struct serving_option *option)
{
    struct request_context *context = options->context;
    const struct serving_design *design = &option->design;
    struct buf out;

    if (context->model_config)
        return NULL;
    buf_init(&out, OPTIONS_LINK_MAX);
    options_link_text(&out, "gpu", inference_options_kind_of(options, option)->gpu->slug);
    options_link_given(&out, context, inference_sizing_resource.in,
                       "gpu,weight_dtype,tensor_parallel,attention_data_parallel,pipeline_parallel,"
                       "replica_count,prefill_replica_count,separate_prefill,"
                       "tokens_per_pass");
    options_link_text(&out, "weight_dtype", inference_options_dtype(options, option));
    options_link_number(&out, "tensor_parallel", design->tensor);
    options_link_number(&out, "pipeline_parallel", design->pipeline);
    if (design->attention_data > 1)
        options_link_number(&out, "attention_data_parallel", design->attention_data);
    options_link_number(&out, "replica_count", design->replicas);
    if (design->prefill_replicas > 0) {
        options_link_number(&out, "separate_prefill", 1);
        options_link_number(&out, "prefill_replica_count", design->prefill_replicas);
    }
    if (!isnan(inference_options_passes(options, option)))
        options_link_number(&out, "tokens_per_pass", inference_options_passes(options, option));
    options_link_day(&out, context);
    const char *link = arena_print(context->arena, "/v1/inference-sizing%s", buf_data(&out));
    buf_free(&out);
    return link;
}

/* The search has one work item and one arena per candidate. */
struct search {
    struct inference_options *options;
    struct arena *arenas;
};

static void search_piece(void *context, size_t i)
{
    struct search *search = context;
    struct inference_options *options = search->options;

    serving_options_of(options->candidates, i, &search->arenas[i], &options->parts[i]);
    serving_options_limit_power(&options->candidates[i], options->context->catalog,
                                options->context->as_of, options->in->sizing.power_budget_kw,
                                &options->parts[i]);
}

/* If no candidate of this GPU meets the limits, the closest one; else NULL. */
static const struct serving_candidate *nearest_of(const struct inference_options *options,
                                                  const struct inference_options_kind *kind,
                                                  const struct serving_plan **plan)
{
    size_t best = kind->first;

    for (size_t i = kind->first; i < kind->first + kind->n; i++) {
        if (options->parts[i].will_do)
            return NULL;
        if (serving_nearer(&options->parts[i].nearest, &options->parts[best].nearest))
            best = i;
    }
    *plan = &options->parts[best].nearest;
    return &options->candidates[best];
}

/* If a power limit removed all suitable options: the least power among them. */
static bool refuse_power(struct inference_options *options,
                         const struct inference_options_kind *kind)
{
    double least = (double)NAN;
    bool out = false;

    for (size_t i = kind->first; i < kind->first + kind->n; i++) {
        const struct serving_options_part *part = &options->parts[i];
        if (part->will_do && part->power_kw_least == 0)
            return false;
        out |= part->will_do;
        least = fmin(least, part->will_do ? part->power_kw_least : (double)NAN);
    }
    if (out)
        options_refuse(
            &options->list, kind->gpu, "power",
            options_power_words(&options->list, least, options->in->sizing.power_budget_kw));
    return out;
}

static void refuse_kind(struct inference_options *options,
                        const struct inference_options_kind *kind)
{
    const struct serving_plan *plan;

    if (!kind->n) {
        options_refuse(&options->list, kind->gpu, "engine", kind->unsupported);
        return;
    }
    if (refuse_power(options, kind))
        return;
    const struct serving_candidate *nearest = nearest_of(options, kind, &plan);
    const char *reason;

    if (!nearest)
        return;
    if (plan->design.gpu_count < 1) {
        options_refuse(
            &options->list, kind->gpu, "strategy",
            "no parallelism that divides the heads and layers evenly uses gpu_count GPUs");
        return;
    }
    reason = plan->fits && isnan(plan->tpot.middle) ? "figures"
                                                    : inference_sizing_binding(plan->binding);
    options_refuse(&options->list, kind->gpu, reason,
                   arena_print(options->context->arena,
                               "%.0f x %.0f GPUs with %s weights come closest. %s",
                               plan->design.replicas + plan->design.prefill_replicas,
                               plan->design.tensor * plan->design.pipeline,
                               words_of_number(nearest->request->job.weight_format),
                               inference_sizing_reason(options->context, nearest->request, plan)));
}

void inference_options_solve(struct inference_options *options)
{
    struct arena *arena = options->context->arena;
    size_t n = options->n_candidates;
    struct search search = {options, arena_alloc(arena, (n + 1) * sizeof(*search.arenas))};
    bool by_latency = strcmp(options->in->rank, "latency") == 0;

    options->context->doing =
        arena_print(arena, "the search of designs for %zu GPU types and weight formats", n);
    options->parts = arena_alloc(arena, (n + 1) * sizeof(*options->parts));
    parallel_each(options->context->parallel, n, search_piece, &search);
    options->found =
        serving_ranking(options->parts, n, by_latency ? SERVING_RANK_LATENCY : SERVING_RANK_COST,
                        arena, &options->n_found);
    for (size_t i = 0; i < options->list.n_kinds; i++)
        refuse_kind(options, &options->kinds[i]);
    for (size_t i = 0; i < n; i++)
        arena_free(&search.arenas[i]);
}
