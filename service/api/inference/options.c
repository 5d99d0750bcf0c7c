/* options.c - /v1/inference-sizing/options: which GPUs, how many, in which design and with which
 * weights; ranked. */
#include "api/inference/options.h"

#include "api/inference/options_search.h"
#include "api/routes/resources.h"
#include "base/units.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const struct field in_rows[] = {
#define INFERENCE_SIZING_ANY_GPU
#define FIELDS_OF struct inference_sizing_in
#include "base/field/rows.h"
#include "api/inference/sizing_in.def"
#include "base/field/end.h"
#define FIELDS_OF struct inference_options_in
#include "base/field/rows.h"
#include "api/options/options_filter.def"
#include "api/inference/options_in.def"
#include "base/field/end.h"
};
static const struct fields in_fields = FIELDS_INIT(in_rows);

#define TABLE inference_options_out
#define TABLE_FILE "api/inference/options_out.def"
#define TABLE_ONLY
#include "base/field/table.h"

const struct inference_options_out *
inference_options_figures(const struct request_context *answered)
{
    assert(answered->resource == &inference_options_resource);
    return answered->answer.values;
}

#define TABLE inference_options_row
#define TABLE_FILE "api/inference/options_row.def"
#include "base/field/table.h"

#define RULED_OUT_REASONS                                                                         \
    "memory, kv_cache, latency_p95, time_to_first_token, tokens_per_second_per_user, throughput " \
    "or prefill: what prevents it, as in /v1/inference-sizing; strategy: the given settings are " \
    "impossible on it; engine: none runs the model in these formats on it; figures: the "         \
    "catalogue lacks one that the estimate needs; power: every design that meets the limits "     \
    "draws more than power_budget_kw; cost or amount: only designs that nobody would choose, "    \
    "see gpus_left_out"
#define TABLE options_refusal
#define TABLE_FILE "api/options/options_ruled_out.def"
#define TABLE_ONLY
#include "base/field/table.h"

static void fill_design(struct inference_options_row *row, const struct inference_options *options,
                        const struct serving_option *option)
{
    row->gpu = inference_options_kind_of(options, option)->gpu->slug;
    row->weight_dtype = inference_options_dtype(options, option);
    row->quantized = inference_options_quantized(options, option);
    row->quality = inference_sizing_quality(&options->candidates[option->candidate].request->job);
    row->gpu_count = option->design.gpu_count;
    row->replica_count = option->design.replicas;
    row->prefill_replica_count = option->design.prefill_replicas;
    row->tokens_per_pass = inference_options_passes(options, option);
    row->tensor_parallel = option->design.tensor;
    row->attention_data_parallel = option->design.attention_data;
    row->pipeline_parallel = option->design.pipeline;
    row->meets_latency = inference_options_limited(options) ? option->meets_limits : (double)NAN;
    row->on_frontier = option->on_frontier;
    row->bound = option->bound;
    row->plan = inference_options_link(options, option);
}

static void fill_times(struct inference_options_row *row, const struct serving_option *option,
                       bool writes_nothing)
{
    const struct range unknown = {(double)NAN, (double)NAN, (double)NAN};
    const struct range *tpot = writes_nothing ? &unknown : &option->tpot;

    RANGE_SET(row, latency_p50_seconds_estimate, option->latency_p50);
    RANGE_SET(row, latency_p95_seconds_estimate, option->latency);
    RANGE_SET(row, time_to_first_token_p95_seconds_estimate, option->ttft_p95);
    row->time_to_first_token_seconds = option->ttft;
    RANGE_SET(row, time_per_output_token_seconds, *tpot);
}

/* The ends of the costs: those of the price, and of tokens without a load to share it also those of
 * the speed. */
static void fill_cost_ends(struct inference_options_row *row, const struct serving_option *option,
                           struct ownership_band price, const struct range *tpot)
{
    bool by_speed = !option->cost.from_load;
    double fast = by_speed ? tpot->low / tpot->middle : 1;
    double slow = by_speed ? tpot->high / tpot->middle : 1;

    row->cost_per_hour_low = option->cost.per_hour * price.low;
    row->cost_per_hour_high = option->cost.per_hour * price.high;
    row->cost_per_million_output_tokens_low =
        option->cost.per_million_output_tokens * price.low * fast;
    row->cost_per_million_output_tokens_high =
        option->cost.per_million_output_tokens * price.high * slow;
}

static void fill_price(struct inference_options_row *row, const struct inference_options *options,
                       const struct serving_option *option, const struct range *tpot)
{
    const struct serving_candidate *candidate = &options->candidates[option->candidate];
    const struct serving_request *request = candidate->request;
    struct ownership_band ends = {1, 1};
    double gpus = option->design.gpu_count;
    struct price_basis_fields basis;

    if (!isnan(candidate->price_per_gpu_hour)) {
        basis = pricing_own(PRICE_GIVEN, option->price_per_gpu_hour, gpus);
    } else if (request->book) {
        struct price price = price_match(request->book, gpus, serving_connected(&option->design));
        basis = pricing_basis(options->context, &price);
        ends = (struct ownership_band){price.band_low / price.per_gpu_hour,
                                       price.band_high / price.per_gpu_hour};
    } else {
        basis = pricing_own(PRICE_OWNED, option->price_per_gpu_hour,
                            serving_bought(request, &option->design));
        if (candidate->catalog)
            ends = serving_owned_band(request, &option->design, option->utilization,
                                      candidate->catalog, candidate->as_of);
    }
    row->price_per_gpu_hour = option->price_per_gpu_hour;
    row->confirmed = option->confirmed;
    PRICE_BASIS_SET(row, basis);
    fill_cost_ends(row, option, ends, tpot);
}

static void fill_correction(struct inference_options_row *row,
                            const struct inference_options *options,
                            const struct serving_option *option)
{
    const struct serving_correction *correction = &option->correction;
    struct serving_plan plain;

    row->correction_factor = row->correction_run_count = (double)NAN;
    row->first_token_correction_factor = (double)NAN;
    row->time_per_output_token_seconds_uncorrected = (double)NAN;
    row->latency_p95_seconds_estimate_uncorrected = (double)NAN;
    if (!(correction->runs > 0))
        return;
    inference_options_uncorrected(options, option, &plain);
    row->correction_factor = correction->token;
    row->first_token_correction_factor = correction->first;
    row->correction_run_count = correction->runs;
    if (!options->candidates[option->candidate].request->job.writes_nothing)
        row->time_per_output_token_seconds_uncorrected = plain.tpot.middle;
    row->latency_p95_seconds_estimate_uncorrected = plain.latency_p95.middle;
}

static void fill_row(struct inference_options_row *row, struct inference_options *options,
                     const struct serving_option *option)
{
    struct serving_option widened = *option;
    struct nearest_words words = inference_options_compare(options, &widened);

    fill_design(row, options, option);
    fill_times(row, &widened, options->candidates[option->candidate].request->job.writes_nothing);
    NEAREST_SET(row, words);
    row->cost_per_hour = option->cost.per_hour;
    row->cost_per_million_output_tokens = option->cost.per_million_output_tokens;
    fill_price(row, options, option, &widened.tpot);
    fill_correction(row, options, option);
    row->output_tokens_per_second = option->tokens_per_second;
    row->batch_size = option->batch;
    row->utilization = option->utilization;
    row->max_concurrent_requests =
        isfinite(option->requests_held) ? option->requests_held : (double)NAN;
    row->weights_gib = option->weights_bytes / GIB;
    row->months_paid_by_credits =
        inference_sizing_credit_months(&options->in->sizing, option->cost.per_month);
    row->power_kw = option->power_kw;
}

/* True if a limit given is exceeded at the high end; an interval without one has its own warning.
 */
static bool is_exceeded(double high, double limit)
{
    return isfinite(high) && high > limit;
}

/* True if limits given hold even at the high end of the intervals. */
static bool is_sure(const struct serving_limits *limits, const struct inference_options_row *row)
{
    return row->meets_latency == 1 &&
           (isnan(limits->latency_p95_seconds) ||
            row->latency_p95_seconds_estimate_high <= limits->latency_p95_seconds) &&
           (isnan(limits->ttft_seconds) ||
            row->time_to_first_token_p95_seconds_estimate_high <= limits->ttft_seconds);
}

/* Warns if the first option may miss a limit; names the first one listed that will not. */
static void warn_limits(struct inference_options *options, const struct inference_options_row *rows,
                        size_t n)
{
    struct arena *arena = options->context->arena;
    const struct inference_options_row *sure = NULL;
    const struct serving_limits *limits =
        &options->candidates[options->found[0].candidate].request->limits;
    bool answers =
        is_exceeded(rows[0].latency_p95_seconds_estimate_high, limits->latency_p95_seconds);
    bool tokens =
        is_exceeded(rows[0].time_to_first_token_p95_seconds_estimate_high, limits->ttft_seconds);

    if (rows[0].meets_latency != 1 || !(answers || tokens))
        return;
    for (size_t i = 1; i < n && !sure; i++)
        if (is_sure(limits, &rows[i]))
            sure = &rows[i];
    context_warn(
        options->context, "limit_in_interval",
        "95%% of %s arrive within an estimated %.4g seconds on the first option, but within %.4g "
        "at the high end of its interval; the limit is %.4g%s",
        answers ? "answers" : "first tokens",
        answers ? rows[0].latency_p95_seconds_estimate
                : rows[0].time_to_first_token_p95_seconds_estimate,
        answers ? rows[0].latency_p95_seconds_estimate_high
                : rows[0].time_to_first_token_p95_seconds_estimate_high,
        answers ? limits->latency_p95_seconds : limits->ttft_seconds,
        sure ? arena_print(
                   arena, "; %.0f x %s with %s weights stays within %s even then", sure->gpu_count,
                   sure->gpu, sure->weight_dtype,
                   isnan(limits->latency_p95_seconds + limits->ttft_seconds) ? "it" : "both limits")
             : "");
}

static void add_rows(struct inference_options *options)
{
    struct request_context *context = options->context;
    const struct inference_options_in *in = options->in;
    size_t n, n_far = 0;
    const size_t *listed = options_listed(&options->list, in->frontier_only == 1, in->per_gpu, &n);
    struct inference_options_row *rows = arena_alloc(context->arena, (n + 1) * sizeof(*rows));

    inference_options_complete(options, listed, n);
    for (size_t i = 0; i < n; i++) {
        fill_row(&rows[i], options, &options->found[listed[i]]);
        rows[i].rank = (double)(i + 1);
        n_far += rows[i].near_measurement == 0;
    }
    context_table(context, "options", rows, n, sizeof(*rows));
    nearest_measurements_warn(context, n_far, n, n && rows[0].near_measurement == 0);
    if (n)
        warn_limits(options, rows, n);
}

/* The cheapest in the same format, confirmed if the other is, that answers in at most half the
 * time: without a limit the cheapest may be one that nobody would wait for. vLLM recommends
 * pipeline stages for cards without NVLink, as they carry more (docs/serving/parallelism_scaling.md
 * of github.com/vllm-project/vllm, read 2026-11-29), but a token then takes longer. NULL if there
 * is none. */
static const struct serving_option *sooner_than(const struct inference_options *options,
                                                const struct serving_option *best)
{
    const struct serving_option *sooner = NULL;
    const char *dtype = inference_options_dtype(options, best);

    for (size_t i = 0; i < options->n_found; i++) {
        const struct serving_option *option = &options->found[i];
        double most = sooner ? sooner->cost.per_hour : (double)INFINITY;
        if (option->latency.middle <= best->latency.middle / 2 && option->cost.per_hour < most &&
            option->confirmed >= best->confirmed &&
            strcmp(inference_options_dtype(options, option), dtype) == 0)
            sooner = option;
    }
    return best->cost.per_hour > 0 ? sooner : NULL;
}

static const char *say_sooner(const struct inference_options *options,
                              const struct serving_option *best)
{
    struct request_context *context = options->context;
    const struct serving_option *sooner = sooner_than(options, best);
    const char *more =
        sooner ? options_more_words(context->arena, sooner->cost.per_hour, best->cost.per_hour)
               : NULL;

    if (!more)
        return "";
    return arena_print(context->arena, ". %s, %s %s answer%s 95%% of requests within %.3g s", more,
                       context_count(context, sooner->design.gpu_count),
                       inference_options_kind_of(options, sooner)->gpu->slug,
                       sooner->design.gpu_count > 1 ? "" : "s", sooner->latency.middle);
}

static const char *reason_of(const struct inference_options *options,
                             const struct serving_option *best)
{
    bool cost = strcmp(options->in->rank, "cost") == 0, simplest = false;
    size_t index;
    double less;
    bool passed_over =
        options_unconfirmed(&options->list, (size_t)(best - options->found), cost, &index, &less) &&
        less > 0;

    for (size_t i = 0; i < options->n_found && cost; i++)
        simplest |= options->found[i].meets_limits == best->meets_limits &&
                    options->found[i].confirmed == best->confirmed &&
                    options->found[i].cost.per_hour < best->cost.per_hour;
    const char *what = arena_print(
        options->context->arena, "%s%s%s", simplest ? "simplest design within 1% of the " : "",
        cost ? "cheapest" : "fastest", passed_over ? " confirmed option" : "");
    if (!options->candidates[best->candidate].request->load_stated)
        return arena_print(options->context->arena, "the %s that holds the model", what);
    if (inference_options_limited(options))
        return arena_print(options->context->arena,
                           "the %s that carries the load and meets the limits", what);
    return arena_print(options->context->arena,
                       "the %s that carries the load; give latency_p95_seconds for one within it%s",
                       what, cost ? say_sooner(options, best) : "");
}

static void fill_recommended(struct inference_options_out *out, struct inference_options *options,
                             const struct serving_option *best)
{
    struct inference_options_row row;

    if (!best)
        return;
    fill_row(&row, options, best);
    out->recommended_gpu = row.gpu;
    out->recommended_weight_dtype = row.weight_dtype;
    out->recommended_gpu_count = row.gpu_count;
    out->recommended_replica_count = row.replica_count;
    out->recommended_cost_per_hour = row.cost_per_hour;
    out->recommended_cost_per_million_output_tokens = row.cost_per_million_output_tokens;
    out->recommended_latency_p95_seconds_estimate = row.latency_p95_seconds_estimate;
    out->recommended_bound = row.bound;
    out->recommended_reason = reason_of(options, best);
    out->recommended_plan = row.plan;
}

static void fill_ends(struct inference_options_out *out, const struct inference_options *options)
{
    size_t i;

    if (options_least(&options->list, true, &i)) {
        const struct serving_option *cheapest = &options->found[i];
        out->cheapest_gpu = inference_options_kind_of(options, cheapest)->gpu->slug;
        out->cheapest_weight_dtype = inference_options_dtype(options, cheapest);
        out->cheapest_gpu_count = cheapest->design.gpu_count;
        out->cheapest_cost_per_hour = cheapest->cost.per_hour;
        out->cheapest_latency_p95_seconds_estimate = cheapest->latency.middle;
    }
    if (options_least(&options->list, false, &i)) {
        const struct serving_option *fastest = &options->found[i];
        out->fastest_gpu = inference_options_kind_of(options, fastest)->gpu->slug;
        out->fastest_weight_dtype = inference_options_dtype(options, fastest);
        out->fastest_gpu_count = fastest->design.gpu_count;
        out->fastest_cost_per_hour = fastest->cost.per_hour;
        out->fastest_latency_p95_seconds_estimate = fastest->latency.middle;
    }
}

static void fill_counts(struct inference_options_out *out, const struct inference_options *options)
{
    size_t designs = 0;

    for (size_t i = 0; i < options->n_candidates; i++)
        designs += options->parts[i].n_considered;
    out->option_count = (double)options->n_found;
    out->frontier_count = (double)options_frontier_count(&options->list);
    out->gpus_considered = (double)options->list.n_considered;
    out->gpus_ruled_out = (double)options->list.n_refusals;
    out->gpus_left_out = (double)options->list.n_left_out;
    out->designs_considered = (double)designs;
}

static bool misses(void *context, size_t i)
{
    struct inference_options *options = context;

    return inference_options_misses(options, &options->found[i]);
}

/* The options found, as the list and the chart need them. */
static void list_found(struct inference_options *options)
{
    struct option_list *list = &options->list;

    list->n = options->n_found;
    list->limited = inference_options_limited(options);
    list->users_wait = true;
    list->at = arena_alloc(options->context->arena, (list->n + 1) * sizeof(*list->at));
    for (size_t i = 0; i < list->n; i++) {
        const struct serving_option *option = &options->found[i];
        list->at[i] = (struct option){
            .kind = options->kind_of[option->candidate],
            .gpu = inference_options_kind_of(options, option)->gpu,
            .time = option->seconds,
            .cost = option->cost.per_hour,
            .on_frontier = option->on_frontier,
            .confirmed = option->confirmed,
            .will_do = option->meets_limits,
            .gpu_count = option->design.gpu_count,
            .amount = option->design.gpu_count,
        };
    }
    options_left_out(list, "GPUs", misses, options);
}

static const char *point_name(const void *context, size_t i)
{
    const struct inference_options *options = context;
    const struct serving_option *option = &options->found[i];

    return arena_print(options->context->arena, "%.0f x %s, %s: %.4g s, %.4g %s an hour",
                       option->design.gpu_count, options->list.at[i].gpu->slug,
                       inference_options_dtype(options, option), option->seconds,
                       option->cost.per_hour, options->context->answer.meta.currency);
}

static void add_chart(const struct inference_options *options)
{
    options_chart(&options->list, &(struct options_chart){
                                      .title = "Cost and latency of serving the load",
                                      .time_word = "latency",
                                      .x_label = "Latency of 95% of requests, s",
                                      .y_label = "Cost, USD per hour",
                                      .name = point_name,
                                      .context = options,
                                  });
}

static bool answer(struct request_context *context, void *input, struct err *err)
{
    struct inference_options *options = arena_alloc(context->arena, sizeof(*options));
    struct inference_options_out *out = arena_alloc(context->arena, sizeof(*out));

    options->context = context;
    options->in = input;
    if (!inference_options_read(options, err))
        return false;
    inference_options_solve(options);
    if (cancelled(context->cancel))
        return false;
    list_found(options);
    /* Options within the limits come first. */
    const struct serving_option *best =
        options->n_found && options->found[0].meets_limits ? &options->found[0] : NULL;
    fields_clear(inference_options_out_fields, out);
    fill_counts(out, options);
    fill_recommended(out, options, best);
    fill_ends(out, options);
    context_values(context, out);
    inference_options_warn_unconfirmed(options, best);
    add_rows(options);
    context_table(context, "ruled_out", options->list.refusals, options->list.n_refusals,
                  sizeof(*options->list.refusals));
    add_chart(options);
    inference_options_warn(options, best);
    return true;
}

const struct resource inference_options_resource = {
    .name = "inference_sizing_options",
    .headline = "recommended_cost_per_hour",
    .summary = "Which GPUs, how many, in which configuration and weight format: every design "
               "ranked by cost or latency",
    .in = &in_fields,
    .in_size = sizeof(struct inference_options_in),
    .out = &inference_options_out_fields,
    .tables = {{"options", "option", &inference_options_row_fields, NULL,
                "The options, best first"},
               {"ruled_out", "ruled_out", &options_refusal_fields, NULL,
                "The GPU types ruled out, and why"}},
    .needs_model = true,
    .takes_model_config = true,
    .listed = true,
    .cost = COST_SHORT,
    .work = "the search of designs for every GPU type",
    .smaller = "name fewer GPUs, or fewer weight_dtype",
    .answer = answer,
};
