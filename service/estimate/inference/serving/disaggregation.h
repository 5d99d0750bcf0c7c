/* disaggregation.h - disaggregated prefill and decode (DistServe, arXiv 2401.09670): separate
 * replicas that only read prompts, sharded like the decode replicas, on the same GPU type. */
#ifndef ESTIMATE_INFERENCE_SERVING_DISAGGREGATION_H
#define ESTIMATE_INFERENCE_SERVING_DISAGGREGATION_H

#include "estimate/inference/serving/serving.h"

/* Sets the number of prefill replicas, pinned or as needed for the load, given the design's other
 * replicas, and the resulting number of GPUs. False if pinned values leave no replica to read or to
 * write, or contradict that number. */
bool serving_set_prefill(const struct serving_request *request,
                         const struct serving_replica *replica, struct serving_design *design);

/* Number of decode replicas among `all`, such that both kinds are equally busy, or if that breaks a
 * limit, such that none is broken. */
double serving_decode_replicas(const struct serving_request *request,
                               const struct serving_replica *replica, double all);

/* Prompts per second that the design's prefill replicas handle within their maximum utilization;
 * infinite without disaggregation. */
double serving_prompt_rate(const struct inference *inference, const struct serving_design *design);

/* Requests per second at peak, as they arrive or as those in flight are completed. */
double serving_rate_asked(const struct serving_request *request, const struct serving_plan *plan);

/* True if the prefill replicas keep up with that. */
bool serving_prompts_read(const struct serving_request *request, const struct serving_plan *plan);

#endif
