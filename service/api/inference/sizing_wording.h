/* sizing_wording.h - the verdict of a sizing in words. */
#ifndef API_INFERENCE_SIZING_WORDING_H
#define API_INFERENCE_SIZING_WORDING_H

#include "api/inference/sizing.h"

/* The verdict in one sentence, in the context's arena. */
const char *inference_sizing_reason(struct request_context *context,
                                    const struct serving_request *request,
                                    const struct serving_plan *plan);
/* The API's word for the binding limit. */
const char *inference_sizing_binding(enum serving_limit limit);

/* A number for a sentence, rounded to a whole one, in the arena. */
const char *inference_sizing_whole(struct request_context *context, double value);

#endif
