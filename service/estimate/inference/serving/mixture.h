/* mixture.h - percentiles of the requests of several pools together. */
#ifndef ESTIMATE_INFERENCE_SERVING_MIXTURE_H
#define ESTIMATE_INFERENCE_SERVING_MIXTURE_H

#include <stddef.h>

/* A pool: its share of the requests, and the times that half and 95% of these stay under. */
struct mixture_part {
    double share, p50, p95;
};

/* The time that the share `below` of all requests stays under, where the times of each pool are
 * lognormal; NAN where a time is unknown. Shares add up to 1. */
double mixture_percentile(const struct mixture_part *parts, size_t n, double below);

#endif
