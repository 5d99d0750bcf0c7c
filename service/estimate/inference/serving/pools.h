/* pools.h - two pools of replicas, one that reads prompts and one that writes answers: how many of
 * each the limits take, for random arrivals and in closed loops. */
#ifndef ESTIMATE_INFERENCE_SERVING_POOLS_H
#define ESTIMATE_INFERENCE_SERVING_POOLS_H

#include "estimate/inference/serving/serving.h"

/* Numbers of replicas. */
struct serving_pools {
    double writers, readers;
};

/* True if the pools carry the peak load within the limits. */
bool serving_pools_carry(const struct serving_request *request, const struct inference *inference,
                         struct serving_pools pools);
/* The fewest readers that any number of writers takes: for random arrivals those that read the
 * prompts, as busy as they may be. 0 without pools. */
double serving_pools_reading(const struct serving_request *request,
                             const struct inference *inference);
/* The fewest readers that this takes with that number of writers; without limits that they can
 * keep, those that read the prompts. */
double serving_pools_readers(const struct serving_request *request,
                             const struct inference *inference, double writers);
/* The pools of the fewest replicas that carry it, of at least `writers` writers; if the number of
 * readers is pinned, the fewest writers for it. False if there are none. */
bool serving_pools_fewest(const struct serving_request *request, const struct inference *inference,
                          double writers, struct serving_pools *pools);

#endif
