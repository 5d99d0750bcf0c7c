/* bound.h - roofline bounds of a measured replica: what neither arithmetic nor bandwidth of the
 * data sheet lets it go below. */
#ifndef ESTIMATE_MEASUREMENT_BOUND_H
#define ESTIMATE_MEASUREMENT_BOUND_H

#include "estimate/inference/inference.h"

/* Seconds of an output token with that many requests in flight, and of the first token of one. */
double bound_token_seconds(const struct inference *inference, double batch);
double bound_first_token_seconds(const struct inference *inference);
/* The most output tokens per second with that many in flight, prompts read too. */
double bound_output_rate(const struct inference *inference, double batch);

/* Bytes of the weights that one GPU of the replica holds. */
double bound_weights_per_gpu(const struct inference *inference);

#endif
