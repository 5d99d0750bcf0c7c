/* gpu_count.c - chooses the number of GPUs: the fewest that fit, the fewest that meet a deadline,
 * or the fastest run within a budget; and computes a plan's totals. */
#include "estimate/training/plan/search.h"

#include "base/minmax.h"
#include "base/number.h"
#include "base/units.h"
#include "estimate/figures/range.h"
#include "estimate/training/plan/bill.h"
#include "estimate/training/plan/interval.h"
#include "estimate/training/plan/search_space.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A given utilization has no estimation error. */
static struct training_correction correction_of(const struct training_job *job,
                                                const struct training_plan *plan,
                                                const struct training_goal *goal)
{
    if (!goal->residuals.correct || !isnan(goal->model_flops_utilization))
        return (struct training_correction){1, 1, 0};
    return goal->residuals.correct(goal->residuals.runs, job, plan);
}

/* A given utilization has no interval. A run of one's own was made with the plan's settings. */
static struct training_interval interval_of(const struct training_job *job,
                                            const struct training_plan *plan,
                                            const struct training_phases *phases,
                                            const struct training_correction *correction,
                                            double model_flops_utilization, bool of_published)
{
    bool corrected = correction->runs > 0;

    if (!isnan(model_flops_utilization))
        return (struct training_interval){1, 1};
    struct training_interval of =
        training_interval_of(job, plan, phases, of_published && !corrected);
    if (!corrected)
        return of;
    return (struct training_interval){pow(of.low, correction->interval_exponent),
                                      pow(of.high, correction->interval_exponent)};
}

/* Completes the days of the steps, whose interval is given by factors, to those of the run. */
static void add_setup(struct training_totals *totals, double n, const struct training_interval *of,
                      double setup_seconds)
{
    double steps = totals->days, setup = setup_seconds / SECONDS_PER_DAY;

    totals->days = steps + setup;
    totals->days_low = of->low * steps + setup;
    totals->days_high = of->high * steps + setup;
    totals->setup_gpu_hours = HOURS_PER_DAY * n * setup;
    totals->gpu_hours = HOURS_PER_DAY * n * totals->days;
    totals->gpu_hours_low = HOURS_PER_DAY * n * totals->days_low;
    totals->gpu_hours_high = HOURS_PER_DAY * n * totals->days_high;
}

struct training_totals training_totals(const struct training_job *job,
                                       const struct training_plan *plan,
                                       const struct training_goal *goal)
{
    struct training_phases phases =
        training_phases_of(job, &plan->on, &plan->step, &plan->memory, goal->rollout);
    double n = plan->on.gpu_count, peak = n * training_peak(job->gpu, job->precision);
    double tokens = plan->on.batch_sequences * job->sequence_tokens;
    double flop = training_flop_per_token(job), mfu = goal->model_flops_utilization;
    struct training_correction correction = correction_of(job, plan, goal);
    double whole =
        correction.factor * plan->step.seconds + phases.forward + phases.critic + phases.generation;
    double seconds = isnan(mfu) ? whole : tokens * flop / (peak * mfu);
    struct training_interval step = interval_of(job, plan, &phases, &correction, mfu, true);
    struct training_interval run = step;
    double calendar = goal->calendar.ratio;
    struct training_totals totals = {
        .phases = phases,
        .step_seconds = seconds,
        .step_seconds_low = step.low * seconds,
        .step_seconds_high = step.high * seconds,
        .model_flops_utilization = tokens * flop / (peak * seconds),
        .model_tflops_per_gpu = tokens * flop / (n * seconds) / 1e12,
        .tokens_per_second_per_gpu = tokens / (n * seconds),
        .flop = goal->tokens * flop,
        .steps = ceil(goal->tokens / tokens),
        .interruption_ratio = training_interruption_ratio(&goal->extras, n),
        .correction = correction,
    };

    totals.hardware_flops_utilization =
        totals.model_flops_utilization * training_hardware_ratio(job, &plan->on);
    totals.days = totals.steps * seconds * training_calendar_seconds(goal) *
                  (1 + totals.interruption_ratio) / SECONDS_PER_DAY;
    if (calendar > 0) {
        /* The interval of calendar_ratio is that of published runs over plans whose open settings
         * were searched too: it holds what those runs lose by other settings. */
        if (goal->calendar.high > goal->calendar.low)
            run = interval_of(job, plan, &phases, &correction, mfu, false);
        run.low = range_joined(run.low, goal->calendar.low / calendar, -1);
        run.high = range_joined(run.high, goal->calendar.high / calendar, 1);
    }
    add_setup(&totals, n, &run, goal->extras.setup_seconds);
    return totals;
}

/* The next number of nodes: one more up to 16, then an eighth of a power of two more. */
static double next_nodes(double nodes)
{
    int exponent = ilogb(nodes);

    return nodes + (exponent > 3 ? ldexp(1, exponent - 3) : 1);
}

size_t training_counts(const struct training_job *job, double most,
                       double counts[TRAINING_COUNTS_MAX])
{
    double node = job->gpus_per_node;
    bool tpu = gpu_is_tpu(job->gpu);
    size_t n = 0;

    for (double count = 1; count < node && count <= most; count *= tpu && count == 1 ? 4 : 2)
        counts[n++] = count;
    for (double nodes = 1; nodes * node <= most && n < TRAINING_COUNTS_MAX;
         nodes = tpu ? 2 * nodes : next_nodes(nodes))
        counts[n++] = nodes * node;
    return n;
}

/* The largest size up to `count`, in halves of a node or whole nodes. */
static double size_below(double node, double count)
{
    double size = 1;

    if (count >= node)
        return floor(count / node) * node;
    while (2 * size <= count)
        size *= 2;
    return size;
}

double training_pinned_count(const struct training_strategy *pinned)
{
    if (!isnan(pinned->gpu_count))
        return pinned->gpu_count;
    return pinned->tensor * pinned->pipeline * pinned->context * pinned->data;
}

/* The i-th of at most `parts` sizes between two others; 0 if it repeats another. TPUs have none. */
static double size_between(const struct training_job *job, double from, double to, int i, int parts)
{
    double node = job->gpus_per_node;

    if (gpu_is_tpu(job->gpu))
        return 0;
    double size = size_below(node, from + (to - from) * i / parts);
    double last = i > 1 ? size_below(node, from + (to - from) * (i - 1) / parts) : from;

    return size > from && size < to && size > last ? size : 0;
}

static bool fits_on(struct training_space *space, double count)
{
    training_space_set_count(space, count, false);
    return training_space_fits(space);
}

/* The smallest size that fits: the first of the sizes, and those between it and the previous
 * one. */
static double fewest(struct training_space *space, const double *counts, size_t n)
{
    const int parts = 64;
    double least = training_least_bytes(space->job) / space->job->gpu->memory_bytes;
    size_t i = 0;

    while (i < n && (counts[i] < least || !fits_on(space, counts[i])))
        i++;
    if (i == n)
        return (double)NAN;
    for (int j = 1; i > 0 && j < parts; j++) {
        double size = size_between(space->job, counts[i - 1], counts[i], j, parts);
        if (size >= least && fits_on(space, size))
            return size;
    }
    return counts[i];
}

double training_fewest(const struct training_job *job, const struct training_strategy *pinned)
{
    struct training_strategy open = *pinned;
    double counts[TRAINING_COUNTS_MAX];
    struct training_space space;

    open.gpu_count = (double)NAN; /* implied by the degrees, if all are given */
    counts[0] = training_pinned_count(&open);
    size_t n = isnan(counts[0]) ? training_counts(job, TRAINING_GPUS_MAX, counts) : 1;
    training_space_init(&space, job, pinned);
    double found =
        n == 1 ? (fits_on(&space, counts[0]) ? counts[0] : (double)NAN) : fewest(&space, counts, n);
    training_space_free(&space);
    return found;
}

struct choice {
    const struct training_job *job;
    const struct training_goal *goal;
    struct training_space space;
    double counts[TRAINING_COUNTS_MAX]; /* without counts too small for any plan */
    size_t n_counts;
    struct training_plan *plan;
};

/* The fastest plan on n GPUs; false if there is none. */
static bool plan_on(struct choice *choice, double n, struct training_plan *plan,
                    struct training_totals *totals)
{
    *totals = (struct training_totals){.days = (double)INFINITY};
    training_space_set_count(&choice->space, n, false);
    if (!training_space_search(&choice->space, plan))
        return false;
    *totals = training_totals(choice->job, plan, choice->goal);
    return plan->fits && !isnan(totals->phases.generation);
}

/* The fewest GPUs that hold the training and, for GRPO, a generating replica. */
static bool plan_on_fewest(struct choice *choice)
{
    struct training_totals totals;

    for (size_t i = 0; i < choice->n_counts; i++)
        if (plan_on(choice, choice->counts[i], choice->plan, &totals))
            return true;
    return false;
}

static double cost(const struct choice *choice, double gpu_count,
                   const struct training_totals *totals)
{
    return training_bill_cost(choice->goal, gpu_count, totals);
}

/* The smallest of some sizes between two that meets the deadline, which `to` does. */
static void refine(struct choice *choice, double from, double to)
{
    const int parts = 24;
    struct training_plan plan;
    struct training_totals totals;

    for (int i = 1; i < parts; i++) {
        double n = size_between(choice->job, from, to, i, parts);
        if (n > 0 && plan_on(choice, n, &plan, &totals) &&
            totals.days <= choice->goal->deadline_days) {
            *choice->plan = plan;
            return;
        }
    }
}

/* A lower bound on the GPUs for the deadline: all at peak throughout. */
static double least_count(const struct choice *choice)
{
    const struct training_job *job = choice->job;
    double flop = choice->goal->tokens * training_flop_per_token(job);

    return flop / (training_peak(job->gpu, job->precision) * choice->goal->deadline_days *
                   SECONDS_PER_DAY / training_calendar_seconds(choice->goal));
}

/* The first size that meets the deadline, refined by sizes between it and the previous one. */
static bool meet_deadline(struct choice *choice, struct err *err)
{
    const double deadline = choice->goal->deadline_days, least = least_count(choice);
    double fastest = (double)INFINITY;
    struct training_plan plan;
    struct training_totals totals;

    for (size_t i = 0; i < choice->n_counts; i++) {
        if (choice->counts[i] < least || !plan_on(choice, choice->counts[i], &plan, &totals) ||
            totals.days >= fastest)
            continue;
        fastest = totals.days;
        *choice->plan = plan;
        if (fastest <= deadline) {
            if (i > 0)
                refine(choice, fmax(least, choice->counts[i - 1]), choice->counts[i]);
            return true;
        }
    }
    if (isinf(fastest))
        return err_set(err, ERR_NO_SOLUTION,
                       "no number of GPUs up to %d trains this in %.6g days: even at their peak "
                       "%.6g would be needed",
                       TRAINING_GPUS_MAX, deadline, ceil(least));
    return err_set(err, ERR_NO_SOLUTION,
                   "no number of GPUs up to %d trains this in %.6g days; the fastest found takes "
                   "%.6g days on %.0f; a larger global_batch_sequences can feed more",
                   TRAINING_GPUS_MAX, deadline, fastest, choice->plan->on.gpu_count);
}

static bool no_fit(const struct training_job *job, struct err *err)
{
    return err_set(err, ERR_NO_SOLUTION,
                   "nothing fits: the weights and states alone are %.6g GiB, and no number of %s "
                   "up to %d holds this model with the strategy given",
                   training_least_bytes(job) / GIB, job->gpu->slug, TRAINING_GPUS_MAX);
}

/* Keep the plan on n GPUs if it is within the budget and faster than *days; lower *least to its
 * cost. */
static bool try_budget(struct choice *choice, double n, double *days, double *least)
{
    struct training_plan plan;
    struct training_totals totals;
    double most = choice->goal->gpu_count_max;

    if ((most > 0 && n > most) || !plan_on(choice, n, &plan, &totals))
        return false;
    *least = fmin(*least, cost(choice, n, &totals));
    if (!(cost(choice, n, &totals) <= choice->goal->budget) || totals.days >= *days)
        return false;
    *days = totals.days;
    *choice->plan = plan;
    return true;
}

static const char *grouped(char to[NUMBER_SIZE], double amount)
{
    number_grouped(to, amount, 2);
    return to;
}

/* The fastest run within the budget, among all sizes and those next to the best of them. Fewer GPUs
 * are not always cheaper: they may have to recompute. */
static bool meet_budget(struct choice *choice, struct err *err)
{
    const int parts = 16;
    double days = (double)INFINITY, least = (double)INFINITY;
    char spent[NUMBER_SIZE], budget[NUMBER_SIZE];
    size_t best = 0;

    for (size_t i = 0; i < choice->n_counts; i++)
        if (try_budget(choice, choice->counts[i], &days, &least))
            best = i;
    if (isinf(least))
        return err_set(err, ERR_NO_SOLUTION,
                       "no number of GPUs that fits has a known price: enter price_per_gpu_hour");
    if (isinf(days))
        return err_set(err, ERR_NO_SOLUTION, "the cheapest run found costs %s of a budget of %s",
                       grouped(spent, least), grouped(budget, choice->goal->budget));
    for (int i = 1; best + 1 < choice->n_counts && i < parts; i++) {
        double between =
            size_between(choice->job, choice->counts[best], choice->counts[best + 1], i, parts);
        if (between > 0)
            try_budget(choice, between, &days, &least);
    }
    return true;
}

/* The sizes from `fewest` on; only that one if the number is not open. */
static void set_counts(struct choice *choice, double fewest_gpus, bool open)
{
    double counts[TRAINING_COUNTS_MAX];
    size_t n = open ? training_counts(choice->job, TRAINING_GPUS_MAX, counts) : 0;

    choice->counts[0] = fewest_gpus;
    choice->n_counts = 1;
    for (size_t i = 0; i < n; i++)
        if (counts[i] > fewest_gpus && choice->n_counts < TRAINING_COUNTS_MAX)
            choice->counts[choice->n_counts++] = counts[i];
}

static bool choose(struct choice *choice, bool open, struct err *err)
{
    const struct training_goal *goal = choice->goal;
    struct training_totals totals;
    char spent[NUMBER_SIZE];

    if (open && !isnan(goal->deadline_days) && !meet_deadline(choice, err))
        return false;
    if (open && isnan(goal->deadline_days) && !isnan(goal->budget))
        return meet_budget(choice, err);
    if (!open || isnan(goal->deadline_days))
        return plan_on_fewest(choice) || no_fit(choice->job, err);
    double n = choice->plan->on.gpu_count;
    totals = training_totals(choice->job, choice->plan, goal);
    if (cost(choice, n, &totals) > goal->budget)
        return err_set(err, ERR_NO_SOLUTION,
                       "the deadline takes %.0f GPUs, which cost %s: more than the budget", n,
                       grouped(spent, cost(choice, n, &totals)));
    return true;
}

bool training_choose_gpu_count(const struct training_job *job,
                               const struct training_strategy *pinned,
                               const struct training_goal *goal, struct training_plan *plan,
                               struct err *err)
{
    struct choice choice = {.job = job, .goal = goal, .plan = plan};
    double n = training_fewest(job, pinned);
    bool open = isnan(training_pinned_count(pinned));

    if (isnan(n))
        return no_fit(job, err);
    set_counts(&choice, n, open);
    training_space_init(&choice.space, job, pinned);
    bool chosen = choose(&choice, open, err);
    training_space_free(&choice.space);
    return chosen;
}

void training_describe(const struct training_strategy *on, char *to, size_t size)
{
    char context[32] = "", expert[32] = "";

    if (on->context > 1)
        snprintf(context, sizeof(context), "context %.0f, ", on->context);
    if (on->expert > 1)
        snprintf(expert, sizeof(expert), "expert %.0f, ", on->expert);
    snprintf(to, size,
             "%.0f GPUs: tensor %.0f, pipeline %.0f, %s%sdata %.0f, ZeRO %.0f, micro-batch %.0f, "
             "recompute %s",
             on->gpu_count, on->tensor, on->pipeline, context, expert, on->data, on->zero_stage,
             on->micro_batch, training_recompute_name(on->recompute));
}
