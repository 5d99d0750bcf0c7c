/* break_even.c - /v1/break-even: buy or rent, and the month, utilization and rent price at which
 * that changes. */
#include "api/break_even/break_even.h"

#include "answer/label.h"
#include "answer/svg.h"
#include "api/break_even/plan.h"
#include "api/options/lease_books.h"
#include "api/routes/resources.h"
#include "base/spelling.h"
#include "base/text.h"
#include "estimate/ownership/owned.h"
#include "estimate/ownership/rules.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const struct field in_rows[] = {
#define FIELDS_OF struct break_even_in
#include "base/field/rows.h"
#include "api/break_even/in.def"
#include "base/field/end.h"
#define FIELDS_OF struct ownership
#include "base/field/rows.h"
#include "estimate/ownership/inputs.def"
#include "base/field/end.h"
};
static const struct fields in_fields = FIELDS_INIT(in_rows);
_Static_assert(offsetof(struct break_even_in, own) == 0, "one table describes both structs");

#define TABLE break_even_out
#define TABLE_FILE "api/break_even/out.def"
#define TABLE_ONLY
#include "base/field/table.h"

#define TABLE break_even_line
#define TABLE_FILE "api/break_even/line.def"
#include "base/field/table.h"

#define TABLE break_even_point
#define TABLE_FILE "api/break_even/point.def"
#include "base/field/table.h"

#define TABLE break_even_crossing
#define TABLE_FILE "api/break_even/crossing.def"
#include "base/field/table.h"

const struct break_even_in *break_even_inputs(const struct request_context *answered)
{
    assert(answered->resource == &break_even_resource);
    return answered->inputs.values;
}

const struct break_even_out *break_even_figures(const struct request_context *answered)
{
    assert(answered->resource == &break_even_resource);
    return answered->answer.values;
}

static void fill_verdict(struct request_context *context, struct break_even_out *out,
                         const struct break_even *found)
{
    out->verdict = found->verdict;
    out->break_even_status = arena_text(context->arena, found->status);
    out->break_even_months = found->months;
    out->break_even_utilization = found->utilization.value;
    out->break_even_utilization_status = found->utilization.status;
    out->break_even_rent_price_per_gpu_hour = found->rent_price_per_gpu_hour.value;
    out->break_even_rent_price_status = found->rent_price_per_gpu_hour.status;
    out->buy_total_cost = found->ledger.buy_total;
    out->rent_total_cost = found->ledger.rent_total;
    out->buy_saving = found->saving;
    out->buy_cost_per_useful_gpu_hour = found->buy_per_useful_gpu_hour;
    out->rent_cost_per_useful_gpu_hour = found->rent_per_useful_gpu_hour;
    out->useful_gpu_hours = found->useful_gpu_hours;
    out->search_months = found->search_months;
    out->hours_per_month = HOURS_PER_MONTH;
    out->hours_per_year = HOURS_PER_YEAR;
    out->crossing_count = (double)found->n_crossings;
}

static void fill_groups(struct break_even_out *out, const struct break_even *found)
{
    out->buy_initial_cost = break_even_group_total(found, "buy", "initial");
    out->buy_recurring_cost = break_even_group_total(found, "buy", "recurring");
    out->buy_opportunity_cost = break_even_group_total(found, "buy", "opportunity");
    out->buy_proceeds = break_even_group_total(found, "buy", "proceeds");
    out->rent_initial_cost = break_even_group_total(found, "rent", "initial");
    out->rent_recurring_cost = break_even_group_total(found, "rent", "recurring");
    out->rent_opportunity_cost = break_even_group_total(found, "rent", "opportunity");
    out->rent_proceeds = break_even_group_total(found, "rent", "proceeds");
}

static void fill_facility(struct break_even_out *out, const struct ownership *own,
                          const struct break_even *found)
{
    out->horizon_months = own->horizon_months;
    out->idle_cost = found->idle_cost;
    out->book_value = ownership_book_value(own, (int)own->horizon_months);
    out->node_count = ownership_nodes(own);
    out->bought_gpu_count = gpu_in_servers(own->gpu_count, own->gpus_per_node);
    out->hardware_cost = ownership_hardware_cost(own);
    out->power_kw = ownership_power_kw(own);
    out->electricity_kwh = break_even_electricity_kwh(found);
    out->carbon_tonnes = break_even_carbon_tonnes(found);
}

/* An excluded option gives no verdict, whatever its cost. */
static void rule_out(struct request_context *context, const struct break_even_in *in,
                     struct break_even_out *out)
{
    double limit = in->power_budget_kw;

    out->within_power_budget =
        isnan(limit) ? (double)NAN : owned_power_is_within(out->power_kw, limit);
    out->buy_ruled_out = NULL;
    if (out->within_power_budget != 0)
        return;
    out->buy_ruled_out = "power";
    context_warn(
        context, "power_budget_exceeded",
        "buying is ruled out: %s GPUs draw up to %.10g kW at the meter; power_budget_kw is "
        "%.6g kW",
        context_count(context, in->own.gpu_count), owned_power_told(out->power_kw), limit);
    if (out->verdict)
        out->verdict = "rent";
}

/* The workload's figures; unknown without a workload. */
static void fill_workload(struct break_even_out *out, const struct break_even_in *in,
                          const struct break_even *found)
{
    const struct ownership *own = &in->own;
    const struct workload_plan *plan = &in->plan;
    double before = plan->kind == WORKLOAD_TRAIN_THEN_SERVE ? own->first_phase_months : 0;
    double tokens = plan->tokens_per_month * (own->horizon_months - before);

    out->workload = plan->kind == WORKLOAD_NONE ? NULL : in->workload;
    out->workload_plan = plan->address;
    out->gpu_count = own->gpu_count;
    out->utilization = own->utilization;
    out->first_phase_months = own->first_phase_months;
    out->first_phase_utilization = own->first_phase_utilization;
    out->mean_utilization = ownership_mean_utilization(own, (int)own->horizon_months);
    out->workload_training_plan = plan->training_address;
    out->gpu_hours_per_month = own->utilization * own->gpu_count * HOURS_PER_MONTH;
    out->workload_days = plan->days;
    out->workload_replica_count = plan->replicas;
    out->workload_tokens_per_day = plan->tokens_per_day;
    out->buy_cost_per_million_tokens = found->ledger.buy_total / tokens * 1e6;
    out->rent_cost_per_million_tokens = found->ledger.rent_total / tokens * 1e6;
}

/* The ledger lines of all sides. */
struct lines {
    size_t n;
    struct ledger_line at[LEDGER_LINES_MAX + HOSTED_LINES];
};

static const struct lines *lines_of(struct request_context *context, const struct break_even_in *in,
                                    const struct ledger *ledger,
                                    const struct hosted_api_ledger *bill)
{
    struct lines *lines = arena_alloc(context->arena, sizeof(*lines));

    lines->n = ledger->n;
    memcpy(lines->at, ledger->lines, ledger->n * sizeof(lines->at[0]));
    for (size_t i = 0; hosted_price_is_known(&in->hosted_api) && i < HOSTED_LINES; i++)
        lines->at[lines->n++] = bill->lines[i];
    return lines;
}

static bool line_wanted(const struct break_even_in *in, const struct ledger_line *line)
{
    return (!in->side || strcmp(in->side, line->side) == 0) &&
           (!in->lines || text_in_list(in->lines, line->key));
}

/* Refuse a name in `lines` that is not a line, suggesting the nearest or where all are listed. */
static bool check_line_name(struct request_context *context, const struct lines *lines,
                            const char *name, struct err *err)
{
    struct spelling near = spelling_of(name);

    for (size_t i = 0; i < lines->n; i++)
        spelling_try(&near, lines->at[i].key);
    const char *meant = spelling_meant(&near);
    return near.distance == 0 ||
           context_refuse(context, err, "lines", "unknown_name", "the ledger has no line %s; %s%s",
                          name, meant ? "the nearest is " : "its lines are line_items of ",
                          meant ? meant : "/v1/break-even");
}

static bool check_lines(struct request_context *context, const struct break_even_in *in,
                        const struct lines *lines, struct err *err)
{
    const char *list = in->lines, *name;
    bool good = true;

    while ((name = arena_next_item(context->arena, &list)))
        good = check_line_name(context, lines, name, err) && good;
    return good;
}

static void add_lines(struct request_context *context, const struct break_even_in *in,
                      const struct lines *lines)
{
    struct break_even_line *rows = arena_alloc(context->arena, lines->n * sizeof(*rows));
    size_t n = 0;

    for (size_t i = 0; i < lines->n; i++) {
        const struct ledger_line *line = &lines->at[i];
        if (line_wanted(in, line))
            rows[n++] = (struct break_even_line){
                .side = line->side,
                .group = line->group,
                .key = line->key,
                .quantity = line->quantity,
                .unit = line->unit,
                .unit_price = line->unit_price,
                .amount = line->amount,
                .currency = context->answer.meta.currency,
                .yearly_change = line->yearly_change,
                .formula = line->formula,
            };
    }
    context_table(context, "line_items", rows, n, sizeof(*rows));
}

/* Mark the crossings of the curves, as many as fit, and the horizon. */
static void mark(struct request_context *context, struct chart *chart,
                 const struct break_even *found, double horizon)
{
    for (size_t i = 0; i < found->n_crossings && chart->n_marks + 1 < CHART_MARKS_MAX; i++) {
        const struct crossing *at = &found->crossings[i];
        const char *name =
            arena_print(context->arena, "%s from month %.1f", at->cheaper_after, at->month);
        chart->marks[chart->n_marks++] = (struct chart_mark){at->month, name, true};
    }
    chart->marks[chart->n_marks++] = (struct chart_mark){horizon, "time frame", false};
}

/* Chart of the cost curves, two or with the hosted API three, with the break-even in words. */
static const struct chart *chart_of(struct request_context *context, const struct break_even_in *in,
                                    const struct break_even *found)
{
    struct chart *chart = arena_alloc(context->arena, sizeof(*chart));

    *chart = (struct chart){
        .title = arena_print(context->arena, "Buy or rent: %s \u00d7 %s",
                             context_count(context, in->own.gpu_count),
                             catalog_gpu(context->catalog, in->gpu)->name),
        .description =
            arena_print(context->arena, "Cumulative cost of buying and renting. Break-even: %s.",
                        label_words(context->arena, found->status, "")),
        .x_label = "Months",
        .y_label = "Cumulative cost, USD",
        .x_field = "month",
        .x_unit = 12,
        .n_curves = 2,
        .curves = {{"buy_cumulative_cost", "Buy"}, {"rent_cumulative_cost", "Rent"}},
    };
    if (hosted_price_is_known(&in->hosted_api))
        chart->curves[chart->n_curves++] = (struct curve){"hosted_cumulative_cost", "Hosted API"};
    if (!isnan(found->months))
        chart->description = arena_print(
            context->arena,
            "Cumulative cost of buying and renting. Buying becomes cheaper in month %.1f.",
            found->months);
    mark(context, chart, found, in->own.horizon_months);
    return chart;
}

static void add_series(struct request_context *context, const struct break_even_in *in,
                       const struct break_even *found)
{
    struct break_even_point *rows = arena_alloc(context->arena, POINTS_MAX * sizeof(*rows));
    struct series_point *points = arena_alloc(context->arena, POINTS_MAX * sizeof(*points));
    size_t n = break_even_series(&in->own, points);
    double totals[POINTS_MAX];

    if (hosted_price_is_known(&in->hosted_api))
        hosted_api_totals(&in->hosted_api.api, &in->own, (int)n - 1, totals);
    for (size_t i = 0; i < n; i++)
        rows[i] = (struct break_even_point){
            points[i].month, points[i].buy_cumulative_cost, points[i].rent_cumulative_cost,
            hosted_price_is_known(&in->hosted_api) ? totals[i] : (double)NAN,
            i ? ownership_utilization(&in->own, (int)i) : (double)NAN};
    context_table(context, "series", rows, n, sizeof(*rows));
    context->answer.chart = chart_of(context, in, found);
}

static void add_crossings(struct request_context *context, const struct break_even *found)
{
    struct break_even_crossing *rows =
        arena_alloc(context->arena, (found->n_crossings + 1) * sizeof(*rows));

    for (size_t i = 0; i < found->n_crossings; i++)
        rows[i] = (struct break_even_crossing){found->crossings[i].month,
                                               found->crossings[i].cheaper_after};
    context_table(context, "crossings", rows, found->n_crossings, sizeof(*rows));
}

static void add_correction(struct request_context *context, struct request_context *plain,
                           const struct break_even_in *in, struct break_even_out *out)
{
    struct err err = {0};
    bool answered = plain && break_even_is_corrected(in) &&
                    plain->resource->answer(plain, plain->inputs.values, &err);

    break_even_fill_correction(context, in, answered ? break_even_figures(plain) : NULL, err.text,
                               out);
}

static void fill_lease(struct break_even_out *out, struct lease_books books)
{
    out->lease_class = books.class;
    out->lease_term_ratio = books.term_ratio;
    out->lease_present_value_ratio = books.present_value_ratio;
    out->lease_asset = books.asset;
    out->lease_sentence = books.sentence;
}

static bool answer(struct request_context *context, void *input, struct err *err)
{
    struct break_even_in *in = input;
    struct break_even *found = arena_alloc(context->arena, sizeof(*found));
    struct break_even_out *out = arena_alloc(context->arena, sizeof(*out));
    struct rules rules = {0};
    struct hosted_api_ledger bill = {0};
    struct request_context *plain = break_even_without_runs(context, in);
    const struct gpu *gpu;

    if (!lookup_gpu(context, "gpu", in->gpu, &gpu, err) ||
        !break_even_defaults(context, in, gpu, err)) {
        (void)lookup_names(context, err); /* report the other unknown names in the same reply */
        return false;
    }
    break_even_find(&in->own, found);
    if (hosted_price_is_known(&in->hosted_api))
        hosted_api_ledger(&in->hosted_api.api, &in->own, (int)in->own.horizon_months, &bill);
    const struct lines *lines = lines_of(context, in, &found->ledger, &bill);
    if (!check_lines(context, in, lines, err))
        return false;
    fill_verdict(context, out, found);
    fill_facility(out, &in->own, found);
    rule_out(context, in, out);
    if (!out->buy_ruled_out)
        break_even_check_published(context, in, gpu, found);
    out->sentence = break_even_sentence(context, found, out, in, gpu);
    fill_groups(out, found);
    fill_workload(out, in, found);
    if (!break_even_fill_hosted(context, in, gpu, &bill, out, err))
        return false;
    PRICE_BASIS_SET(out, in->basis);
    add_correction(context, plain, in, out);
    context_values(context, out);
    add_lines(context, in, lines);
    add_crossings(context, found);
    const struct investment *investment = break_even_appraise(context, in, found, out);
    fill_lease(out, lease_books_answer(context, &in->own));
    break_even_fill_interval(context, in, gpu, found, investment, out);
    break_even_negotiate(context, &in->own, out);
    break_even_compare_rents(context, in, gpu, found, out);
    if (!out->verdict)
        out->sentence = break_even_no_verdict(context, found, in, gpu);
    if (context->project && strcmp(context->project, "series") == 0)
        add_series(context, in, found);
    if (context->project && strcmp(context->project, "ledger") == 0)
        break_even_add_ledger(context, in, found, out->sentence);
    ownership_rules(&in->own, &rules);
    pricing_rules_of_thumb(context, &rules);
    break_even_warn(context, in, gpu, found);
    return true;
}

static enum cost cost_of(const void *in)
{
    return break_even_has_workload(in) ? COST_SHORT : COST_NONE;
}

const struct resource break_even_resource = {
    .name = "break_even",
    .headline = "buy_saving",
    .sentence_table = "ledger",
    .summary = "Buy or rent, and the month, utilization or rent at which the answer changes",
    .in = &in_fields,
    .in_size = sizeof(struct break_even_in),
    .out = &break_even_out_fields,
    .tables = {{"line_items", "line_item", &break_even_line_fields, NULL,
                "The ledger of all sides over the time frame"},
               {"series", "point", &break_even_point_fields, NULL,
                "The totals month by month, at /v1/break-even/series"},
               {"cash_flow", "month", &break_even_cash_flow_fields, NULL,
                "Payments on both sides month by month, at /v1/break-even/cash-flow"},
               {"ledger", "entry", &break_even_ledger_fields, NULL,
                "Both sides by month or by fiscal year, at /v1/break-even/ledger"},
               {"lease", "lease_month", &lease_books_fields, NULL,
                "A lease in the books month by month, at /v1/break-even/lease"},
               {"crossings", "crossing", &break_even_crossing_fields, NULL,
                "Every month at which the curves cross"},
               {"rent_options", "rent_option", &break_even_rent_options_fields, NULL,
                "The same GPUs rented on demand and reserved; none where you gave the rent"},
               OFFERS_USED_TABLE,
               EXPLANATIONS_TABLE,
               RULES_TABLE},
    .takes_model_config = true,
    .cost_of = cost_of,
    .work = "the plan of the workload",
    .smaller = "give gpu_count",
    .answer = answer,
};
