/* lower_bound.h - what of a space fits into memory: of strategies that share something, whether
 * the one that needs least does.
 *
 * Least is needed with the smallest micro-batch, one virtual stage, sequence parallelism, and
 * states divided among as many as there are; and with more replicas nothing needs more, since each
 * holds no more micro-batches at once and a smaller part of the states. Where gradients stay, with
 * as many replicas a micro-batch of more sequences per GPU needs no less.
 * tests/unit/training_space_test.c holds that against all strategies of random jobs.
 */
#ifndef ESTIMATE_TRAINING_PLAN_LOWER_BOUND_H
#define ESTIMATE_TRAINING_PLAN_LOWER_BOUND_H

#include "estimate/training/plan/search.h"
#include "estimate/training/plan/shared_terms.h"

/* Whether that strategy fits. A micro-batch we chose leaves some memory free, one that was given
 * may fill it. */
bool training_lower_bound_fits(const struct training_space *space,
                               const struct training_strategy *on,
                               const struct training_memory *memory);

/* The same; where the recompute is open it is set to the least with which the strategy fits, and
 * where that is all or nothing, to nothing only if that leaves some memory free. */
bool training_lean_settle(const struct training_space *space, struct training_strategy *on);

/* Whether anything of a spread fits on the row of that strategy. The answer is remembered for the
 * rows of the split, and for other numbers of GPUs; it empties a split of which nothing fits. */
bool training_lower_bound_spread(struct training_space *space, struct training_shared_terms *split,
                                 struct training_spread *spread,
                                 const struct training_strategy *on);

/* Whether anything of a block may fit on the row of that strategy, which divides the sequence if
 * any does. Nothing is asked where the answer is of use to no other number of GPUs. */
bool training_lower_bound_row(struct training_space *space, struct training_block *block,
                              const struct training_strategy *on);

/* If no strategy fits: the one that needs least memory, with all that follows. */
void training_lower_bound_least(struct training_space *space, struct training_plan *plan);

#endif
