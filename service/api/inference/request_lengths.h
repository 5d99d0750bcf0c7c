/* request_lengths.h - the parameter request_lengths: a histogram of request lengths. */
#ifndef API_INFERENCE_REQUEST_LENGTHS_H
#define API_INFERENCE_REQUEST_LENGTHS_H

#include "api/inference/sizing.h"

/* Set the lengths of a job and their spread, from the histogram if one is given. False if it is
 * malformed, or if input_tokens or output_tokens are given too. */
bool request_lengths_read(struct request_context *context, const struct inference_sizing_in *in,
                          const struct model *model, struct inference_job *job,
                          struct err *err) MUST_CHECK;

/* Set the mean lengths as inputs of a request that has request_lengths. */
void request_lengths_set(struct request_context *context, const struct inference_job *job);

#endif
