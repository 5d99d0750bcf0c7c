/* serving_loss.h - whether a design goes on within its limits when a replica is lost. */
#ifndef ESTIMATE_SERVING_LOSS_H
#define ESTIMATE_SERVING_LOSS_H

#include "estimate/serving.h"

/* Sets plan->loss; all else of the plan is set. */
void serving_set_loss(const struct serving_request *request, const struct serving_replica *replica,
                      struct serving_plan *plan);

#endif
