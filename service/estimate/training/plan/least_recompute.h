/* least_recompute.h - the least activation recomputation with which a strategy fits into memory,
 * by linear interpolation between no recomputation, that of cheap modules and that of all.
 */
#ifndef ESTIMATE_TRAINING_PLAN_LEAST_RECOMPUTE_H
#define ESTIMATE_TRAINING_PLAN_LEAST_RECOMPUTE_H

#include "estimate/training/memory.h"

/* Set the least recompute with which an open strategy takes no more than `room` bytes. False where
 * none does: then the one that needs least is set. */
bool training_recompute_settle(const struct training_job *job, struct training_strategy *on,
                               double room);

#endif
