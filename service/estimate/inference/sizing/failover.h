/* failover.h - whether a design goes on within its limits when a replica is lost. */
#ifndef ESTIMATE_INFERENCE_SIZING_FAILOVER_H
#define ESTIMATE_INFERENCE_SIZING_FAILOVER_H

#include "estimate/inference/sizing/serving.h"

/* Sets plan->loss; all else of the plan is set. */
void serving_set_loss(const struct serving_request *request, const struct serving_replica *replica,
                      struct serving_plan *plan);

#endif
