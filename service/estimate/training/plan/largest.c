/* largest.c - the inverse questions: what a budget and a deadline allow. */
#include "estimate/training/plan/bill.h"

#include "base/units.h"
#include "estimate/training/plan/options.h"
#include "estimate/training/plan/search_space.h"

#include <math.h>

static const double STEPS_MAX = 1e15;

/* True if n steps are within both limits. */
static bool are_within(const struct training_job *job, const struct training_plan *plan,
                       struct training_goal *goal, double steps)
{
    const double rounding = 1 + 1e-13; /* a limit that is a whole number of steps up to rounding */

    goal->tokens = steps * plan->on.batch_sequences * job->sequence_tokens;
    struct training_totals totals = training_totals(job, plan, goal);
    double cost = training_bill_cost(goal, plan->on.gpu_count, &totals);
    return !(totals.days > goal->deadline_days * rounding) && !(cost > goal->budget * rounding) &&
           (isnan(goal->budget) || !isnan(cost));
}

double training_most_tokens(const struct training_job *job, const struct training_plan *plan,
                            const struct training_goal *goal)
{
    struct training_goal tried = *goal;
    double low = 0, high = 1;

    if (!plan->fits || (isnan(goal->deadline_days) && isnan(goal->budget)))
        return 0;
    while (high < STEPS_MAX && are_within(job, plan, &tried, high)) {
        low = high;
        high *= 2;
    }
    while (high - low > 1) {
        double middle = floor(low + (high - low) / 2);
        if (are_within(job, plan, &tried, middle))
            low = middle;
        else
            high = middle;
    }
    return low * plan->on.batch_sequences * job->sequence_tokens;
}

/* Sizes are the first one times powers of the step. */
static const double SIZE_FIRST = 1e6, SIZE_STEP = 1.01;
enum { SIZES = 2000, SIZES_BEYOND = 10 }; /* up to 1e6 x 1.01^2000 = 4.4e14 parameters */

struct hunt {
    const struct training_candidate *candidate;
    const struct training_strategy *pinned;
    struct training_goal goal;
    bool chinchilla;
    double tokens_per_parameter;
    double counts[TRAINING_COUNTS_MAX];
    size_t n_counts;
    struct training_largest *largest;
};

/* True if the plan meets the limits; *cost is its cost. */
static bool will_do(const struct hunt *hunt, double gpu_count, const struct training_totals *totals,
                    double *cost)
{
    *cost = training_bill_cost(&hunt->goal, gpu_count, totals);
    return !(totals->days > hunt->goal.deadline_days) && !(*cost > hunt->goal.budget) &&
           (isnan(hunt->goal.budget) || !isnan(*cost));
}

/* A lower bound of the days on `count` GPUs: all at peak. */
static double least_days(const struct hunt *hunt, const struct training_job *job, double count)
{
    return hunt->goal.tokens * training_flop_per_token(job) /
           (count * training_peak(job->gpu, job->precision)) *
           training_calendar_seconds(&hunt->goal) / SECONDS_PER_DAY;
}

/* Keep the plan on that number of GPUs if it meets the limits and is cheaper, or as cheap and
 * faster, than the best for this size. */
static bool try_count(struct hunt *hunt, struct training_space *space, double count,
                      struct training_largest *found)
{
    struct training_plan plan;
    double cost;

    if (least_days(hunt, space->job, count) > hunt->goal.deadline_days)
        return false;
    training_space_set_count(space, count, false);
    if (!training_space_search(space, &plan) || !plan.fits)
        return false;
    struct training_totals totals = training_totals(space->job, &plan, &hunt->goal);
    if (!will_do(hunt, count, &totals, &cost))
        return false;
    if (found->parameters > 0 &&
        (isnan(cost) ? totals.days >= found->totals.days : cost >= found->cost))
        return false;
    found->plan = plan;
    found->totals = totals;
    found->cost = cost;
    return true;
}

/* True if a model of that size can be trained; the plan is stored in hunt->largest. */
static bool try_size(struct hunt *hunt, int i)
{
    struct training_job job = *hunt->candidate->job;
    struct training_largest found = {.parameters = 0};
    struct training_space space;
    struct model model;

    model_shape_typical(SIZE_FIRST * pow(SIZE_STEP, i), &model);
    job.shape = model_shape_of(&model);
    if (job.objective == TRAINING_EMBEDDING)
        model_shape_drop_head(&job.shape);
    if (hunt->chinchilla)
        hunt->goal.tokens = hunt->tokens_per_parameter * model.params_total;
    training_extras_size(&hunt->goal.extras, &job);
    training_space_init(&space, &job, hunt->pinned);
    for (size_t j = 0; j < hunt->n_counts; j++)
        if (try_count(hunt, &space, hunt->counts[j], &found))
            found.parameters = model.params_total;
    training_space_free(&space);
    if (!(found.parameters > 0))
        return false;
    found.tokens = hunt->goal.tokens;
    found.shape = job.shape;
    *hunt->largest = found;
    return true;
}

/* Bisect between `low`, which is possible, and `high`, which is not; then search beyond until n
 * sizes in a row are impossible. */
static void bisect(struct hunt *hunt, int low, int high)
{
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (try_size(hunt, middle))
            low = middle;
        else
            high = middle;
    }
    for (int i = low + 1; i <= low + SIZES_BEYOND; i++)
        if (try_size(hunt, i))
            low = i;
}

void training_largest_model(const struct training_candidate *candidate,
                            const struct training_strategy *pinned,
                            const struct training_goal *goal, double tokens_per_parameter,
                            double gpu_count_max, struct training_largest *largest)
{
    struct hunt hunt = {.candidate = candidate,
                        .pinned = pinned,
                        .goal = *goal,
                        .chinchilla = isnan(goal->tokens),
                        .tokens_per_parameter = tokens_per_parameter,
                        .largest = largest};

    *largest = (struct training_largest){.parameters = 0};
    hunt.goal.extras = candidate->goal->extras;
    hunt.goal.book = candidate->goal->book;
    hunt.goal.billing = candidate->goal->billing;
    hunt.goal.price_per_gpu_hour = candidate->goal->price_per_gpu_hour;
    hunt.counts[0] = training_pinned_count(pinned);
    hunt.n_counts = 1;
    if (isnan(hunt.counts[0]))
        hunt.n_counts =
            training_counts(candidate->job, fmin(gpu_count_max, TRAINING_GPUS_MAX), hunt.counts);
    if (!(training_peak(candidate->job->gpu, candidate->job->precision) > 0) || !try_size(&hunt, 0))
        return;
    bisect(&hunt, 0, SIZES);
}
