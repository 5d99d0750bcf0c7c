/* delay.h - percentiles of a request that other prompts delay and that needs no wait for a slot.
 *
 * A request takes its time to the first token, its own steps, and the prefill that others bring
 * meanwhile: a compound Poisson sum, so that short answers often meet none. Each part has its own
 * distribution and the last depends on the others, so their percentiles do not follow from moments
 * of the sum. */
#ifndef ESTIMATE_INFERENCE_SERVING_DELAY_H
#define ESTIMATE_INFERENCE_SERVING_DELAY_H

#include "estimate/inference/moments.h"

#include <stdbool.h>

struct delay {
    struct moments first, wait;    /* seconds to the first token without waiting; the wait */
    double waits;                  /* probability of a wait; `wait` includes those of 0 s */
    double steps_each, steps_more; /* steps of an answer: each x its length over the mean + more */
    double sigma, low, high;       /* log deviation of that length, and its bounds */
    double step;                   /* seconds */
    double varies;                 /* squared relative deviation of a request's mean step */
    double rate;                   /* prompts per second */
    double mean, variance, third;  /* moments of the prefill that the arrivals of one second bring,
                                      with what arrives while it is done */
    double follows; /* share of the time to the first token whose arrivals delay the rest */
    double budget;  /* seconds of prefill in a step, at most */
};

/* Median, where asked for, and 95th percentile. */
void delay_percentiles(const struct delay *delay, double *p50, double *p95);
/* Whether the 95th percentile is above that many seconds, in a fifth of the time. */
bool delay_is_over(const struct delay *delay, double seconds);

#endif
