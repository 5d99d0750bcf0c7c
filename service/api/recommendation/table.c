/* table.c - the options of the list as rows, and each figure compared with its limit. */
#include "api/inference/options_search.h"
#include "api/recommendation/hosted.h"
#include "api/recommendation/parse.h"
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

#define TABLE recommendation_reason
#define TABLE_FILE "api/recommendation/reason.def"
#include "base/field/table.h"

const struct fields recommendation_row_table = FIELDS_INIT(recommendation_row_rows);
const struct fields recommendation_reason_table = FIELDS_INIT(recommendation_reason_rows);

enum { REASONS_MAX = 16 }; /* of an option */

struct row_of {
    const struct recommendation *recommendation;
    const struct recommendation_option *option;
    struct recommendation_row *row;
    struct ownership own;       /* of the GPUs whose purchase is weighed */
    struct break_even *weighed; /* NULL where their ledger lacks a figure */
};

/* ---- each workload's part of a row: fields that begin with its name */

static const struct field *cell(const struct row_of *of, enum recommendation_workload workload,
                                const char *name)
{
    return fields_find(recommendation_row_fields,
                       arena_print(of->recommendation->context->arena, "%s_%s",
                                   recommendation_workload(workload), name));
}

static void set_text(struct row_of *of, enum recommendation_workload workload, const char *name,
                     const char *text)
{
    field_set_text(cell(of, workload, name), of->row, text);
}

static void set_number(struct row_of *of, enum recommendation_workload workload, const char *name,
                       double value)
{
    field_set_number(cell(of, workload, name), of->row, value);
}

/* Figures that belong to the option as a whole. */
static void fill_workload(struct row_of *of, enum recommendation_workload workload)
{
    const struct recommendation_part *part = recommendation_part(of->option, workload);
    const struct recommendation_configuration *way =
        recommendation_configuration_of(&of->recommendation->ask, of->option, workload);

    set_text(of, workload, "gpu", of->recommendation->kinds[part->kind].gpu->slug);
    set_number(of, workload, "gpu_count", way->gpu_count);
    set_text(of, workload, "purchase_option", recommendation_acquisition_name(part->means));
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

static void fill_job(struct row_of *of, enum recommendation_workload job)
{
    const struct options_found *found = recommendation_job(of->recommendation, of->option, job);

    const struct recommendation_part *part = recommendation_part(of->option, job);
    double spot =
        part->means == RECOMMENDATION_SPOT
            ? recommendation_configuration_of(&of->recommendation->ask, of->option, job)->spot_ratio
            : 0;

    set_number(of, job, "days", found->totals.days * (1 + spot));
    set_text(of, job, "bound", training_bound(&found->plan->step));
    set_number(of, job, "memory_per_gpu_gib", found->plan->memory.allocated / GIB);
    set_number(of, job, "memory_capacity_gib", found->plan->memory.capacity / GIB);
}

static void fill_service(struct row_of *of)
{
    const struct serving_option *serving = recommendation_serving(of->recommendation, of->option);
    const struct recommendation_part *part = recommendation_part(of->option, RECOMMENDATION_SERVE);
    struct recommendation_row *row = of->row;

    row->serve_weight_dtype = inference_options_dtype(of->recommendation->service, serving);
    row->serve_quantized = inference_options_quantized(of->recommendation->service, serving);
    row->serve_bound = serving->bound;
    row->serve_utilization = serving->utilization;
    double rented = recommendation_is_hourly(part->means)
                        ? recommendation_configuration_of(&of->recommendation->ask, of->option,
                                                          RECOMMENDATION_SERVE)
                              ->rented
                        : 1;
    row->serving_cost_per_month = serving->design.gpu_count * HOURS_PER_MONTH * rented *
                                  recommendation_price(of->recommendation, part);
}

static void fill_workloads(struct row_of *of)
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

static void fill_times(struct row_of *of)
{
    const struct recommendation_option *option = of->option;
    struct recommendation_row *row = of->row;

    row->gpu_count = option->gpu_count;
    row->days = option->days.middle;
    row->days_low = option->days.low;
    row->days_high = option->days.high;
    row->latency_p95_seconds_estimate = option->latency.middle;
    row->latency_p95_seconds_estimate_low = option->latency.low;
    row->latency_p95_seconds_estimate_high = option->latency.high;
    row->months_served = option->months_served;
    if (!of->recommendation->wanted[RECOMMENDATION_SERVE] || isnan(option->latency.low))
        return;
    struct serving_option serving = *recommendation_serving(of->recommendation, option);
    (void)inference_options_compare(of->recommendation->service, &serving);
    row->latency_p95_seconds_estimate_low = serving.latency.low;
    row->latency_p95_seconds_estimate_high = serving.latency.high;
}

double recommendation_job_cost(const struct recommendation *recommendation,
                               const struct recommendation_option *option,
                               enum recommendation_workload job)
{
    const struct recommendation_part *part = recommendation_part(option, job);
    const struct options_question *question = recommendation->jobs[job];
    const struct options_found *found = recommendation_job(recommendation, option, job);
    struct training_goal goal = training_options_goal(question, found);

    if (part->means == RECOMMENDATION_SPOT) {
        struct training_goal spot =
            training_question_on_spot(&question->questions[found->candidate],
                                      recommendation->kinds[part->kind].book[part->means]);
        goal.book = spot.book;
        goal.billing = spot.billing;
        goal.extras.spot.failures = spot.extras.spot.failures;
    } else if (part->means != RECOMMENDATION_ON_DEMAND) {
        goal.book = goal.billing = NULL;
        goal.price_per_gpu_hour = recommendation_price(recommendation, part);
    }
    return training_options_bill(question, found, &goal).total_cost;
}

static double jobs_cost(const struct row_of *of)
{
    double cost = 0;

    for (int w = 0; w < RECOMMENDATION_JOBS; w++)
        if (of->recommendation->wanted[w])
            cost += recommendation_job_cost(of->recommendation, of->option,
                                            (enum recommendation_workload)w);
    return cost;
}

static bool has_jobs(const struct recommendation *recommendation)
{
    return recommendation->wanted[RECOMMENDATION_TRAIN] ||
           recommendation->wanted[RECOMMENDATION_FINETUNE];
}

static void fill_money(struct row_of *of)
{
    const struct recommendation_option *option = of->option;
    struct recommendation_row *row = of->row;

    row->total_cost = option->total.middle;
    if (has_jobs(of->recommendation))
        row->delay_cost = option->delay_cost;
    row->payments = option->payments.middle;
    row->payments_high = option->payments.high;
    struct range providers = recommendation_total_over_providers(&of->recommendation->ask, option);
    struct range prices = recommendation_total_over_prices(&of->recommendation->ask, option);
    row->total_cost_low = option->total.low + prices.low - option->total.middle;
    row->total_cost_high = option->total.high + prices.high - option->total.middle;
    row->total_cost_cheapest_provider = providers.low;
    row->total_cost_dearest_provider = providers.high;
    if (has_jobs(of->recommendation))
        row->training_cost = jobs_cost(of);
}

static void fill_verdicts(struct row_of *of)
{
    const struct recommendation *recommendation = of->recommendation;
    const struct recommendation_in *in = recommendation->in;
    const struct recommendation_option *option = of->option;
    struct recommendation_row *row = of->row;

    if (!isnan(in->budget) || !isnan(in->budget_per_month))
        row->within_budget = option->paid && option->paid_monthly;
    if (has_jobs(recommendation))
        row->meets_deadline = option->in_time;
    if (recommendation->service && inference_options_limited(recommendation->service))
        row->meets_latency = option->quick;
    row->power_kw = option->power_kw;
    row->cloud_credits_used = 0;
    for (size_t i = 0; i < option->n_parts; i++)
        row->cloud_credits_used += option->parts[i].credits_used;
    if (!isnan(in->power_budget_kw))
        row->within_power_budget = option->powered;
    row->within_limits_at_high = option->within_high;
    row->on_frontier = option->on_frontier;
}

static void weigh(struct row_of *of)
{
    const struct recommendation *recommendation = of->recommendation;
    const struct recommendation_part *part = recommendation_weighed(recommendation, of->option);
    struct recommendation_row *row = of->row;

    of->weighed = NULL;
    if (!recommendation_ledger(&recommendation->ask, part, &of->own))
        return;
    row->break_even = recommendation_break_even_link(recommendation, part);
    of->weighed = arena_alloc(recommendation->context->arena, sizeof(*of->weighed));
    break_even_find(&of->own, of->weighed);
    row->break_even_months = of->weighed->months;
    row->break_even_status = of->weighed->status;
    row->break_even_utilization = of->weighed->utilization.value;
    row->break_even_rent_price_per_gpu_hour = of->weighed->rent_price_per_gpu_hour.value;
}

/* ---- reasons */

struct reasons {
    struct recommendation_reason *at;
    size_t n;
};

/* A figure with its unit for a sentence: "2,048 USD", "2.79 USD per GPU-hour". */
static const char *figure_text(const struct row_of *of, double value, const char *unit)
{
    const double whole = 1000;
    struct request_context *context = of->recommendation->context;

    if (isnan(value))
        return "none";
    if (!unit[0])
        return arena_print(context->arena, "%.3g%%", 100 * value);
    unit = currency_text(context, unit);
    const char *per = strchr(unit, '/');
    const char *number = fabs(value) >= whole ? context_count(context, value)
                         : per                ? arena_print(context->arena, "%.2f", value)
                                              : arena_print(context->arena, "%.4g", value);
    return per ? arena_print(context->arena, "%s %.*s per %s", number, (int)(per - unit), unit,
                             per + 1)
               : arena_print(context->arena, "%s %s", number, unit);
}

/* A figure, its threshold, and a sentence that says both. */
static void add_reason(const struct row_of *of, struct reasons *reasons, const char *code,
                       double value, double threshold, const char *unit, const char *sentence)
{
    bool known = !isnan(value) && !isnan(threshold);

    reasons->at[reasons->n++] = (struct recommendation_reason){
        .option = of->row->rank,
        .code = code,
        .value = value,
        .threshold = threshold,
        .unit = currency_text(of->recommendation->context, unit),
        .kept = known ? value <= threshold : (double)NAN,
        .sentence = sentence,
    };
}

static void add_limit(const struct row_of *of, struct reasons *reasons, const char *code,
                      double value, double limit, const char *unit, const char *what)
{
    if (!isnan(value) || !isnan(limit))
        add_reason(of, reasons, code, value, limit, unit,
                   arena_print(of->recommendation->context->arena, "%s: %s; limit: %s", what,
                               figure_text(of, value, unit), figure_text(of, limit, unit)));
}

static void add_limits(const struct row_of *of, struct reasons *reasons)
{
    const struct recommendation_in *in = of->recommendation->in;
    const struct recommendation_row *row = of->row;

    if (!isnan(in->budget))
        add_limit(of, reasons, "budget", row->payments, in->budget, "USD",
                  "paid over the time frame");
    if (!isnan(in->budget_per_month))
        add_limit(of, reasons, "budget_per_month", row->payments / in->horizon_months,
                  in->budget_per_month, "USD/month", "paid on average");
    if (!isnan(in->power_budget_kw))
        add_limit(of, reasons, "power", row->power_kw, in->power_budget_kw, "kW",
                  "drawn at your meter at most");
    if (has_jobs(of->recommendation))
        add_limit(of, reasons, "deadline", row->days, in->deadline_days, "days", "training time");
    if (!isnan(in->latency_p95_seconds))
        add_limit(of, reasons, "latency_p95", row->latency_p95_seconds_estimate,
                  in->latency_p95_seconds, "s", "response time of 95% of requests");
    if (of->recommendation->wanted[RECOMMENDATION_TRAIN])
        add_limit(of, reasons, "train_memory", row->train_memory_per_gpu_gib,
                  row->train_memory_capacity_gib, "GiB", "memory that training uses on each GPU");
    if (of->recommendation->wanted[RECOMMENDATION_FINETUNE])
        add_limit(of, reasons, "finetune_memory", row->finetune_memory_per_gpu_gib,
                  row->finetune_memory_capacity_gib, "GiB",
                  "memory that fine-tuning uses on each GPU");
}

/* Buying compared with renting the same GPUs: at the horizon, and where the verdict turns. */
static void add_turns(const struct row_of *of, struct reasons *reasons)
{
    const struct break_even *weighed = of->weighed;

    if (!weighed || isnan(weighed->ledger.buy_total) || isnan(weighed->ledger.rent_total))
        return;
    struct arena *arena = of->recommendation->context->arena;
    double month = weighed->months, used = of->own.utilization;
    double rent = of->own.rent_price_per_gpu_hour;
    const struct threshold *utilization = &weighed->utilization;
    const struct threshold *price = &weighed->rent_price_per_gpu_hour;

    add_reason(of, reasons, "buy_or_rent", weighed->ledger.buy_total, weighed->ledger.rent_total,
               "USD",
               arena_print(arena, "buying these GPUs costs %s, renting them %s",
                           figure_text(of, weighed->ledger.buy_total, "USD"),
                           figure_text(of, weighed->ledger.rent_total, "USD")));
    add_reason(of, reasons, "break_even_months", month, of->own.horizon_months, "months",
               isnan(month)
                   ? arena_print(arena, "buying costs more than renting throughout all %.0f months",
                                 weighed->search_months)
                   : arena_print(arena, "buying becomes cheaper in month %.3g", month));
    add_reason(of, reasons, "break_even_utilization", utilization->value, used, "",
               isnan(utilization->value)
                   ? arena_print(arena, "no utilization changes that; here it is %s",
                                 figure_text(of, used, ""))
                   : arena_print(arena, "that changes at a utilization of %s; here it is %s",
                                 figure_text(of, utilization->value, ""),
                                 figure_text(of, used, "")));
    add_reason(of, reasons, "break_even_rent_price", price->value, rent, "USD/GPU-hour",
               isnan(price->value)
                   ? arena_print(arena, "no rent changes that; here it is %s",
                                 figure_text(of, rent, "USD/GPU-hour"))
                   : arena_print(arena, "that changes at a rent of %s; here it is %s",
                                 figure_text(of, price->value, "USD/GPU-hour"),
                                 figure_text(of, rent, "USD/GPU-hour")));
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
static const char *availability_of(const struct row_of *of)
{
    const char *availability = NULL;

    for (size_t i = 0; i < of->option->n_parts; i++) {
        const struct recommendation_part *part = &of->option->parts[i];
        if (part->means >= RECOMMENDATION_BOUGHT)
            continue;
        if (part->doubt == RECOMMENDATION_NOT_OFFERED)
            return "unknown";
        availability = "offered";
    }
    return availability;
}

/* Of the GPUs whose purchase is weighed: what they are rented for. */
static void fill_basis(struct row_of *of)
{
    const struct recommendation *recommendation = of->recommendation;
    const struct recommendation_part *part = recommendation_weighed(recommendation, of->option);
    struct price price = recommendation_part_price(&recommendation->ask, part);
    struct price_basis_fields basis = pricing_basis(recommendation->context, &price);

    if (part->means >= RECOMMENDATION_BOUGHT)
        basis = pricing_own(PRICE_OWNED, recommendation_price(recommendation, part),
                            gpu_in_servers(part->gpu_count,
                                           recommendation_part_server(&recommendation->ask, part)));
    PRICE_BASIS_SET(of->row, basis);
    of->row->availability = availability_of(of);
    of->row->confirmed = of->option->confirmed;
    of->row->housing = recommendation_housing(of->recommendation, of->option);
}

static void fill_row(struct row_of *of)
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
    row->payments = row->payments_high = hosted->payments;
    row->serving_cost_per_month = hosted_api_cost_per_month(&hosted->choice.api);
    row->months_served = in->horizon_months;
    if (!isnan(in->budget) || !isnan(in->budget_per_month))
        row->within_budget =
            recommendation_keeps(hosted->payments, in->budget) &&
            recommendation_keeps(hosted->payments, in->budget_per_month * in->horizon_months);
}

const struct recommendation_row *recommendation_add_rows(struct recommendation *recommendation)
{
    const struct hosted_row *hosted = recommendation->hosted;
    struct request_context *context = recommendation->context;
    const struct recommendation_list *list = &recommendation->list;
    struct recommendation_row *rows = arena_alloc(context->arena, (list->n + 1) * sizeof(*rows));
    size_t n = list->n;
    struct reasons reasons = {
        arena_alloc(context->arena, (list->n + 1) * REASONS_MAX * sizeof(*reasons.at)), 0};

    for (size_t i = 0; i < list->n; i++) {
        struct row_of of = {
            .recommendation = recommendation, .option = &list->at[i], .row = &rows[i]};
        fields_clear(recommendation_row_fields, &rows[i]);
        rows[i].rank = (double)(i + 1);
        fill_row(&of);
        add_limits(&of, &reasons);
        add_turns(&of, &reasons);
    }
    if (hosted && hosted_price_is_known(&hosted->choice)) {
        fields_clear(recommendation_row_fields, &rows[n]);
        fill_hosted(recommendation, hosted, &rows[n++]);
        rows[n - 1].rank = (double)n;
    }
    context_table(context, "options", rows, n, sizeof(*rows));
    context_table(context, "reasons", reasons.at, reasons.n, sizeof(*reasons.at));
    return rows;
}
