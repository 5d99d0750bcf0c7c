/* training_rules.h - what the usual back-of-the-envelope formulas say of a training run. */
#ifndef ESTIMATE_TRAINING_RULES_H
#define ESTIMATE_TRAINING_RULES_H

#include "estimate/rule.h"
#include "estimate/training_search.h"

/* `duration_hours` is how long the caller means to rent, NAN where he does not say. */
void training_rules(const struct training_job *job, const struct training_plan *plan,
                    const struct training_goal *goal, double duration_hours, struct rules *rules);

#endif
