/* recommendation.c - /v1/recommendation: from workloads, budget, deadline and latency to a short
 * list, with reasons, and what was excluded and why. */
#include "api/recommendation/hosted.h"
#include "api/recommendation/parse.h"
#include "api/recommendation/search.h"
#include "api/recommendation/warnings.h"
#include "api/recommendation/wording.h"

#include "answer/svg.h"
#include "api/routes/resources.h"

#include <math.h>
#include <string.h>

static const struct field in_rows[] = {
#define FIELDS_OF struct recommendation_in
#include "base/field/rows.h"
#include "api/recommendation/in.def"
#include "api/options/options_filter.def"
#include "base/field/end.h"
};
static const struct fields in_fields = FIELDS_INIT(in_rows);

#define TABLE recommendation_point
#define TABLE_FILE "api/recommendation/point.def"
#include "base/field/table.h"

#define TABLE recommendation_out
#define TABLE_FILE "api/recommendation/out.def"
#include "base/field/table.h"

#define TABLE recommendation_ruled_out
#define TABLE_FILE "api/recommendation/ruled_out.def"
#define TABLE_ONLY
#include "base/field/table.h"

static void fill_recommended(struct recommendation_out *out,
                             const struct recommendation *recommendation)
{
    const struct recommendation_list *list = &recommendation->list;
    const struct recommendation_option *best = &list->at[list->recommended];

    if (list->recommended == list->n) {
        out->recommended_sentence = recommendation_none_sentence(recommendation);
        return;
    }
    out->recommended_rank = (double)(list->recommended + 1);
    out->recommended_gpu = recommendation_gpus(recommendation, best);
    out->recommended_gpu_count = best->gpu_count;
    out->recommended_acquisition = recommendation_acquisition(best);
    out->recommended_days = best->days.middle;
    out->recommended_latency_p95_seconds_estimate = best->latency.middle;
    out->recommended_payments = best->payments.middle;
    out->recommended_total_cost = best->total.middle;
    out->recommended_sentence = recommendation_sentence(recommendation, best);
}

static void fill_interval(struct recommendation_out *out, const struct recommendation_row *row)
{
    out->recommended_days_low = row->days_low;
    out->recommended_days_high = row->days_high;
    out->recommended_latency_p95_seconds_estimate_low = row->latency_p95_seconds_estimate_low;
    out->recommended_latency_p95_seconds_estimate_high = row->latency_p95_seconds_estimate_high;
    out->recommended_total_cost_low = row->total_cost_low;
    out->recommended_total_cost_high = row->total_cost_high;
    out->recommended_payments_low = row->payments_low;
    out->recommended_payments_high = row->payments_high;
}

static void fill_hosted(struct recommendation_out *out, const struct hosted_row *hosted)
{
    const struct hosted_api *api = &hosted->choice.api;

    hosted_price_say(&hosted->figures, &recommendation_out_fields, out);
    if (!hosted_price_is_known(&hosted->choice))
        return;
    out->hosted_total_cost = hosted->bill.total;
    out->hosted_cost_per_month = hosted_api_cost_per_month(api);
    out->hosted_cost_per_million_tokens_blended = hosted_api_blended_price(api);
}

/* A GPU may be refused for two workloads and counts once. Its rows are adjacent. */
static size_t ruled_out_kinds(const struct recommendation *recommendation)
{
    const struct recommendation_ruled_out *rows = recommendation->ruled_out;
    size_t n = 0;

    for (size_t i = 0; i < recommendation->n_ruled_out; i++)
        n += i == 0 || strcmp(rows[i].gpu, rows[i - 1].gpu) != 0;
    return n;
}

static void fill_counts(struct recommendation_out *out, const struct recommendation *recommendation)
{
    const struct recommendation_list *list = &recommendation->list;

    out->combinations_considered = (double)list->n_considered;
    out->combinations_within_limits = (double)list->n_within;
    out->frontier_count = (double)list->n_frontier;
    out->gpus_considered = (double)recommendation->ask.n_gpu_types;
    out->gpus_ruled_out = (double)ruled_out_kinds(recommendation);
}

/* True if another option of the list is no more expensive and no slower, and better in one of
 * them. */
static bool is_beaten(const struct recommendation_list *list, size_t i, bool jobs)
{
    const struct recommendation_option *one = &list->at[i];
    double time = jobs ? one->days.middle : one->latency.middle;

    for (size_t k = 0; k < list->n; k++) {
        const struct recommendation_option *other = &list->at[k];
        double other_time = jobs ? other->days.middle : other->latency.middle;
        if (other->total.middle <= one->total.middle && other_time <= time &&
            (other->total.middle < one->total.middle || other_time < time))
            return true;
    }
    return false;
}

/* The options of the list: cost over the days of the jobs, or over the latency without jobs. */
static const struct table *points_of(const struct recommendation *recommendation, bool jobs)
{
    struct arena *arena = recommendation->context->arena;
    const struct recommendation_list *list = &recommendation->list;
    struct table *table = arena_alloc(arena, sizeof(*table));
    struct recommendation_point *points = arena_alloc(arena, (list->n + 1) * sizeof(*points));

    for (size_t i = 0; i < list->n; i++)
        points[i] = (struct recommendation_point){
            .name = recommendation_sentence(recommendation, &list->at[i]),
            .rank =
                arena_print(arena, "%zu%s", i + 1, i == list->recommended ? " (recommended)" : ""),
            .days = list->at[i].days.middle,
            .latency_p95_seconds_estimate = list->at[i].latency.middle,
            .total_cost = list->at[i].total.middle,
            .on_frontier = !is_beaten(list, i, jobs),
        };
    *table = (struct table){.fields = recommendation_point_fields,
                            .rows = points,
                            .n = list->n,
                            .stride = sizeof(*points)};
    return table;
}

static void add_chart(struct recommendation *recommendation)
{
    struct arena *arena = recommendation->context->arena;
    struct chart *chart = arena_alloc(arena, sizeof(*chart));
    bool jobs = recommendation->wanted[RECOMMENDATION_TRAIN] ||
                recommendation->wanted[RECOMMENDATION_FINETUNE];

    *chart = (struct chart){
        .kind = CHART_SCATTER,
        .x_axis = AXIS_LOG,
        .y_axis = AXIS_LOG,
        .table = points_of(recommendation, jobs),
        .title = "Cost and time of the options",
        .description = arena_print(
            arena,
            "The %zu options of the list; a line joins those that no other beats in both cost and "
            "time. The same figures as a table: this address with .csv.",
            recommendation->list.n),
        .x_label = jobs ? "Training time, days" : "Response time, 95% of requests, s",
        .y_label = arena_print(arena, "Cost over the time frame, %s",
                               recommendation->context->answer.meta.currency),
        .x_field = jobs ? "days" : "latency_p95_seconds_estimate",
        .name_field = "name",
        .label_field = "rank",
        .mark_field = "on_frontier",
        .n_curves = 1,
        .curves = {{"total_cost", "best trade-offs"}},
    };
    recommendation->context->answer.chart = chart;
}

static void answer_budget(struct recommendation *recommendation, struct recommendation_out *out)
{
    (void)lookup_region(recommendation->context, recommendation->in->region);
    recommendation_prepare(recommendation);
    fields_clear(recommendation_out_fields, out);
    const struct recommendation_affordable *value;
    const struct recommendation_affordable *best = recommendation_afford(recommendation, &value);
    out->gpus_considered = (double)recommendation->ask.n_gpu_types;
    if (best) {
        out->recommended_gpu = best->gpu;
        out->recommended_gpu_count = best->gpu_count;
        out->recommended_acquisition = best->acquisition;
        out->recommended_payments = best->payments;
        out->recommended_total_cost = best->total_cost;
        out->recommended_total_cost_low = best->total_cost_low;
        out->recommended_total_cost_high = best->total_cost_high;
        out->recommended_payments_low = best->payments_low;
        out->recommended_payments_high = best->payments_high;
        out->recommended_sentence = recommendation_budget_sentence(recommendation, best, value);
        recommendation_warn_budget(recommendation, best);
    }
    context_values(recommendation->context, out);
    (void)recommendation_add_rows(recommendation);
}

/* Warns of recommended jobs that fill the memory. */
static void warn_tight(struct recommendation *recommendation)
{
    static const char *const names[RECOMMENDATION_JOBS] = {"training as recommended: ",
                                                           "fine-tuning as recommended: "};
    const struct recommendation_list *list = &recommendation->list;

    if (list->recommended == list->n)
        return;
    for (int w = 0; w < RECOMMENDATION_JOBS; w++) {
        if (!recommendation->wanted[w])
            continue;
        const struct options_question *question = recommendation->jobs[w];
        const struct options_found *found = recommendation_job(
            recommendation, &list->at[list->recommended], (enum recommendation_workload)w);
        training_warn_tight(recommendation->context, &question->questions[found->candidate].job,
                            found->plan, &found->totals.phases, names[w]);
    }
}

static bool answer(struct request_context *context, void *input, struct err *err)
{
    struct recommendation *recommendation = arena_alloc(context->arena, sizeof(*recommendation));
    struct recommendation_out *out = arena_alloc(context->arena, sizeof(*out));

    recommendation->context = context;
    recommendation->in = input;
    if (!recommendation_read(recommendation, err))
        return false;
    if (recommendation_is_budget_alone(recommendation)) {
        answer_budget(recommendation, out);
        return !cancelled(context->cancel);
    }
    recommendation_solve(recommendation);
    if (cancelled(context->cancel))
        return false;
    recommendation_rule_out(recommendation);
    fields_clear(recommendation_out_fields, out);
    fill_recommended(out, recommendation);
    fill_counts(out, recommendation);
    recommendation_price_hosted(recommendation);
    fill_hosted(out, recommendation->hosted);
    out->recommended_sentence =
        recommendation_hosted_first(recommendation, out->recommended_sentence);
    context_values(context, out);
    const struct recommendation_row *rows = recommendation_add_rows(recommendation);
    if (recommendation->list.recommended < recommendation->list.n) {
        fill_interval(out, &rows[recommendation->list.recommended]);
        recommendation_explain(recommendation, rows);
    }
    context_table(context, "ruled_out", recommendation->ruled_out, recommendation->n_ruled_out,
                  sizeof(*recommendation->ruled_out));
    add_chart(recommendation);
    recommendation_warn(recommendation,
                        (struct range){.low = out->recommended_latency_p95_seconds_estimate_low,
                                       .middle = out->recommended_latency_p95_seconds_estimate,
                                       .high = out->recommended_latency_p95_seconds_estimate_high});
    warn_tight(recommendation);
    const double unknown = (double)NAN;
    struct recommendation_path path = {
        {unknown, unknown, unknown}, unknown, unknown, unknown, NULL};
    if (!isnan(recommendation->in->growth_ratio_per_month) &&
        !recommendation_add_stages(recommendation, &path, err))
        return false;
    RANGE_SET(out, upgrade_path_cost, path.cost);
    out->upgrade_path_paid = path.paid;
    out->upgrade_path_throughout_cost = path.throughout;
    out->upgrade_path_migration_cost = path.migration_cost;
    out->upgrade_path_sentence = path.sentence;
    return true;
}

static enum cost cost_of(const void *in)
{
    return options_cost(((const struct recommendation_in *)in)->gpu);
}

const struct resource recommendation_resource = {
    .name = "recommendation",
    .headline = "recommended_total_cost",
    .summary = "From workloads, budget, deadline and latency to a shortlist from cheap to fast, "
               "with the reasons and what was ruled out by which rule",
    .in = &in_fields,
    .in_size = sizeof(struct recommendation_in),
    .out = &recommendation_out_fields,
    .tables = {{"options", "option", &recommendation_row_table, NULL,
                "The shortlist, cheapest first"},
               {"reasons", "reason", &recommendation_reason_table, NULL,
                "Figures of each option compared with their limits"},
               {"ruled_out", "ruled_out", &recommendation_ruled_out_fields, NULL,
                "The GPU types ruled out, and by which rule"},
               {"upgrade_path", "stage", &recommendation_stage_table, NULL,
                "With growth_ratio_per_month: what carries the load cheapest, and from when"},
               {"affordable", "affordable", &recommendation_affordable_table, NULL,
                "With a budget and no workload: what it rents and buys, most compute first"},
               {"affordable_counts", "affordable_count", &recommendation_affordable_table, NULL,
                "The same budget with fewer GPUs, or with more of them for fewer months"},
               EXPLANATIONS_TABLE},
    .takes_model_config = true,
    .listed = true,
    .cost_of = cost_of,
    .work = "the search of strategies and designs for every GPU type",
    .smaller = "name fewer GPUs, or lower gpu_count_max",
    .answer = answer,
};
