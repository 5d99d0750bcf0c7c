/* training_choose.c - how many GPUs: the fewest that fit, that meet a deadline, or the fastest run
 * that a budget pays for; and what a plan comes to. */
#include "estimate/training_search.h"

#include "base/units.h"

#include <math.h>
#include <stdio.h>

static const double SECONDS_PER_DAY = 86400;

struct training_totals training_totals(const struct training_job *job,
                                       const struct training_plan *plan,
                                       const struct training_goal *goal)
{
    const struct training_constants *k = job->constants;
    double n = plan->on.gpu_count, peak = n * training_peak(job->gpu, job->precision);
    double tokens = plan->on.batch_sequences * job->sequence_tokens;
    double flop = training_flop_per_token(job), mfu = goal->model_flops_utilization;
    double seconds = isnan(mfu) ? plan->step.seconds : tokens * flop / (peak * mfu);
    /* A utilization the caller states has no interval of ours. */
    double low = !isnan(mfu) ? 1 : job->shape.moe ? k->moe_low : k->dense_low;
    double high = !isnan(mfu) ? 1 : job->shape.moe ? k->moe_high : k->dense_high;
    struct training_totals totals = {
        .step_seconds = seconds,
        .step_seconds_low = low * seconds,
        .step_seconds_high = high * seconds,
        .model_flops_utilization = tokens * flop / (peak * seconds),
        .model_tflops_per_gpu = tokens * flop / (n * seconds) / 1e12,
        .tokens_per_second_per_gpu = tokens / (n * seconds),
        .flop = goal->tokens * flop,
        .steps = ceil(goal->tokens / tokens),
    };

    totals.hardware_flops_utilization =
        totals.model_flops_utilization * training_hardware_ratio(job, plan->on.recompute);
    totals.days = totals.steps * seconds / goal->goodput / SECONDS_PER_DAY;
    totals.days_low = low * totals.days;
    totals.days_high = high * totals.days;
    totals.gpu_hours = 24 * n * totals.days;
    totals.gpu_hours_low = low * totals.gpu_hours;
    totals.gpu_hours_high = high * totals.gpu_hours;
    return totals;
}

/* Sizes a run may have: halves of a node, one node, two, three ... */
static double next_count(double node, double count)
{
    return count < node ? fmin(node, 2 * count) : (floor(count / node) + 1) * node;
}

/* The largest size up to `count`. */
static double size_below(double node, double count)
{
    double size = 1;

    if (count >= node)
        return floor(count / node) * node;
    while (2 * size <= count)
        size *= 2;
    return size;
}

/* Bytes that are there however the work is spread, counted once: below this many GPUs nothing can
 * fit. */
static double least_bytes(const struct training_job *job)
{
    struct training_bytes bytes = training_bytes(job->precision, job->optimizer);
    struct training_strategy whole = {.tensor = 1, .pipeline = 1, .expert = 1};
    double dense, expert;

    training_weights(&job->shape, &whole, job->shape.layers, &dense, &expert);
    if (job->method == TRAINING_QLORA)
        return TRAINING_NF4_BYTES * (dense + expert);
    if (job->method == TRAINING_LORA)
        return bytes.weight * (dense + expert);
    return (bytes.weight + bytes.gradient + bytes.optimizer) * (dense + expert);
}

/* Where every degree is given, so is their product. */
static double pinned_count(const struct training_strategy *pinned)
{
    return pinned->tensor * pinned->pipeline * pinned->context * pinned->data;
}

/* Sizes between two, at most as many as `parts`: what the i-th is, 0 where it repeats another. */
static double size_between(double node, double from, double to, int i, int parts)
{
    double size = size_below(node, from + (to - from) * i / parts);
    double last = i > 1 ? size_below(node, from + (to - from) * (i - 1) / parts) : from;

    return size > from && size < to && size > last ? size : 0;
}

/* Doubling until something fits, then looking through the last step: some thousand sizes need not
 * all be tried. */
double training_fewest(const struct training_job *job, const struct training_strategy *pinned)
{
    const int parts = 64;
    double node = job->gpus_per_node, product = pinned_count(pinned), before = 0;

    if (!isnan(product))
        return training_fits(job, pinned, product) ? product : (double)NAN;
    double n = size_below(node, fmax(1, least_bytes(job) / job->gpu->memory_bytes));
    while (n <= TRAINING_GPUS_MAX && !training_fits(job, pinned, n)) {
        before = n;
        n = n < node ? next_count(node, n) : 2 * n;
    }
    if (n > TRAINING_GPUS_MAX)
        return (double)NAN;
    for (int i = 1; before > 0 && i < parts; i++) {
        double size = size_between(node, before, n, i, parts);
        if (size > 0 && training_fits(job, pinned, size))
            return size;
    }
    return n;
}

struct choice {
    const struct training_job *job;
    const struct training_goal *goal;
    struct training_strategy pinned;
    struct training_plan *plan;
};

/* The fastest plan on n GPUs; false where there is none. */
static bool plan_on(struct choice *choice, double n, struct training_plan *plan,
                    struct training_totals *totals)
{
    *totals = (struct training_totals){.days = (double)INFINITY};
    choice->pinned.gpu_count = n;
    if (n > TRAINING_GPUS_MAX || !training_search_within_batch(choice->job, &choice->pinned, plan))
        return false;
    *totals = training_totals(choice->job, plan, choice->goal);
    return plan->fits;
}

static double cost(const struct choice *choice, const struct training_totals *totals)
{
    return totals->gpu_hours * choice->goal->price_per_gpu_hour;
}

/* The smallest of some sizes between two that meets the deadline; `to` does. */
static void refine(struct choice *choice, double from, double to)
{
    const int parts = 24;
    struct training_plan plan;
    struct training_totals totals;

    for (int i = 1; i < parts; i++) {
        double n = size_between(choice->job->gpus_per_node, from, to, i, parts);
        if (n > 0 && plan_on(choice, n, &plan, &totals) &&
            totals.days <= choice->goal->deadline_days) {
            *choice->plan = plan;
            return;
        }
    }
}

/* Below this many GPUs the deadline cannot be met: all at their peak throughout. */
static double least_count(const struct choice *choice)
{
    const struct training_job *job = choice->job;
    double flop = choice->goal->tokens * training_flop_per_token(job);

    return flop / (training_peak(job->gpu, job->precision) * choice->goal->deadline_days *
                   SECONDS_PER_DAY * choice->goal->goodput);
}

/* Doublings of the fewest GPUs that fit, then sizes between the first that meets the deadline and
 * those before it. */
static bool meet_deadline(struct choice *choice, double n, struct err *err)
{
    const double deadline = choice->goal->deadline_days, least = least_count(choice);
    double fastest = (double)INFINITY, before = 0;
    struct training_plan plan;
    struct training_totals totals;

    while (2 * n <= fmin(least, TRAINING_GPUS_MAX))
        n *= 2;
    for (; n <= TRAINING_GPUS_MAX; before = n, n *= 2) {
        if (!plan_on(choice, n, &plan, &totals) || totals.days >= fastest)
            continue;
        fastest = totals.days;
        *choice->plan = plan;
        if (fastest <= deadline) {
            if (before > 0)
                refine(choice, fmax(least, before / 2), n); /* some sizes divide badly */
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
                   least_bytes(job) / GIB, job->gpu->slug, TRAINING_GPUS_MAX);
}

/* Keep the plan on n GPUs if the budget pays for it and it is faster than *days; lower *least to
 * what it costs. */
static bool try_budget(struct choice *choice, double n, double *days, double *least)
{
    struct training_plan plan;
    struct training_totals totals;

    if (!plan_on(choice, n, &plan, &totals))
        return false;
    *least = fmin(*least, cost(choice, &totals));
    if (cost(choice, &totals) > choice->goal->budget || totals.days >= *days)
        return false;
    *days = totals.days;
    *choice->plan = plan;
    return true;
}

/* The fastest run the budget pays for, among doublings of the fewest GPUs that fit and the sizes
 * between the best of them and the next. Fewer GPUs are not always cheaper: they may have to
 * recompute. */
static bool meet_budget(struct choice *choice, double n, struct err *err)
{
    const int parts = 16;
    double days = (double)INFINITY, least = (double)INFINITY, best = 0;

    for (; n <= TRAINING_GPUS_MAX; n *= 2)
        if (try_budget(choice, n, &days, &least))
            best = n;
    if (isinf(days))
        return err_set(err, ERR_NO_SOLUTION,
                       "the cheapest run found costs %.2f of a budget of %.2f", least,
                       choice->goal->budget);
    for (int i = 1; i < parts; i++) {
        double between = size_between(choice->job->gpus_per_node, best, 2 * best, i, parts);
        if (between > 0)
            try_budget(choice, between, &days, &least);
    }
    return true;
}

bool training_choose(const struct training_job *job, const struct training_strategy *pinned,
                     const struct training_goal *goal, struct training_plan *plan, struct err *err)
{
    struct choice choice = {job, goal, *pinned, plan};
    struct training_totals totals;
    double n = training_fewest(job, pinned);

    if (isnan(n))
        return no_fit(job, err);
    bool free = isnan(pinned_count(pinned));
    if (free && !isnan(goal->deadline_days) && !meet_deadline(&choice, n, err))
        return false;
    if (free && isnan(goal->deadline_days) && !isnan(goal->budget))
        return meet_budget(&choice, n, err);
    if (!free || isnan(goal->deadline_days))
        return plan_on(&choice, n, plan, &totals) || no_fit(job, err);
    totals = training_totals(job, plan, goal);
    if (cost(&choice, &totals) > goal->budget)
        return err_set(err, ERR_NO_SOLUTION,
                       "the deadline takes %.0f GPUs, which cost %.2f: more than the budget",
                       plan->on.gpu_count, cost(&choice, &totals));
    return true;
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
