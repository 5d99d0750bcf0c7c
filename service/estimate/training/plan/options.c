#include "estimate/training/plan/options.h"

#include "base/sort.h"
#include "base/units.h"
#include "estimate/training/plan/bill.h"
#include "estimate/training/plan/search_space.h"

#include <math.h>
#include <string.h>

/* Factor by which rounding may exceed a limit. */
static const double ROUNDING = 1 + 1e-12;

static double yes_or_no(double value, double limit)
{
    if (isnan(limit) || isnan(value))
        return (double)NAN;
    return value <= limit * ROUNDING;
}

bool training_options_is_confirmed(const struct price_book *book, const struct training_plan *plan,
                                   const struct training_phases *phases)
{
    double gpus = plan->on.gpu_count;
    struct price_summary rent = price_match_summary(book, gpus, gpus);

    return !training_phases_are_tight(phases, &plan->memory) && (!book || !price_doubt(&rent));
}

bool training_options_is_idle(const struct training_job *job, const struct training_goal *goal,
                              double gpu_count, double gpu_hours)
{
    return gpu_count > job->gpus_per_node &&
           training_billed_ratio(goal, gpu_count, gpu_hours) > PRICE_BILLED_RATIO_MAX;
}

static void set_verdicts(struct training_option *option, const struct training_job *job,
                         const struct training_goal *goal, const struct training_goal *priced)
{
    double gpus = option->plan.on.gpu_count;
    struct training_goal billed = *goal;

    billed.book = priced->book;
    billed.billing = priced->billing;
    billed.price_per_gpu_hour = priced->price_per_gpu_hour;
    option->confirmed =
        training_options_is_confirmed(billed.book, &option->plan, &option->totals.phases);
    option->idle = training_options_is_idle(job, &billed, gpus, option->totals.gpu_hours);
    option->cost = training_bill_cost(&billed, gpus, &option->totals);
    option->meets_deadline = yes_or_no(option->totals.days, goal->deadline_days);
    option->within_budget = yes_or_no(option->cost, goal->budget);
}

/* NxD Training, which ran Llama, GPT and Mixtral on Trn1, ended with Neuron SDK 2.32; TorchTitan
 * Neuron, which came instead, needs Trn2 or Trn3 (awsdocs-neuron.readthedocs-hosted.com,
 * archive/nxd-training and release-notes/components/torchtitan-neuron, read 2026-11-29). On those
 * PyTorch's own code and Hugging Face's trainers run as well, so that no model is excluded (same
 * place, training.html). */
static bool lacks_software(const struct gpu *gpu)
{
    return strcmp(gpu->slug, "trainium1") == 0;
}

/* Why a candidate is excluded before any search. */
static enum training_ruled_out unfit(const struct training_options_ask *ask,
                                     const struct training_job *job)
{
    struct err err = {0};

    if (!ask->named && lacks_software(job->gpu))
        return TRAINING_RULED_OUT_SOFTWARE;
    if (!(training_peak(job->gpu, job->precision) > 0))
        return TRAINING_RULED_OUT_PRECISION;
    if (!(job->gpu->memory_bytes > 0 && job->gpu->memory_bandwidth > 0 && job->network_rate > 0))
        return TRAINING_RULED_OUT_FIGURES;
    return training_check(job, ask->pinned, &err) ? TRAINING_RULED_IN : TRAINING_RULED_OUT_STRATEGY;
}

/* Why none of a candidate's options suffices. */
static enum training_ruled_out wanting(const struct training_options_part *part, bool found)
{
    bool in_time = false, paid = false;

    if (part->n == 0)
        return found ? TRAINING_RULED_OUT_MEMORY : TRAINING_RULED_OUT_STRATEGY;
    for (size_t i = 0; i < part->n; i++) {
        in_time |= !(part->at[i].meets_deadline < 1);
        paid |= !(part->at[i].within_budget < 1);
    }
    return !in_time ? TRAINING_RULED_OUT_DEADLINE
           : !paid  ? TRAINING_RULED_OUT_BUDGET
                    : TRAINING_RULED_IN;
}

/* GPU counts to try: the requested one, or all. */
static size_t counts_of(const struct training_options_ask *ask, const struct training_job *job,
                        double counts[TRAINING_COUNTS_MAX])
{
    counts[0] = training_pinned_count(ask->pinned);
    if (!isnan(counts[0]))
        return 1;
    return training_counts(job, fmin(ask->gpu_count_max, TRAINING_GPUS_MAX), counts);
}

static bool is_wasteful(const struct training_option *option, double floor, double least)
{
    return option->totals.gpu_hours * floor > least;
}

/* Drop numbers of GPUs that waste most of their compute, unless they cost less than all others, as
 * larger clusters may have a shortest rental. */
static void drop_wasteful(struct training_options_part *part, double floor)
{
    double least = (double)INFINITY, cheapest = (double)INFINITY;
    size_t n = 0;

    for (size_t i = 0; i < part->n; i++)
        least = fmin(least, part->at[i].totals.gpu_hours);
    for (size_t i = 0; i < part->n; i++)
        if (!is_wasteful(&part->at[i], floor, least))
            cheapest = fmin(cheapest, part->at[i].cost);
    for (size_t i = 0; i < part->n; i++)
        if (!is_wasteful(&part->at[i], floor, least) || part->at[i].cost < cheapest)
            part->at[n++] = part->at[i];
    part->n = n;
}

/* Seconds per sequence beyond which a plan on n GPUs takes more GPU-hours than drop_wasteful()
 * leaves, given the fewest so far: a step is never shorter than its passes; 0 where its setup alone
 * takes more. INFINITY where own runs or a given utilization set the time of a step, or requests
 * are generated in it. */
static double slowest(const struct training_job *job, const struct training_goal *goal,
                      double gpu_count, double most_gpu_hours)
{
    double hours = gpu_count * goal->tokens / job->sequence_tokens *
                   training_calendar_seconds(goal) *
                   (1 + training_interruption_ratio(&goal->extras, gpu_count)) / SECONDS_PER_HOUR;

    if (goal->residuals.correct || !isnan(goal->model_flops_utilization) || goal->rollout)
        return (double)INFINITY;
    double setup = gpu_count * goal->extras.setup_seconds / SECONDS_PER_HOUR;
    return fmax(0, most_gpu_hours - setup) / hours * ROUNDING;
}

void training_options_of(const struct training_options_ask *ask, size_t candidate,
                         struct arena *arena, struct training_options_part *part)
{
    const struct training_candidate *kind = &ask->candidates[candidate];
    double counts[TRAINING_COUNTS_MAX];
    size_t n = counts_of(ask, kind->job, counts);
    struct training_space space;
    struct training_goal goal = ask->goal;
    double least = (double)INFINITY; /* GPU-hours */
    bool found = false;

    goal.extras = kind->goal->extras;
    goal.residuals = kind->goal->residuals;
    *part = (struct training_options_part){.ruled_out = unfit(ask, kind->job)};
    if (part->ruled_out != TRAINING_RULED_IN)
        return;
    part->at = arena_alloc(arena, (n + 1) * sizeof(*part->at));
    training_space_init(&space, kind->job, ask->pinned);
    for (size_t i = 0; i < n && !cancelled(kind->job->cancel); i++) {
        struct training_option *option = &part->at[part->n];
        training_space_set_count(&space, counts[i], false);
        space.slowest = slowest(kind->job, &goal, counts[i], least / ask->efficiency_floor);
        found |= training_space_search(&space, &option->plan);
        part->n_considered += option->plan.n_considered;
        part->n_weighed += option->plan.n_weighed;
        if (!option->plan.fits)
            continue;
        option->candidate = candidate;
        option->totals = training_totals(kind->job, &option->plan, &goal);
        if (isnan(option->totals.phases.generation)) /* no generating replica fits */
            continue;
        set_verdicts(option, kind->job, &goal, kind->goal);
        least = fmin(least, option->totals.gpu_hours);
        part->n++;
    }
    training_space_free(&space);
    drop_wasteful(part, ask->efficiency_floor);
    part->ruled_out = wanting(part, found);
}

/* Ties: candidate order, then fewer GPUs. */
static int compare_place(const struct training_option *a, const struct training_option *b)
{
    if (a->candidate != b->candidate)
        return a->candidate < b->candidate ? -1 : 1;
    return sort_order(a->plan.on.gpu_count, b->plan.on.gpu_count);
}

/* Without a price, the number of GPUs that takes the fewest GPU-hours is the one to ask for. */
static int compare_cost(const struct training_option *a, const struct training_option *b)
{
    return isnan(a->cost) && isnan(b->cost) ? sort_order(a->totals.gpu_hours, b->totals.gpu_hours)
                                            : sort_order(a->cost, b->cost);
}

static int by_cost(const void *left, const void *right)
{
    const struct training_option *a = *(const struct training_option *const *)left;
    const struct training_option *b = *(const struct training_option *const *)right;
    int late = sort_order(a->meets_deadline < 1, b->meets_deadline < 1);
    int over_budget = sort_order(a->within_budget < 1, b->within_budget < 1);
    int cost = compare_cost(a, b), days = sort_order(a->totals.days, b->totals.days);

    return sort_first(sort_first(late, over_budget, b->confirmed - a->confirmed),
                      sort_first(cost, days, 0), compare_place(a, b));
}

static int by_time(const void *left, const void *right)
{
    const struct training_option *a = *(const struct training_option *const *)left;
    const struct training_option *b = *(const struct training_option *const *)right;
    int over_budget = sort_order(a->within_budget < 1, b->within_budget < 1);
    int cost = sort_order(a->cost, b->cost), days = sort_order(a->totals.days, b->totals.days);

    return sort_first(sort_first(over_budget, b->confirmed - a->confirmed, a->idle - b->idle),
                      sort_first(days, cost, 0), compare_place(a, b));
}

static int by_cost_alone(const void *left, const void *right)
{
    const struct training_option *a = *(const struct training_option *const *)left;
    const struct training_option *b = *(const struct training_option *const *)right;

    return sort_first(sort_order(a->cost, b->cost), sort_order(a->totals.days, b->totals.days),
                      compare_place(a, b));
}

/* The Pareto frontier: in order of cost, the options faster than all cheaper ones. */
static void mark_frontier(struct training_option **order, size_t n)
{
    double days = (double)INFINITY;

    sort_items(order, n, sizeof(struct training_option *), by_cost_alone);
    for (size_t i = 0; i < n && !isnan(order[i]->cost); i++) {
        order[i]->on_frontier = order[i]->totals.days < days;
        days = fmin(days, order[i]->totals.days);
    }
}

/* Concatenate pointers to the parts' options, and sum up their counts. */
static struct training_option **gather(const struct training_options_ask *ask,
                                       const struct training_options_part *parts,
                                       struct arena *arena, struct training_option_list *list)
{
    struct training_option **order;
    size_t n = 0;

    for (size_t i = 0; i < ask->n_candidates; i++) {
        list->ruled_out[i] = parts[i].ruled_out;
        list->n_considered += parts[i].n_considered;
        list->n_weighed += parts[i].n_weighed;
        list->n += parts[i].n;
    }
    order = arena_alloc(arena, (list->n + 1) * sizeof(struct training_option *));
    for (size_t i = 0; i < ask->n_candidates; i++)
        for (size_t j = 0; j < parts[i].n; j++)
            order[n++] = &parts[i].at[j];
    return order;
}

void training_options_rank(const struct training_options_ask *ask,
                           const struct training_options_part *parts, struct arena *arena,
                           struct training_option_list *list)
{
    *list = (struct training_option_list){.n = 0};
    list->ruled_out = arena_alloc(arena, (ask->n_candidates + 1) * sizeof(*list->ruled_out));
    struct training_option **order = gather(ask, parts, arena, list);
    list->at = arena_alloc(arena, (list->n + 1) * sizeof(*list->at));
    mark_frontier(order, list->n);
    sort_items(order, list->n, sizeof(struct training_option *),
               ask->rank == TRAINING_RANK_TIME ? by_time : by_cost);
    for (size_t i = 0; i < list->n; i++)
        list->at[i] = *order[i];
}
