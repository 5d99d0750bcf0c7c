/* prefill.h - reading prompts. */
#ifndef ESTIMATE_INFERENCE_PREFILL_H
#define ESTIMATE_INFERENCE_PREFILL_H

#include "estimate/inference/inference.h"

/* Sets inference->prefill; shares, work and traffic are known. */
void prefill_set(struct inference *inference);

#endif
