/* sizing_memory.h - corrects a sizing's memory by the sizes that the caller's engine logged. */
#ifndef API_INFERENCE_SIZING_MEMORY_H
#define API_INFERENCE_SIZING_MEMORY_H

#include "api/inference/sizing.h"

bool inference_sizing_has_memory(const struct inference_sizing_in *in);

/* Correct the request by the measured weights and KV cache of a replica that ran `job`. False if
 * they are impossible. */
bool inference_sizing_correct_memory(struct request_context *context,
                                     const struct inference_sizing_in *in,
                                     const struct inference_job *job,
                                     struct serving_request *request, struct err *err) MUST_CHECK;
void inference_sizing_fill_memory(struct request_context *context,
                                  const struct inference_sizing_in *in,
                                  const struct serving_plan *plan, const struct serving_plan *plain,
                                  struct inference_sizing_out *out);

#endif
