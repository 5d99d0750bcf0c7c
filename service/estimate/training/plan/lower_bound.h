/* lower_bound.h - whether anything in a part of the search space fits into memory, decided by the
 * strategy there that needs least.
 *
 * The least is needed with the smallest micro-batch, one virtual stage, sequence parallelism, and
 * states sharded among as many ranks as possible. More replicas never need more, since each holds
 * no more micro-batches at a time and a smaller part of the states. With a permanent gradient
 * buffer and the same number of replicas, a micro-batch of more sequences per GPU never needs less.
 * tests/unit/training_space_test.c checks this against all strategies of random jobs.
 */
#ifndef ESTIMATE_TRAINING_PLAN_LOWER_BOUND_H
#define ESTIMATE_TRAINING_PLAN_LOWER_BOUND_H

#include "estimate/training/plan/search.h"
#include "estimate/training/plan/shared_terms.h"

/* True if the strategy fits. If its recompute setting is open, it becomes the least that leaves
 * some memory free (micro_batch_memory_ratio); if none does, the one that needs the least memory.
 */
bool training_lower_bound_settle(const struct training_space *space, struct training_strategy *on);

/* True if any strategy of a spread fits on the row of `on`. The result is cached for all rows with
 * these shared terms, and for other numbers of GPUs; where nothing fits, the terms lose all their
 * ways. */
bool training_lower_bound_spread(struct training_space *space, struct training_shared_terms *shared,
                                 struct training_spread *spread,
                                 const struct training_strategy *on);

/* True if any strategy of a block may fit on the row of `on`, which must use sequence parallelism
 * if any does. Not checked if the result would be useless for other numbers of GPUs. */
bool training_lower_bound_row(struct training_space *space, struct training_block *block,
                              const struct training_strategy *on);

/* If no strategy fits: the one that needs least memory, with everything computed from it. */
void training_lower_bound_least(struct training_space *space, struct training_plan *plan);

#endif
