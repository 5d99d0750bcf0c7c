/* sizing_remedy.h - what would fit where the stated setup does not: more GPUs, or narrower
 * weights. */
#ifndef API_INFERENCE_SIZING_REMEDY_H
#define API_INFERENCE_SIZING_REMEDY_H

#include "api/inference/sizing.h"

/* A sentence that begins with a blank, in the context's arena; "" if the setup fits or nothing of
 * the kind would. `nearest` is the smallest design that meets every limit, or NULL. */
const char *inference_sizing_remedy(struct request_context *context,
                                    const struct serving_request *request,
                                    const struct serving_plan *plan,
                                    const struct serving_plan *nearest);

/* Warns if a model spread over several consumer cards takes fewer of them with 4-bit weights. */
void inference_sizing_warn_narrower(struct request_context *context,
                                    const struct serving_request *request,
                                    const struct serving_plan *plan);

#endif
