/* failover.h - whether a design goes on within its limits when a replica is lost. */
#ifndef ESTIMATE_INFERENCE_SERVING_FAILOVER_H
#define ESTIMATE_INFERENCE_SERVING_FAILOVER_H

#include "estimate/inference/serving/serving.h"

/* Sets plan->failover; all else of the plan is set. */
void serving_set_failover(const struct serving_request *request,
                          const struct serving_replica *replica, struct serving_plan *plan);

#endif
