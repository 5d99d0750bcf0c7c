/* sizing.h - shared by the files of /v1/inference-sizing. */
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

/* The completed inputs and the figures of an answered request. */
const struct inference_sizing_in *inference_sizing_inputs(const struct request_context *answered);
const struct inference_sizing_out *inference_sizing_figures(const struct request_context *answered);

/* Convert the inputs to a request of the estimate, with all defaults filled in; false with *err if
 * they are contradictory or name something unknown. The request borrows from the context's arena;
 * constants already in it are reused. */
bool inference_sizing_request(struct request_context *context, struct inference_sizing_in *in,
                              struct serving_request *request, struct err *err) MUST_CHECK;

/* What published evaluations say about weights narrower than the published ones; NULL if they are
 * not narrower. */
const char *inference_sizing_quality(const struct inference_job *job);

/* Warns of where owned GPUs are assumed to be: under a desk, or in a room only because they are too
 * many for desks. */
void inference_sizing_warn_housing(struct request_context *context,
                                   const struct inference_sizing_in *in,
                                   const struct serving_request *request, double gpu_count);
/* Warn about omissions and weak foundations of the answer. */
void inference_sizing_warn(struct request_context *context, const struct inference_sizing_in *in,
                           const struct serving_request *request, const struct serving_plan *plan);
/* Adds the table of advice. */
void inference_sizing_advise(struct request_context *context, const struct serving_request *request,
                             const struct serving_plan *plan);

/* Code of the warning that precedes all others. */
#define INFERENCE_NO_LIMIT "no_latency_limit"

/* Warns that without a load only one request at a time is sized for. */
void inference_demand_warn_none(struct request_context *context);
/* Warn about an underspecified load: no daily peak, and first of all no latency limit.
 * `latency_p95` and `utilization`, of the average load, are the answer's design's; NAN without one.
 */
void inference_demand_warn(struct request_context *context, double latency_p95, double utilization);
/* The same for a recommended design, which may not carry the load at the slow end of its range. */
void inference_demand_warn_recommended(struct request_context *context, struct range latency_p95,
                                       double utilization);

/* Warn of what decides the size of the design that the search chose, and of its settings that
 * differ from the engine's own, with what they save. Searches again where a warning compares. */
void inference_design_warn(struct request_context *context, const struct serving_request *request,
                           const struct serving_plan *plan);

/* Warn, of a design within a limit on a percentile, if most of its GPUs' time is unused only
 * because lengths are spread: how many GPUs requests of equal length would need. */
void inference_lengths_warn(struct request_context *context, const struct serving_request *request,
                            const struct serving_plan *plan);

/* Months for which the caller's credits cover the rent; NAN without credits. */
double inference_sizing_credit_months(const struct inference_sizing_in *in, double rent_per_month);

#endif
