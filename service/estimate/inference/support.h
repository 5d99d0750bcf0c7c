/* support.h - the support matrix: which engine runs which format and attention on which GPU. */
#ifndef ESTIMATE_INFERENCE_SUPPORT_H
#define ESTIMATE_INFERENCE_SUPPORT_H

#include "base/arena.h"
#include "estimate/inference/inference.h"

/* NULL where some engine runs the model with weights in `format` (its word, as in the requests) on
 * the job's GPU; else the sentence that says what each lacks, with its evidence. */
const char *inference_unsupported(const struct inference_job *job, const char *format,
                                  struct arena *arena);

#endif
