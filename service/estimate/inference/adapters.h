/* adapters.h - LoRA adapters served together on one copy of the model: their memory, and the time
 * they add to a pass.
 *
 * Each request uses one adapter, whose products are computed in addition to the model's (S-LoRA,
 * arXiv 2311.03285; Punica, arXiv 2310.18547). Adapters are stored in 16 bit and sharded like the
 * matrices they belong to. */
#ifndef ESTIMATE_INFERENCE_ADAPTERS_H
#define ESTIMATE_INFERENCE_ADAPTERS_H

struct inference;

/* Time in addition to a pass of the model without adapters; seconds. */
struct adapter_pass {
    double reads, products, launch;
};

/* Fill what does not depend on the sharding. */
void adapters_set(struct inference *inference);
/* Expected number of distinct adapters used by `requests`. */
double adapters_distinct(const struct inference *inference, double requests);
/* Seconds to read n adapters. */
double adapters_read_seconds(const struct inference *inference, double distinct);
/* For a pass of `tokens` from `requests`. */
struct adapter_pass adapters_pass(const struct inference *inference, double requests,
                                  double tokens);

#endif
