/* latency.h - percentiles of whole requests and first tokens on a replica where requests arrive at
 * random (Poisson), their lengths spread (lognormal).
 *
 * A replica reads prompts first come first served and before it writes (chunked prefill): those
 * that wait are an M/G/1 queue (Pollaczek and Khinchin). What is in flight is served at once,
 * each step longer by what is in it: processor sharing. A request ends when the replica has done
 * all that it found of prompts, its own work, and the prompts that come in the meantime: a delay
 * cycle (Conway, Maxwell and Miller, Theory of Scheduling, 1967). Three moments of each part add
 * up, and the percentile is that of a shifted lognormal distribution with these moments.
 * tests/accuracy/simulate.py simulates the same replica event by event.
 */
#ifndef ESTIMATE_INFERENCE_SERVING_LATENCY_H
#define ESTIMATE_INFERENCE_SERVING_LATENCY_H

#include "estimate/inference/inference.h"

/* Mean, variance and third central moment of a random time. Those of independent times add up. */
struct moments {
    double mean, variance, third;
};

struct latency {
    double p50, p95, ttft_p95; /* seconds; NAN where the queue has no end */
    /* How they come about: */
    double prompt, spread; /* seconds of the replica to read one; its squared cv */
    double late;           /* seconds that a first token comes after the replica has read it */
    double share;          /* of the time that prompts are read */
    double step_fixed, step_each; /* a step is that, and so much longer for each request in it */
    double steps;                 /* of a request after its first token */
    double gain;                  /* added requests in flight per request in flight; below 1 */
    double running;               /* with a request, itself counted */
    double step;                  /* with those */
    double stalled;               /* requests that prompts hold up, on average */
    double others;                /* chance to find something running */
    double alone;                 /* chance to find a pass that only reads */
    double turn;                  /* seconds a prompt takes, its share of steps included */
    double turns_share;           /* of the time that takes */
    double wait;                  /* for prompts found, mean seconds */
    double slot_chance, slot_seconds; /* all places taken: how often, and then how long */
    struct moments first, whole;      /* to the first token, of the request */
};

/* With `rate` requests per second, of which `most` find a place at a time. None of the percentiles
 * falls as the rate grows. */
struct latency latency_of(const struct inference *inference, double rate, double most);

/* The shifted lognormal distribution with these moments: exp(sigma^2) is w; 1 where it is not
 * skewed, and normal. */
struct latency_shape {
    double deviation, w, sigma;
};

struct latency_shape latency_shape_of(const struct moments *moments);

/* The normal quantile of 0.95; that of 0.5 is 0. */
#define LATENCY_Z95 1.6448536269514722

#endif
