/* disaggregation.h - replicas that only read prompts, where those that write answers do not
 * (disaggregated prefill and decode: DistServe, arXiv 2401.09670). They are split as the others
 * are, on the same kind of GPU. */
#ifndef ESTIMATE_INFERENCE_SERVING_DISAGGREGATION_H
#define ESTIMATE_INFERENCE_SERVING_DISAGGREGATION_H

#include "estimate/inference/serving/serving.h"

/* Sets how many of them a design has, given its other replicas, pinned or as the load needs, and
 * with those its number of GPUs. False where what is pinned leaves none to read or to write, or is
 * another number of GPUs. */
bool serving_set_prefill(const struct serving_request *request,
                         const struct serving_replica *replica, struct serving_design *design);

/* How many of `all` replicas write: as many as are busy while the others are. */
double serving_writers(const struct inference *inference, double all);

/* Prompts per second that the design's readers take, no busier than they may be; infinite where
 * answers are written on the same GPUs. */
double serving_prompt_rate(const struct inference *inference, const struct serving_design *design);

/* Requests per second at the peak, as they come or as those in flight are answered. */
double serving_rate_asked(const struct serving_request *request, const struct serving_plan *plan);

/* Whether the replicas that only read keep up with that. */
bool serving_prompts_read(const struct serving_request *request, const struct serving_plan *plan);

/* The fewest of the replica that carry the load at its peak within the limits; NAN where no number
 * does, or each has a load of its own. */
double serving_replicas_needed(const struct serving_request *request,
                               const struct serving_replica *replica);

#endif
