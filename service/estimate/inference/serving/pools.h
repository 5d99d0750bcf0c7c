/* pools.h - two pools of replicas, one that reads prompts and one that writes answers: how many of
 * each the limits take, for random arrivals and in closed loops. */
#ifndef ESTIMATE_INFERENCE_SERVING_POOLS_H
#define ESTIMATE_INFERENCE_SERVING_POOLS_H

#include "estimate/inference/serving/serving.h"

/* Numbers of replicas. */
struct serving_pools {
    double decode, prefill;
};

/* True if the pools carry the peak load within the limits. */
bool serving_pools_carry(const struct serving_request *request, const struct inference *inference,
                         struct serving_pools pools);
/* The fewest prefill replicas that any number of decode replicas takes: for random arrivals those
 * that read the prompts, as busy as they may be. 0 without pools. */
double serving_pools_prefill_least(const struct serving_request *request,
                                   const struct inference *inference);
/* The fewest prefill replicas that this takes with that number of decode replicas; without limits
 * that they can keep, those that read the prompts. */
double serving_pools_prefill(const struct serving_request *request,
                             const struct inference *inference, double decode);
/* The pools of the fewest replicas that carry it, of at least `decode` decode replicas; if the
 * number of prefill replicas is pinned, the fewest decode replicas for it. False if there are none.
 */
bool serving_pools_fewest(const struct serving_request *request, const struct inference *inference,
                          double decode, struct serving_pools *pools);

#endif
