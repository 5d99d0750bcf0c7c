/* plan_search.h - finds the price, the plan and the bill of a training. */
#ifndef API_TRAINING_PLAN_SEARCH_H
#define API_TRAINING_PLAN_SEARCH_H

#include "api/training/plan.h"

/* Find the price of a GPU-hour: given, from the catalogue, or the cost of owning. */
void training_question_price(struct training_question *question);

/* Find the price, the plan and everything derived from them. */
bool training_question_solve(struct training_question *question, struct err *err) MUST_CHECK;

/* Computes the bill for the GPUs, with the run, experiments and repeated runs as one rental. */
void training_question_bill_rent(struct training_question *question);

#endif
