/* cost.h - line items of a training plan: memory per GPU, time per step, money of the run. */
#ifndef ESTIMATE_TRAINING_PLAN_COST_H
#define ESTIMATE_TRAINING_PLAN_COST_H

#include "estimate/figures/line_items.h"
#include "estimate/training/plan/search.h"

/* The rental period, if the caller gives one. */
struct training_rental {
    double duration_hours; /* NAN if not given */
    double hours_per_day;  /* of each day; 24 is continuous */
};

struct training_cost {
    struct line_items line_items;
    double total_cost, total_cost_low, total_cost_high; /* the total is the sum of its lines */
    double run_cost;                                    /* the part for GPU-hours of the run */
    double credits_used, unused_cost;                   /* unused_cost: billed beyond all
                                                         * GPU-hours */
    double unused_gpu_hours; /* unused_cost divided by the price of a GPU-hour */
    double energy_kwh;       /* of all GPU-hours; NAN if unknown */
    double duration_hours, duration_gpu_hours, duration_cost;
    double duration_tokens;                                  /* trained by the plan in that time */
    double runs_per_week;                                    /* complete runs of that duration */
    double budget_used_ratio, within_budget, meets_deadline; /* NAN if not asked */
};

/* Line items and totals in USD; NAN if the price of a GPU-hour or the tokens are unknown. */
void training_cost(const struct training_plan *plan, const struct training_goal *goal,
                   const struct training_totals *totals, const struct training_rental *rental,
                   struct training_cost *bill);

/* What a step mostly waits for: compute, memory, network or pipeline. */
const char *training_bound(const struct training_step *step);
/* Fraction of the step without communication or waiting for it. */
double training_scaling_ratio(const struct training_step *step);

/* Replicas that share one copy of the states; 1 if the states are not sharded. */
double training_shard(const struct training_strategy *strategy);
/* The largest of the memory lines: weights, gradients, optimizer_states, activations or overhead.
 */
const char *training_memory_bound(const struct training_memory *memory);

/* A lower bound of the hours on n GPUs: all at peak throughout. */
double training_hours_at_peak(const struct training_job *job, double gpu_count, double tokens);

#endif
