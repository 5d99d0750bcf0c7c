/* sizing.h - what the files of /v1/inference-sizing share. */
#ifndef API_INFERENCE_SIZING_H
#define API_INFERENCE_SIZING_H

#include "api/resource/context.h"
#include "estimate/inference/serving/rules.h"
#include "estimate/inference/serving/serving.h"
#include "estimate/measurement/correction.h"

struct inference_sizing_in {
#include "base/field/members.h"
#include "api/inference/sizing_in.def"
#include "base/field/end.h"
};

struct inference_sizing_out {
#include "base/field/members.h"
#include "api/inference/sizing_out.def"
#include "base/field/end.h"
};

/* Inputs as they were filled in and figures of this resource's call, once it is answered. */
const struct inference_sizing_in *inference_sizing_inputs(const struct request_context *answered);
const struct inference_sizing_out *inference_sizing_figures(const struct request_context *answered);

/* The question as the estimate takes it, every gap filled; false with *err where it contradicts
 * itself or names what is not known. The request borrows from the call's arena;
 * constants that are there already are used again. */
bool inference_sizing_request(struct request_context *context, struct inference_sizing_in *in,
                              struct serving_request *request, struct err *err) MUST_CHECK;

/* What published evaluations say of weights narrower than the model is published in; NULL where
 * they are not. */
const char *inference_sizing_quality(const struct inference_job *job);

/* Warn of what the answer rests on or leaves out. */
void inference_sizing_warn(struct request_context *context, const struct inference_sizing_in *in,
                           const struct serving_request *request, const struct serving_plan *plan);
/* Adds the table of advice. */
void inference_sizing_advise(struct request_context *context, const struct serving_request *request,
                             const struct serving_plan *plan);

/* The code of the warning that comes before all others. */
#define INFERENCE_NO_LIMIT "no_latency_limit"

/* Warn of what the load leaves open: an even day, and first of all that no latency is limited.
 * `latency_p95` is of the answer's design, NAN where there is none. */
void inference_demand_warn(struct request_context *context, double latency_p95);

/* Months for which the caller's credits pay that rent; NAN without any. */
double inference_sizing_credit_months(const struct inference_sizing_in *in, double rent_per_month);

#endif
