/* bound.h - physical bounds of a measured run: the least time that the data sheet's arithmetic
 * and bandwidth allow, and the bytes that must be on each GPU. */
#ifndef ESTIMATE_MEASUREMENT_BOUND_H
#define ESTIMATE_MEASUREMENT_BOUND_H

#include "estimate/inference/inference.h"
#include "estimate/training/memory.h"

/* Lower bounds: seconds per output token with that many requests in flight, and of one request's
 * first token. */
double bound_token_seconds(const struct inference *inference, double batch);
double bound_first_token_seconds(const struct inference *inference);
/* Upper bound on output tokens per second with that many in flight, prefill included. */
double bound_output_rate(const struct inference *inference, double batch);

/* Bytes of weights on one GPU of the replica. */
double bound_weights_per_gpu(const struct inference *inference);
/* Bytes of weights, gradients and states on the fullest GPU of a training, however they are
 * divided; less where gradients come and go. */
double bound_training_bytes(const struct training_job *job, double gpu_count);

#endif
