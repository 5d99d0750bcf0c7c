/* options.c - /v1/training-plan/options: ranks GPU types, counts and strategies. */
#include "api/training/options.h"

#include "api/catalog/own_runs.h"
#include "api/resource/currency.h"
#include "api/resource/gpu_warnings.h"
#include "api/resource/nearest_measurements.h"
#include "api/routes/resources.h"
#include "base/sort.h"
#include "base/units.h"

#include <math.h>
#include <string.h>

static const struct field in_rows[] = {
#define TRAINING_PLAN_ANY_GPU
#define FIELDS_OF struct training_plan_in
#include "base/field/rows.h"
#include "api/training/plan_in.def"
#include "base/field/end.h"
#define FIELDS_OF struct training_options_in
#include "base/field/rows.h"
#include "api/options/options_filter.def"
#include "api/training/options_in.def"
#include "base/field/end.h"
};
static const struct fields in_fields = FIELDS_INIT(in_rows);

#define TABLE training_options_out
#define TABLE_FILE "api/training/options_out.def"
#include "base/field/table.h"

#define TABLE training_options_row
#define TABLE_FILE "api/training/options_row.def"
#include "base/field/table.h"

#define RULED_OUT_REASONS                                                                         \
    "precision, figures, software, strategy, memory, deadline, budget or power; cost, amount or " \
    "limits: only options that nobody would choose, see gpus_left_out"
#define TABLE options_refusal
#define TABLE_FILE "api/options/options_ruled_out.def"
#define TABLE_ONLY
#include "base/field/table.h"

static struct training_cost bill_of(const struct options_question *question,
                                    const struct options_found *found)
{
    struct training_goal goal = training_options_goal(question, found);
    struct training_rental rental = {(double)NAN, 24};
    struct training_cost bill;

    training_cost(found->plan, &goal, &found->totals, &rental, &bill);
    return bill;
}

static void fill_price(struct training_options_row *row, const struct options_question *question,
                       const struct options_found *found)
{
    const struct training_goal *goal = question->candidates[found->candidate].goal;
    double n = found->plan->on.gpu_count;
    struct price_basis_fields basis;

    row->price_per_gpu_hour = training_price(goal, n);
    if (goal->book) {
        struct price price = price_match(goal->book, n, n);
        basis = pricing_basis(question->context, &price);
    } else {
        basis = pricing_own(context_given(question->context, "price_per_gpu_hour") ? PRICE_GIVEN
                                                                                   : PRICE_OWNED,
                            row->price_per_gpu_hour, n);
    }
    PRICE_BASIS_SET(row, basis);
}

static void fill_money(struct training_options_row *row, const struct options_question *question,
                       const struct options_found *found)
{
    struct training_cost bill = bill_of(question, found);

    fill_price(row, question, found);
    row->total_cost = bill.total_cost;
    row->total_cost_low = bill.total_cost_low;
    row->total_cost_high = bill.total_cost_high;
    row->on_frontier = found->on_frontier;
    row->confirmed = found->confirmed;
    row->meets_deadline = found->meets_deadline;
    row->within_budget = found->within_budget;
}

static void fill_figures(struct training_options_row *row, const struct options_question *question,
                         const struct options_found *found)
{
    const struct training_totals *totals = &found->totals;

    row->fits = found->plan->fits;
    row->tokens = found->tokens;
    row->parameters = floor(found->parameters);
    row->days = totals->days;
    row->days_low = totals->days_low;
    row->days_high = totals->days_high;
    row->gpu_hours = totals->gpu_hours;
    row->step_seconds = totals->step_seconds;
    row->model_flops_utilization = totals->model_flops_utilization;
    row->memory_per_gpu_gib = found->plan->memory.allocated / GIB;
    row->memory_capacity_gib = found->plan->memory.capacity / GIB;
    row->bound = training_bound(&found->plan->step);
    row->power_kw = training_question_power_kw(&question->questions[found->candidate],
                                               found->plan->on.gpu_count);
}

static void fill_correction(struct training_options_row *row,
                            const struct options_question *question,
                            const struct options_found *found)
{
    const struct training_correction *correction = &found->totals.correction;

    row->correction_factor = row->correction_run_count = (double)NAN;
    row->step_seconds_uncorrected = row->days_uncorrected = (double)NAN;
    if (!(correction->runs > 0))
        return;
    struct training_totals plain = training_options_uncorrected(question, found);
    row->correction_factor = correction->factor;
    row->correction_run_count = correction->runs;
    row->step_seconds_uncorrected = plain.step_seconds;
    row->days_uncorrected = plain.days;
}

static void fill_strategy(struct training_options_row *row, const struct training_strategy *on)
{
    row->gpu_count = on->gpu_count;
    row->tensor_parallel = on->tensor;
    row->pipeline_parallel = on->pipeline;
    row->virtual_stages = on->virtual_stages;
    row->context_parallel = on->context;
    row->expert_parallel = on->expert;
    row->data_parallel = on->data;
    row->zero_stage = on->zero_stage;
    row->micro_batch_sequences = on->micro_batch;
    row->global_batch_sequences = on->batch_sequences;
    row->recompute = training_recompute_name(on->recompute);
    row->sequence_parallel = on->sequence_parallel;
    row->data_parallel_shard = training_shard(on);
}

static void fill_nearest(struct training_options_row *row, const struct options_question *question,
                         const struct options_found *found)
{
    struct nearest_features asked =
        nearest_of_training(&question->questions[found->candidate].job, &found->plan->on);
    struct nearest_words words =
        nearest_measurements_words(question->context, question->evidence, &asked);

    NEAREST_SET(row, words);
}

static void fill_row(struct training_options_row *row, const struct options_question *question,
                     const struct options_found *found)
{
    const struct training_question *plan = &question->questions[found->candidate];

    row->gpu = plan->gpu->slug;
    row->precision = training_precision_name(plan->job.precision);
    fill_figures(row, question, found);
    fill_correction(row, question, found);
    fill_money(row, question, found);
    fill_strategy(row, &found->plan->on);
    fill_nearest(row, question, found);
    row->plan = training_options_plan_link(question, found);
}

/* Warns if no run of the set is similar to any option. */
static void warn_unlike(const struct options_question *question)
{
    const struct training_plan_in *in = &question->in->plan;

    for (size_t i = 0; i < question->n_found; i++)
        if (question->found[i].totals.correction.runs > 0)
            return;
    if (in->measurement_set && in->use_measurements != 0)
        own_runs_warn_unlike(question->context, in->measurement_set, NULL);
}

static void add_rows(struct options_question *question)
{
    struct request_context *context = question->context;
    const struct training_options_in *in = question->in;
    size_t n, n_far = 0;
    const size_t *listed = options_listed(&question->list, in->frontier_only == 1, in->per_gpu, &n);
    struct training_options_row *rows = arena_alloc(context->arena, (n + 1) * sizeof(*rows));

    for (size_t i = 0; i < n; i++) {
        fill_row(&rows[i], question, &question->found[listed[i]]);
        rows[i].rank = (double)(i + 1);
        n_far += rows[i].near_measurement == 0;
    }
    context_table(context, "options", rows, n, sizeof(*rows));
    nearest_measurements_warn(context, n_far, n, n && rows[0].near_measurement == 0);
    warn_unlike(question);
}

/* The first option that meets every limit; NULL if none does. */
static const struct options_found *best_of(const struct options_question *question)
{
    for (size_t i = 0; i < question->n_found; i++)
        if (training_options_will_do(question, &question->found[i]))
            return &question->found[i];
    return NULL;
}

/* Whether a cluster that would be faster is passed over, as it would idle for most of its rental.
 */
static bool passes_over_idle(const struct options_question *question,
                             const struct options_found *best)
{
    for (size_t i = 0; i < question->n_found; i++) {
        const struct options_found *found = &question->found[i];
        if (found->idle && !best->idle && found->confirmed == best->confirmed &&
            training_options_will_do(question, found) && found->totals.days < best->totals.days)
            return true;
    }
    return false;
}

/* Extra cost per day saved, compared with the best option; INFINITY unless the option meets the
 * limits, is confirmed if the best is, and takes at most half the time. */
static double price_of_sooner(const struct options_question *question,
                              const struct options_found *found, const struct options_found *best)
{
    double days = best->totals.days - found->totals.days;
    bool may = training_options_will_do(question, found) && found->confirmed >= best->confirmed &&
               found->totals.days <= best->totals.days / 2;

    return may && !isnan(found->cost) ? (found->cost - best->cost) / days : (double)INFINITY;
}

/* Without a deadline the cheapest may take months to save little. */
static const char *say_sooner(const struct options_question *question,
                              const struct options_found *best)
{
    const double soon = 1; /* days, as fast_enough_days of /v1/recommendation */
    struct request_context *context = question->context;
    const struct options_found *sooner = best;
    double least = (double)INFINITY, days;

    for (size_t i = 0; i < question->n_found; i++) {
        double price = price_of_sooner(question, &question->found[i], best);
        sooner = price < least ? &question->found[i] : sooner;
        least = fmin(least, price);
    }
    days = sooner->totals.days;
    const char *more = options_more_words(context->arena, sooner->cost, best->cost);
    if (sooner == best || !more || best->totals.days <= soon ||
        context_given(context, "deadline_days"))
        return "";
    return arena_print(context->arena, ". %s, %s x %s take%s %.*f days instead of %.*f", more,
                       context_count(context, sooner->plan->on.gpu_count),
                       question->questions[sooner->candidate].gpu->slug,
                       sooner->plan->on.gpu_count > 1 ? "" : "s", training_days_decimals(days),
                       days, training_days_decimals(best->totals.days), best->totals.days);
}

static const char *reason_of(const struct options_question *question,
                             const struct options_found *best)
{
    const struct training_plan_in *in = &question->in->plan;
    bool cost = strcmp(question->in->rank, "cost") == 0;
    const char *limits = !isnan(in->deadline_days) && !isnan(in->budget)
                             ? context_given(question->context, "deadline_days")
                                   ? " that meets the deadline within the budget"
                                   : " that finishes in the usual time within the budget: see "
                                     "deadline_days"
                         : context_given(question->context, "deadline_days")
                             ? " that meets the deadline"
                         : !isnan(in->budget) ? " within the budget"
                         : cost               ? " that finishes in the usual time: see "
                                                "deadline_days"
                                              : "; give budget for the fastest within it";

    if (question->maximize != MAXIMIZE_NOTHING)
        return question->maximize == MAXIMIZE_TOKENS ? "the most tokens" : "the largest model";
    size_t index;
    double less;
    bool passed_over = options_unconfirmed(&question->list, (size_t)(best - question->found), cost,
                                           &index, &less) &&
                       less > 0;
    return arena_print(
        question->context->arena, "the %s%s%s%s%s", cost ? "cheapest" : "fastest",
        passed_over ? " confirmed option" : "",
        !cost && passes_over_idle(question, best) ? " that works for most of its rental" : "",
        limits, cost ? say_sooner(question, best) : "");
}

static void fill_recommended(struct training_options_out *out, struct options_question *question,
                             const struct options_found *best)
{
    struct training_options_row row;

    if (!best)
        return;
    fill_row(&row, question, best);
    out->recommended_gpu = row.gpu;
    out->recommended_gpu_count = row.gpu_count;
    out->recommended_days = row.days;
    out->recommended_total_cost = row.total_cost;
    out->recommended_tokens = row.tokens;
    out->recommended_parameters = row.parameters;
    out->recommended_bound = row.bound;
    out->recommended_reason = reason_of(question, best);
    out->recommended_plan = row.plan;
}

/* Options that will do come first, then confirmed ones, then those with a price; clusters that idle
 * come last. */
static int compare_speed(const struct options_question *question, const struct options_found *a,
                         const struct options_found *b)
{
    int suits = training_options_will_do(question, b) - training_options_will_do(question, a);
    int priced = !isnan(b->cost) - !isnan(a->cost);

    return sort_first(sort_first(suits, b->confirmed - a->confirmed, priced), a->idle - b->idle,
                      sort_order(a->totals.days, b->totals.days));
}

static const struct options_found *fastest_of(const struct options_question *question)
{
    const struct options_found *fastest = NULL;

    for (size_t i = 0; i < question->n_found; i++) {
        const struct options_found *found = &question->found[i];
        if (!fastest || compare_speed(question, found, fastest) < 0)
            fastest = found;
    }
    return fastest;
}

static void fill_ends(struct training_options_out *out, const struct options_question *question)
{
    size_t i;

    if (question->maximize != MAXIMIZE_NOTHING) /* each trains a different model */
        return;
    if (options_least(&question->list, true, &i)) {
        const struct options_found *cheapest = &question->found[i];
        out->cheapest_gpu = question->questions[cheapest->candidate].gpu->slug;
        out->cheapest_gpu_count = cheapest->plan->on.gpu_count;
        out->cheapest_days = cheapest->totals.days;
        out->cheapest_total_cost = bill_of(question, cheapest).total_cost;
    }
    const struct options_found *fastest = fastest_of(question);
    if (fastest) {
        out->fastest_gpu = question->questions[fastest->candidate].gpu->slug;
        out->fastest_gpu_count = fastest->plan->on.gpu_count;
        out->fastest_days = fastest->totals.days;
        out->fastest_total_cost = bill_of(question, fastest).total_cost;
    }
}

static void fill_counts(struct training_options_out *out, const struct options_question *question)
{
    const struct option_list *list = &question->list;

    out->option_count = (double)question->n_found;
    out->frontier_count =
        question->maximize == MAXIMIZE_NOTHING ? (double)options_frontier_count(list) : (double)NAN;
    out->gpus_considered = (double)list->n_considered;
    out->gpus_ruled_out = (double)list->n_refusals;
    out->gpus_left_out =
        question->maximize == MAXIMIZE_NOTHING ? (double)list->n_left_out : (double)NAN;
    out->strategies_considered = (double)question->n_strategies;
}

/* Whether it misses a limit even at the low end of its days or cost. */
static bool misses(void *context, size_t i)
{
    const struct options_question *question = context;
    const struct options_found *found = &question->found[i];
    const struct training_plan_in *in = &question->in->plan;

    return (found->meets_deadline == 0 && found->totals.days_low > in->deadline_days) ||
           (found->within_budget == 0 && bill_of(question, found).total_cost_low > in->budget);
}

/* The options found, as the list and the chart need them. */
static void list_found(struct options_question *question)
{
    struct option_list *list = &question->list;

    list->n = question->n_found;
    list->limited = !isnan(question->in->plan.deadline_days);
    list->at = arena_alloc(question->context->arena, (list->n + 1) * sizeof(*list->at));
    for (size_t i = 0; i < list->n; i++) {
        const struct options_found *found = &question->found[i];
        list->at[i] = (struct option){
            .kind = found->candidate,
            .gpu = question->questions[found->candidate].gpu,
            .time = found->totals.days,
            .cost = found->cost,
            .on_frontier = found->on_frontier == 1,
            .confirmed = found->confirmed,
            .will_do = training_options_will_do(question, found),
            .gpu_count = found->plan->on.gpu_count,
            .amount = found->totals.gpu_hours,
        };
    }
    if (question->maximize == MAXIMIZE_NOTHING) /* otherwise each trains a different model */
        options_left_out(list, "GPU-hours", misses, question);
}

static const char *point_name(const void *context, size_t i)
{
    const struct options_question *question = context;
    const struct options_found *found = &question->found[i];

    return arena_print(question->context->arena, "%s x %s: %.4g days, %s",
                       context_count(question->context, found->plan->on.gpu_count),
                       question->list.at[i].gpu->slug, found->totals.days,
                       currency_amount(question->context, found->cost));
}

static void add_chart(const struct options_question *question)
{
    if (question->maximize == MAXIMIZE_NOTHING)
        options_chart(&question->list, &(struct options_chart){
                                           .title = arena_print(question->context->arena,
                                                                "Cost and days of training %s",
                                                                question->questions[0].model->name),
                                           .time_word = "time",
                                           .x_label = "Days",
                                           .y_label = "Cost, USD",
                                           .name = point_name,
                                           .context = question,
                                       });
}

static bool answer(struct request_context *context, void *input, struct err *err)
{
    struct options_question *question = arena_alloc(context->arena, sizeof(*question));
    struct training_options_out *out = arena_alloc(context->arena, sizeof(*out));

    question->context = context;
    question->in = input;
    question->evidence = evidence_of(context->catalog, context->arena);
    if (!training_options_read(question, err))
        return false;
    training_options_solve(question);
    if (cancelled(context->cancel))
        return false;
    list_found(question);
    const struct options_found *best = best_of(question);
    fields_clear(training_options_out_fields, out);
    fill_counts(out, question);
    fill_recommended(out, question, best);
    fill_ends(out, question);
    context_values(context, out);
    add_rows(question);
    context_table(context, "ruled_out", question->list.refusals, question->list.n_refusals,
                  sizeof(*question->list.refusals));
    add_chart(question);
    training_options_warn(question, best);
    return true;
}

static enum cost cost_of(const void *input)
{
    const struct training_options_in *in = input;

    return in->maximize && strcmp(in->maximize, "parameters") == 0 ? COST_LONG
                                                                   : options_cost(in->plan.gpu);
}

const struct resource training_options_resource = {
    .name = "training_plan_options",
    .headline = "recommended_total_cost",
    .summary = "Which GPUs, how many and in which configuration: every option ranked by cost or "
               "time",
    .in = &in_fields,
    .in_size = sizeof(struct training_options_in),
    .out = &training_options_out_fields,
    .tables = {{"options", "option", &training_options_row_fields, NULL, "The options, best first"},
               {"ruled_out", "ruled_out", &options_refusal_fields, NULL,
                "The GPU types ruled out, and why"}},
    .needs_model = true,
    .takes_model_config = true,
    .listed = true,
    .cost_of = cost_of,
    .work = "the search of training strategies for every GPU type",
    .smaller = "name fewer GPUs, or lower gpu_count_max",
    .answer = answer,
};
