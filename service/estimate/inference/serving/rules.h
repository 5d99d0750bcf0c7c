/* rules.h - back-of-the-envelope figures of serving, for comparison with the estimate.
 */
#ifndef ESTIMATE_INFERENCE_SERVING_RULES_H
#define ESTIMATE_INFERENCE_SERVING_RULES_H

#include "estimate/figures/rule_of_thumb.h"
#include "estimate/inference/serving/serving.h"

/* Inputs of the rules in addition to the question itself; NAN if not given. */
struct inference_rule_inputs {
    double bandwidth_efficiency;      /* fraction of the bandwidth assumed by the rules */
    double link_latency_seconds;      /* per hop of an all-reduce */
    double replica_tokens_per_second; /* measured on one replica */
    double card_price;                /* USD per GPU */
    double price_per_gpu_hour;        /* USD */
};

/* All rules that apply to the question and its design. */
void inference_rules(const struct serving_request *request, const struct serving_plan *plan,
                     const struct inference_rule_inputs *inputs, struct rules *rules);

#endif
