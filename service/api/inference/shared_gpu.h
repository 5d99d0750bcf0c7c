/* shared_gpu.h - the parameters gpu_fraction and mig_profile: several replicas on one GPU. */
#ifndef API_INFERENCE_SHARED_GPU_H
#define API_INFERENCE_SHARED_GPU_H

#include "api/inference/sizing.h"

/* Assign each replica a part of the GPU, if requested. False if the GPU cannot be divided like
 * that, or a part cannot do what is asked. */
bool shared_gpu_read(struct request_context *context, const struct inference_sizing_in *in,
                     struct serving_request *request, struct err *err) MUST_CHECK;

#endif
