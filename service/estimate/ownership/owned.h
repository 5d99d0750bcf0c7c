/* owned.h - what an hour of a GPU of one's own costs a service. */
#ifndef ESTIMATE_OWNERSHIP_OWNED_H
#define ESTIMATE_OWNERSHIP_OWNED_H

#include "catalog/offer.h"
#include "estimate/inference/serving/serving.h"

/* By the ledger, over the useful life, per hour owned: a service keeps its GPUs around the clock,
 * and the load sets what they draw. False where the ledger lacks a figure. */
bool ownership_serving_price(const struct serving_request *request, const struct serving_plan *plan,
                             const struct catalog *catalog, day as_of, double *price_per_gpu_hour,
                             struct err *err) MUST_CHECK;

#endif
