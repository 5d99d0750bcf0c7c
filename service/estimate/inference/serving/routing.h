/* routing.h - how many replicas a load needs. A router that sends each request to the replica with
 * the fewest evens out how many each has and shortens waits, the more so the more replicas there
 * are: what one of them carries within the limits then depends on their number. */
#ifndef ESTIMATE_INFERENCE_SERVING_ROUTING_H
#define ESTIMATE_INFERENCE_SERVING_ROUTING_H

#include "estimate/inference/serving/serving.h"

/* True if what a replica carries depends on the number of replicas. */
bool serving_routes(const struct serving_request *request);
/* Limits and sizes the replica. If what it carries depends on the number of replicas, only the
 * times of a request alone are set. */
void serving_replica_within(const struct serving_request *request, struct serving_replica *replica);
/* Sizes the replica again as one of that many; unchanged if the number does not matter. */
void serving_replica_route(const struct serving_request *request, double replicas,
                           struct serving_replica *replica);
/* Whether one of that many replicas breaks a limit at that many requests per second each, or has no
 * memory for those in flight. */
bool serving_breaks(const struct serving_request *request, const struct inference *inference,
                    double rate, double replicas);
/* Whether some number of replicas carries some load within the limits. */
bool serving_keeps_some(const struct serving_request *request,
                        const struct serving_replica *replica);
/* The fewest replicas that carry the peak load if each carries what this one does. */
double serving_replicas_alike(const struct serving_request *request,
                              const struct serving_replica *replica);
/* The fewest replicas that carry the peak load within the limits; NAN if no number does, or if each
 * has a load of its own. */
double serving_replicas_needed(const struct serving_request *request,
                               const struct serving_replica *replica);

#endif
