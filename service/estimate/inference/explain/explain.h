/* explain.h - the derivation of each figure of an inference sizing: headline figures and every line
 * of memory, time and money, down to the catalogue's constants.
 *
 * Formulas from elsewhere: the bytes of the KV cache and the roofline terms of a decode step as in
 * Pope et al., Efficiently Scaling Transformer Inference, arXiv 2211.05102; requests in flight by
 * J. D. C. Little, A Proof for the Queuing Formula L = lambda W, Operations Research 9(3), 1961.
 */
#ifndef ESTIMATE_INFERENCE_EXPLAIN_EXPLAIN_H
#define ESTIMATE_INFERENCE_EXPLAIN_EXPLAIN_H

#include "estimate/figures/explain.h"
#include "estimate/inference/serving/serving.h"
#include "estimate/ownership/owned.h"

/* A design with everything computed from it. */
struct inference_answer {
    const struct serving_request *request;
    const struct serving_plan *plan;
    const struct serving_cost *cost;
    double price_per_gpu_hour; /* USD; NAN if unknown */
    struct owned_power power;
    const char *model; /* name in the catalogue; NULL if it is not in it */
};

/* Adds all rows; a design that does not fit has rows of memory and money only. An unknown figure
 * has a row that shows which of its inputs are known. */
void inference_explain(const struct inference_answer *answer, struct explanations *to);

#endif
