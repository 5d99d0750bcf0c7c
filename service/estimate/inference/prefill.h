/* prefill.h - time of the prefill phase. */
#ifndef ESTIMATE_INFERENCE_PREFILL_H
#define ESTIMATE_INFERENCE_PREFILL_H

#include "estimate/inference/inference.h"

/* Sets inference->prefill; efficiencies, work and communication must be set. */
void prefill_set(struct inference *inference);

#endif
