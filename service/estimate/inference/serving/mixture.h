/* mixture.h - latency percentiles over the requests of several pools together. */
#ifndef ESTIMATE_INFERENCE_SERVING_MIXTURE_H
#define ESTIMATE_INFERENCE_SERVING_MIXTURE_H

#include <stddef.h>

/* A pool: its share of the requests, and their 50th and 95th percentile times. */
struct mixture_part {
    double share, p50, p95;
};

/* The quantile `below` over all requests, assuming lognormal times in each pool; NAN if a time is
 * unknown. Shares add up to 1. */
double mixture_percentile(const struct mixture_part *parts, size_t n, double below);

#endif
