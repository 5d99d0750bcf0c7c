/* explain.h - the derivation of each figure of a training plan: headline figures and every line of
 * memory, time and money, down to the catalogue's constants. */
#ifndef ESTIMATE_TRAINING_EXPLAIN_EXPLAIN_H
#define ESTIMATE_TRAINING_EXPLAIN_EXPLAIN_H

#include "estimate/figures/explain.h"
#include "estimate/training/plan/goodput.h"
#include "estimate/ownership/owned.h"
#include "estimate/training/plan/cost.h"

/* A plan with everything computed from it. */
struct training_answer {
    const struct training_job *job;
    const struct training_plan *plan;
    const struct training_goal *goal;
    const struct training_totals *totals;
    const struct training_cost *bill;
    const struct training_rental *rental;
    const struct goodput_constants *failure_rates;
    const struct goodput_run *run;
    const struct goodput *goodput;
    struct owned_power power;
};

/* Adds all rows. Figures that are unknown or were not requested have none; line items always do. */
void training_explain(const struct training_answer *answer, struct explanations *to);

#endif
