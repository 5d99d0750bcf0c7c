/* rules.h - the back-of-the-envelope figures of serving, alongside which the estimate
 * stands.
 */
#ifndef ESTIMATE_INFERENCE_SERVING_RULES_H
#define ESTIMATE_INFERENCE_SERVING_RULES_H

#include "estimate/figures/rule_of_thumb.h"
#include "estimate/inference/serving/serving.h"

/* What the rules take alongside the question itself. NAN: not given. */
struct inference_rule_inputs {
    double bandwidth_efficiency;      /* share of the bandwidth people count with */
    double link_latency_seconds;      /* per hop of an all-reduce */
    double replica_tokens_per_second; /* measured on one replica */
    double card_price;                /* USD per GPU */
    double price_per_gpu_hour;        /* USD */
};

/* Every rule that applies to the question and the design that answers it. */
void inference_rules(const struct serving_request *request, const struct serving_plan *plan,
                     const struct inference_rule_inputs *inputs, struct rules *rules);

#endif
