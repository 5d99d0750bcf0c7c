/* sizing_correction.h - corrects a sizing by measured runs: a stored set and the caller's own
 * run. */
#ifndef API_INFERENCE_SIZING_CORRECTION_H
#define API_INFERENCE_SIZING_CORRECTION_H

#include "api/inference/sizing.h"

/* Correct the request by the caller's measured run and the named set, if any; *plain becomes the
 * plan without them. False if the measured run is impossible. */
bool inference_sizing_correct(struct request_context *context, const struct inference_sizing_in *in,
                              struct serving_request *request, struct serving_plan *plain,
                              struct err *err) MUST_CHECK;
/* inference_sizing_runs() loads the runs of a set; inference_sizing_take() corrects a request by
 * them, false if none has its model, GPU, engine and format. */
bool inference_sizing_runs(struct request_context *context, const char *set,
                           const struct correction_served_runs **runs, struct err *err) MUST_CHECK;
bool inference_sizing_take(struct request_context *context,
                           const struct correction_served_runs *runs,
                           struct serving_request *request);
/* Widen the interval of a plan that is not near any published run. */
bool inference_sizing_widen(struct request_context *context, struct serving_request *request,
                            struct serving_plan *plan, struct err *err) MUST_CHECK;
void inference_sizing_fill_correction(struct request_context *context,
                                      const struct inference_sizing_in *in,
                                      const struct serving_request *request,
                                      const struct serving_plan *plan,
                                      const struct serving_plan *plain,
                                      struct inference_sizing_out *out);

#endif
