/* least_recompute.h - the least activation recomputation with which a strategy fits into memory, by
 * linear interpolation between none, that of cheap modules, and full.
 */
#ifndef ESTIMATE_TRAINING_PLAN_LEAST_RECOMPUTE_H
#define ESTIMATE_TRAINING_PLAN_LEAST_RECOMPUTE_H

#include "estimate/training/memory.h"

/* Set the least recompute with which an open strategy takes at most `room` bytes. If none does,
 * sets the one that needs the least memory and returns false. */
bool training_recompute_settle(const struct training_job *job, struct training_strategy *on,
                               double room);

#endif
