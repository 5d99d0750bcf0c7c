/* tail.h - percentiles of a time given by its moments, when some requests also wait an exponential
 * time for a slot. */
#ifndef ESTIMATE_INFERENCE_SERVING_TAIL_H
#define ESTIMATE_INFERENCE_SERVING_TAIL_H

#include "estimate/inference/moments.h"

#include <stddef.h>

struct tail_wait {
    double chance, seconds; /* probability, mean */
};

/* The percentile at normal score `z`, but at least that of `least`, the same time without waiting:
 * for rare waits the three moments may give less. */
double tail_percentile(const struct moments *of, const struct moments *least,
                       const struct tail_wait *slots, double z);
/* The normal score at which the shifted lognormal distribution with these moments has the value
 * `seconds`; `otherwise` if its deviation is 0. */
double tail_score(const struct moments *of, double seconds, double otherwise);

/* A pool: its share of the requests, and their 50th and 95th percentile times. */
struct tail_part {
    double share, p50, p95;
};

/* The quantile `below` over all requests, assuming lognormal times in each pool; NAN if a time is
 * unknown. Shares add up to 1. */
double tail_of_mixture(const struct tail_part *parts, size_t n, double below);

#endif
