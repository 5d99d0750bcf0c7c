/* delay.h - latency percentiles of a request that is delayed by other prompts but does not wait for
 * a slot.
 *
 * A request takes its time to the first token, its own steps, and the prefill of prompts that
 * arrive meanwhile: a compound Poisson sum, so short answers often meet none. Each part has its own
 * distribution and the last depends on the others, so the percentiles cannot be derived from
 * moments of the sum. */
#ifndef ESTIMATE_INFERENCE_SERVING_DELAY_H
#define ESTIMATE_INFERENCE_SERVING_DELAY_H

#include "estimate/inference/moments.h"

#include <stdbool.h>

struct delay {
    struct moments first, wait;    /* seconds to the first token without waiting; waiting time */
    double waits;                  /* probability of a wait; `wait` includes waits of 0 s */
    double steps_each, steps_more; /* steps of an answer: steps_each x (its length over the mean) +
                                    * steps_more */
    double sigma, low, high;       /* standard deviation of the log length, and its bounds */
    double scale;                  /* mean length before clipping, over the mean */
    double step;                   /* seconds */
    double varies;                 /* squared relative deviation of a request's mean step */
    double slows; /* standard deviation of the log of that mean step that goes with the time to the
                   * first token: both follow from the length of the prompt */
    double rate;  /* prompts per second */
    double mean, variance, third; /* moments of the prefill seconds brought by one second of
                                   * arrivals, including what arrives while they are processed */
    double others;                /* fraction of that variance due to the requests in flight */
    double follows; /* fraction of the time to first token whose arrivals delay the rest */
    double budget;  /* maximum prefill seconds per step */
};

/* The percentile with that normal score. */
double delay_percentile(const struct delay *delay, double z);
/* Seconds to the first token without a wait for a slot. */
struct delay_first {
    struct moments alone, met; /* without a wait, on an idle replica and on one in a step */
    double meets;              /* probability of the latter */
    struct moments wait;       /* over all requests; most of them may not wait */
    double waits;              /* probability of a wait */
};

/* The 95th percentile, and whether it is above that many seconds, in less time. */
double delay_first(const struct delay_first *first);
bool delay_first_is_over(const struct delay_first *first, double seconds);
/* Whether the 95th percentile is above that many seconds, in a fifth of the time. */
bool delay_is_over(const struct delay *delay, double seconds);

#endif
