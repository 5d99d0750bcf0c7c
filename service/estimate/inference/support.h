/* support.h - the support matrix: which engine supports which format and attention on which GPU. */
#ifndef ESTIMATE_INFERENCE_SUPPORT_H
#define ESTIMATE_INFERENCE_SUPPORT_H

#include "base/arena.h"
#include "estimate/inference/inference.h"

/* NULL if the job's engine, or without one some engine, runs the model with weights in `format`
 * (its name in requests) on the job's GPU; else a sentence that says what each engine lacks, with
 * evidence. `for_many`: without an engine only those that batch the requests of many users count.
 */
const char *inference_unsupported(const struct inference_job *job, const char *format,
                                  bool for_many, struct arena *arena);
/* That sentence as the reason of a refusal. */
const char *inference_refusal(const struct inference_job *job, const char *why, bool for_many,
                              struct arena *arena);

#endif
