/* table.c - the options of the list as rows. */
#include "api/inference/options_search.h"
#include "api/recommendation/hosted.h"
#include "api/recommendation/parse.h"
#include "api/recommendation/reasons.h"
#include "api/recommendation/search.h"
#include "api/recommendation/wording.h"

#include "api/resource/currency.h"
#include "api/training/plan_extras.h"
#include "base/units.h"
#include "estimate/break_even/break_even.h"
#include "estimate/recommendation/option.h"
#include "estimate/recommendation/shared_cluster.h"

#include <math.h>
#include <string.h>

#define TABLE recommendation_row
#define TABLE_FILE "api/recommendation/row.def"
#define TABLE_ONLY
#include "base/field/table.h"

const struct fields recommendation_row_table = FIELDS_INIT(recommendation_row_rows);

/* ---- each workload's part of a row: fields that begin with its name */

static const struct field *cell(const struct recommendation_row_of *of,
                                enum recommendation_workload workload, const char *name)
{
    return fields_find(recommendation_row_fields,
                       arena_print(of->recommendation->context->arena, "%s_%s",
                                   recommendation_workload(workload), name));
}

static void set_text(struct recommendation_row_of *of, enum recommendation_workload workload,
                     const char *name, const char *text)
{
    field_set_text(cell(of, workload, name), of->row, text);
}

static void set_number(struct recommendation_row_of *of, enum recommendation_workload workload,
                       const char *name, double value)
{
    field_set_number(cell(of, workload, name), of->row, value);
}

/* Figures that belong to the option as a whole. */
static void fill_workload(struct recommendation_row_of *of, enum recommendation_workload workload)
{
    const struct recommendation_part *part = recommendation_part(of->option, workload);
    const struct recommendation_configuration *configuration =
        recommendation_configuration_of(&of->recommendation->ask, of->option, workload);

    set_text(of, workload, "gpu", of->recommendation->gpu_types[part->gpu_type].gpu->slug);
    set_number(of, workload, "gpu_count", configuration->gpu_count);
    set_text(of, workload, "purchase_option", recommendation_acquisition_name(part->acquisition));
    set_text(of, workload, "plan",
             recommendation_plan_link(of->recommendation, of->option, workload));
    struct recommendation_correction correction =
        recommendation_correction(of->recommendation, of->option, workload);
    set_number(of, workload, "correction_factor", correction.factor);
    set_number(of, workload, "correction_run_count", correction.runs);
    set_number(of, workload,
               workload == RECOMMENDATION_SERVE ? "latency_p95_seconds_estimate_uncorrected"
                                                : "days_uncorrected",
               correction.without);
}

static void fill_job(struct recommendation_row_of *of, enum recommendation_workload job)
{
    const struct options_found *found = recommendation_job(of->recommendation, of->option, job);

    const struct recommendation_part *part = recommendation_part(of->option, job);
    double spot =
        part->acquisition == RECOMMENDATION_SPOT
            ? recommendation_configuration_of(&of->recommendation->ask, of->option, job)->spot_ratio
            : 0;

    set_number(of, job, "days", found->totals.days * (1 + spot));
    set_text(of, job, "bound", training_bound(&found->plan->step));
    set_number(of, job, "memory_per_gpu_gib", found->plan->memory.allocated / GIB);
    set_number(of, job, "memory_capacity_gib", found->plan->memory.capacity / GIB);
}

static void fill_service(struct recommendation_row_of *of)
{
    const struct serving_option *serving = recommendation_serving(of->recommendation, of->option);
    const struct recommendation_part *part = recommendation_part(of->option, RECOMMENDATION_SERVE);
    struct recommendation_row *row = of->row;

    row->serve_weight_dtype = inference_options_dtype(of->recommendation->service, serving);
    row->serve_quantized = inference_options_quantized(of->recommendation->service, serving);
    row->serve_bound = serving->bound;
    row->serve_utilization = serving->utilization;
    double rented = recommendation_is_hourly(part->acquisition)
                        ? recommendation_configuration_of(&of->recommendation->ask, of->option,
                                                          RECOMMENDATION_SERVE)
                              ->rented
                        : 1;
    double hours = serving->design.gpu_count * HOURS_PER_MONTH * rented;
    struct range price = recommendation_price_range(of->recommendation, part);
    row->serving_cost_per_month = hours * price.middle;
    row->serving_cost_per_month_low = hours * price.low;
    row->serving_cost_per_month_high = hours * price.high;
}

static void fill_workloads(struct recommendation_row_of *of)
{
    for (int w = 0; w < RECOMMENDATION_WORKLOADS; w++) {
        if (!of->recommendation->wanted[w])
            continue;
        fill_workload(of, (enum recommendation_workload)w);
        if (w < RECOMMENDATION_JOBS)
            fill_job(of, (enum recommendation_workload)w);
        else
            fill_service(of);
    }
}

/* ---- times, money, verdicts */

static void fill_times(struct recommendation_row_of *of)
{
    const struct recommendation_option *option = of->option;
    struct recommendation_row *row = of->row;

    row->gpu_count = option->gpu_count;
    RANGE_SET(row, days, option->days);
    RANGE_SET(row, latency_p95_seconds_estimate, option->latency);
    row->months_served = option->months_served;
    if (!of->recommendation->wanted[RECOMMENDATION_SERVE] || isnan(option->latency.low))
        return;
    struct serving_option serving = *recommendation_serving(of->recommendation, option);
    inference_options_range(of->recommendation->service, &serving);
    (void)inference_options_compare(of->recommendation->service, &serving);
    row->latency_p95_seconds_estimate_low = serving.latency.low;
    row->latency_p95_seconds_estimate_high = serving.latency.high;
}

struct range recommendation_job_cost(const struct recommendation *recommendation,
                                     const struct recommendation_option *option,
                                     enum recommendation_workload job)
{
    const struct recommendation_part *part = recommendation_part(option, job);
    const struct options_question *question = recommendation->jobs[job];
    const struct options_found *found = recommendation_job(recommendation, option, job);
    struct training_goal goal = training_options_goal(question, found);

    if (part->acquisition == RECOMMENDATION_SPOT) {
        struct training_goal spot = training_question_on_spot(
            &question->questions[found->candidate],
            recommendation->gpu_types[part->gpu_type].book[part->acquisition]);
        goal.book = spot.book;
        goal.billing = spot.billing;
        goal.extras.spot.failures = spot.extras.spot.failures;
    } else if (part->acquisition != RECOMMENDATION_ON_DEMAND) {
        struct range price = recommendation_price_range(recommendation, part);
        goal.book = goal.billing = NULL;
        goal.price_per_gpu_hour = price.middle;
        goal.price_low_ratio = price.low / price.middle;
        goal.price_high_ratio = price.high / price.middle;
    }
    struct training_cost bill = training_options_bill(question, found, &goal);
    return (struct range){
        .low = bill.total_cost_low, .middle = bill.total_cost, .high = bill.total_cost_high};
}

static void fill_jobs_cost(const struct recommendation_row_of *of)
{
    struct recommendation_row *row = of->row;

    row->training_cost = row->training_cost_low = row->training_cost_high = 0;
    for (int w = 0; w < RECOMMENDATION_JOBS; w++) {
        if (!of->recommendation->wanted[w])
            continue;
        struct range cost = recommendation_job_cost(of->recommendation, of->option,
                                                    (enum recommendation_workload)w);
        row->training_cost += cost.middle;
        row->training_cost_low += cost.low;
        row->training_cost_high += cost.high;
    }
}

static void fill_money(struct recommendation_row_of *of)
{
    const struct recommendation_option *option = of->option;
    struct recommendation_row *row = of->row;

    row->total_cost = option->total.middle;
    if (recommendation_has_jobs(of->recommendation))
        row->delay_cost = option->delay_cost;
    row->payments = option->payments.middle;
    struct range providers = recommendation_total_over_providers(&of->recommendation->ask, option);
    struct recommendation_money low = recommendation_end(&of->recommendation->ask, option, false);
    struct recommendation_money high = recommendation_end(&of->recommendation->ask, option, true);
    /* What credits pay in full differs from the middle only by rounding, and they pay no more. */
    double least = recommendation_uses_credits(option) ? 0 : -(double)INFINITY;
    row->total_cost_low = fmin(row->total_cost, fmax(least, option->total.low + low.total));
    row->total_cost_high = fmax(row->total_cost, option->total.high + high.total);
    row->payments_low = fmin(row->payments, fmax(least, option->payments.low + low.payments));
    row->payments_high = fmax(row->payments, option->payments.high + high.payments);
    row->total_cost_cheapest_provider = providers.low;
    row->total_cost_dearest_provider = providers.high;
    if (recommendation_has_jobs(of->recommendation))
        fill_jobs_cost(of);
}

static void fill_verdicts(struct recommendation_row_of *of)
{
    const struct recommendation *recommendation = of->recommendation;
    const struct recommendation_in *in = recommendation->in;
    const struct recommendation_option *option = of->option;
    struct recommendation_row *row = of->row;

    if (!isnan(in->budget) || !isnan(in->budget_per_month))
        row->within_budget = option->paid && option->paid_monthly;
    if (recommendation_has_jobs(recommendation))
        row->meets_deadline = option->in_time;
    if (recommendation->service && inference_options_limited(recommendation->service))
        row->meets_latency = option->quick;
    row->power_kw = option->power_kw;
    row->cloud_credits_used = 0;
    for (size_t i = 0; i < option->n_parts; i++)
        row->cloud_credits_used += option->parts[i].credits_used;
    if (!isnan(in->power_budget_kw))
        row->within_power_budget = option->powered;
    row->electricity_kwh = option->electricity_kwh;
    row->carbon_tonnes = option->electricity_kwh * in->grid_carbon_kg_per_kwh / 1000;
    row->within_limits_at_high = option->within_high;
    row->on_frontier = option->on_frontier;
}

static void weigh(struct recommendation_row_of *of)
{
    const struct recommendation *recommendation = of->recommendation;
    const struct recommendation_part *part = recommendation_weighed(recommendation, of->option);
    struct recommendation_row *row = of->row;

    of->weighed = NULL;
    /* A break-even charges whole months, a brief part only its hours: their costs would differ. */
    if (!recommendation_ledger(&recommendation->ask, part, &of->own) ||
        recommendation_part_is_brief(part))
        return;
    row->break_even = recommendation_break_even_link(recommendation, part);
    of->weighed = arena_alloc(recommendation->context->arena, sizeof(*of->weighed));
    break_even_find(&of->own, of->weighed);
    row->break_even_months = of->weighed->months;
    row->break_even_status = of->weighed->status;
    row->break_even_utilization = of->weighed->utilization.value;
    row->break_even_rent_price_per_gpu_hour = of->weighed->rent_price_per_gpu_hour.value;
}

/* ---- rows */

static const char *roles_of(struct arena *arena, unsigned roles)
{
    static const struct {
        unsigned role;
        const char *word;
    } words[] = {
        {RECOMMENDATION_CHEAPEST, "cheapest"},       {RECOMMENDATION_BEST_VALUE, "best_value"},
        {RECOMMENDATION_FASTEST, "fastest"},         {RECOMMENDATION_BUY, "buy"},
        {RECOMMENDATION_MIXED, "mixed_rent"},        {RECOMMENDATION_SMALLEST, "smallest"},
        {RECOMMENDATION_USES_OWN, "in_hand"},        {RECOMMENDATION_ONE_KIND, "one_kind"},
        {RECOMMENDATION_NEAREST, "nearest"},         {RECOMMENDATION_UNCONFIRMED, "unconfirmed"},
        {RECOMMENDATION_AT_HIGH, "cheapest_at_high"}};
    const char *text = "";

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (roles & words[i].role)
            text = arena_print(arena, "%s%s%s", text, text[0] ? "," : "", words[i].word);
    return text;
}

/* "unknown" if a rent in the option is not offered, else "offered"; NULL if nothing is rented. */
static const char *availability_of(const struct recommendation_row_of *of)
{
    const char *availability = NULL;

    for (size_t i = 0; i < of->option->n_parts; i++) {
        const struct recommendation_part *part = &of->option->parts[i];
        if (part->acquisition >= RECOMMENDATION_BOUGHT)
            continue;
        if (part->doubt == PRICE_NOT_OFFERED)
            return "unknown";
        availability = "offered";
    }
    return availability;
}

/* The longest of the shortest rentals in the option; NAN if nothing is rented. */
static double term_days_of(const struct recommendation_row_of *of)
{
    double days = (double)NAN;

    for (size_t i = 0; i < of->option->n_parts; i++) {
        const struct recommendation_part *part = &of->option->parts[i];
        struct price rent = recommendation_part_price(&of->recommendation->ask, part);
        if (part->acquisition < RECOMMENDATION_BOUGHT && rent.n_offers)
            days = fmax(days, rent.term_hours / HOURS_PER_DAY);
    }
    return days;
}

/* The rent price basis of the GPUs whose purchase is evaluated. */
static void fill_basis(struct recommendation_row_of *of)
{
    const struct recommendation *recommendation = of->recommendation;
    const struct recommendation_part *part = recommendation_weighed(recommendation, of->option);
    struct price price = recommendation_part_price(&recommendation->ask, part);
    struct price_basis_fields basis = pricing_basis(recommendation->context, &price);

    if (part->acquisition >= RECOMMENDATION_BOUGHT)
        basis = pricing_own(PRICE_OWNED, recommendation_price(recommendation, part),
                            gpu_in_servers(part->gpu_count,
                                           recommendation_part_server(&recommendation->ask, part)));
    PRICE_BASIS_SET(of->row, basis);
    of->row->availability = availability_of(of);
    of->row->minimum_term_days = term_days_of(of);
    of->row->confirmed = of->option->confirmed;
    of->row->housing = recommendation_housing(of->recommendation, of->option);
}

static void fill_row(struct recommendation_row_of *of)
{
    const struct recommendation *recommendation = of->recommendation;
    struct recommendation_row *row = of->row;

    row->roles = roles_of(recommendation->context->arena, of->option->roles);
    row->gpu = recommendation_gpus(recommendation, of->option);
    row->acquisition = recommendation_acquisition(of->option);
    row->sentence = recommendation_sentence(recommendation, of->option);
    fill_times(of);
    fill_money(of);
    fill_basis(of);
    fill_verdicts(of);
    weigh(of);
    fill_workloads(of);
}

/* Its times are unknown, and its cost does not depend on GPUs. */
static void fill_hosted(const struct recommendation *recommendation,
                        const struct hosted_row *hosted, struct recommendation_row *row)
{
    const struct recommendation_in *in = recommendation->in;

    row->roles = row->acquisition = "hosted";
    row->sentence = hosted->figures.hosted_sentence;
    row->total_cost = hosted->bill.total;
    row->total_cost_low = row->total_cost_cheapest_provider = hosted->figures.hosted_total_cost_low;
    row->total_cost_high = row->total_cost_dearest_provider =
        hosted->figures.hosted_total_cost_high;
    row->serving_cost_per_month = hosted_api_cost_per_month(&hosted->choice.api);
    row->serving_cost_per_month_low = hosted->figures.hosted_cost_per_month_low;
    row->serving_cost_per_month_high = hosted->figures.hosted_cost_per_month_high;
    row->payments = hosted->payments;
    row->payments_low =
        row->payments * row->serving_cost_per_month_low / row->serving_cost_per_month;
    row->payments_high =
        row->payments * row->serving_cost_per_month_high / row->serving_cost_per_month;
    row->months_served = in->horizon_months;
    if (!isnan(in->budget) || !isnan(in->budget_per_month))
        row->within_budget =
            recommendation_keeps(hosted->payments, in->budget) &&
            recommendation_keeps(hosted->payments, in->budget_per_month * in->horizon_months);
}

/* True if the other row is at least as good in cost, time, risk and energy, and better in one. An
 * unknown figure is neither better nor worse. */
static bool is_dominated(const struct recommendation_row *row,
                         const struct recommendation_row *other)
{
    const double differences[] = {other->total_cost - row->total_cost, other->days - row->days,
                                  other->latency_p95_seconds_estimate -
                                      row->latency_p95_seconds_estimate,
                                  other->total_cost_high - row->total_cost_high,
                                  other->electricity_kwh - row->electricity_kwh};
    bool better = false;

    for (size_t i = 0; i < sizeof(differences) / sizeof(differences[0]); i++) {
        if (differences[i] > 0)
            return false;
        better |= differences[i] < 0;
    }
    return better;
}

static void set_pareto_optimal(struct recommendation_row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        rows[i].pareto_optimal = 1;
        for (size_t k = 0; k < n; k++)
            rows[i].pareto_optimal *= !is_dominated(&rows[i], &rows[k]);
    }
}

const struct recommendation_row *recommendation_add_rows(struct recommendation *recommendation)
{
    const struct hosted_row *hosted = recommendation->hosted;
    struct request_context *context = recommendation->context;
    const struct recommendation_list *list = &recommendation->list;
    struct recommendation_row *rows = arena_alloc(context->arena, (list->n + 1) * sizeof(*rows));
    size_t n = list->n;
    struct recommendation_row_of *of = arena_alloc(context->arena, (list->n + 1) * sizeof(*of));

    for (size_t i = 0; i < list->n; i++) {
        of[i] = (struct recommendation_row_of){
            .recommendation = recommendation, .option = &list->at[i], .row = &rows[i]};
        fields_clear(recommendation_row_fields, &rows[i]);
        rows[i].rank = (double)(i + 1);
        fill_row(&of[i]);
    }
    set_pareto_optimal(rows, list->n);
    if (hosted && hosted_price_is_known(&hosted->choice)) {
        fields_clear(recommendation_row_fields, &rows[n]);
        fill_hosted(recommendation, hosted, &rows[n++]);
        rows[n - 1].rank = (double)n;
    }
    context_table(context, "options", rows, n, sizeof(*rows));
    recommendation_add_reasons(of, list->n, context);
    return rows;
}
