/* sizing_remedy.h - what would fit where the stated setup does not: more GPUs, or narrower
 * weights. */
#ifndef API_INFERENCE_SIZING_REMEDY_H
#define API_INFERENCE_SIZING_REMEDY_H

#include "api/inference/sizing.h"

/* A sentence in the context's arena that names a narrower weight format with which the setup fits,
 * or takes fewer GPUs than `nearest`; NULL if it fits or there is none. `nearest` is the smallest
 * design that meets every limit, or NULL. */
const char *inference_sizing_narrower(struct request_context *context,
                                      const struct serving_request *request,
                                      const struct serving_plan *plan,
                                      const struct serving_plan *nearest);

/* Sentences that begin with a blank: what `nearest` takes if the setup does not fit, then
 * `narrower` unless it is NULL; "" if neither is of use. */
const char *inference_sizing_remedy(struct request_context *context,
                                    const struct serving_plan *plan,
                                    const struct serving_plan *nearest, const char *narrower);

/* Warns if a model spread over several consumer cards takes fewer of them with 4-bit weights. */
void inference_sizing_warn_narrower(struct request_context *context,
                                    const struct serving_request *request,
                                    const struct serving_plan *plan);

#endif
