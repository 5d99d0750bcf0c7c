/* latency.h - percentiles of request latency and time to first token, for Poisson arrivals and
 * lognormal lengths.
 *
 * Prompts are prefilled in chunks, first come first served and before decode: waiting prompts form
 * an M/G/1 queue, and prompts that arrive during a pass share the next one. Requests in flight
 * share the processor: each one makes every step longer. A request takes a delay cycle (Conway,
 * Maxwell and Miller, Theory of Scheduling, 1967): the prompts queued before it, its own work, and
 * the prompts that arrive meanwhile, as far as its own passes read them. Where few prompts come,
 * the first three moments of the parts are added and the 95th percentile is that of the shifted
 * lognormal distribution with these moments; where many do, and for the median, delay.h adds the
 * distributions of the parts. If slots run out, some requests also wait an exponential time for
 * one.
 * tests/accuracy/simulate.py simulates the same replica event by event. */
#ifndef ESTIMATE_INFERENCE_SERVING_LATENCY_H
#define ESTIMATE_INFERENCE_SERVING_LATENCY_H

#include "estimate/inference/inference.h"
#include "estimate/inference/moments.h"

struct latency {
    double p50, p95, ttft_p95; /* seconds; NAN if the queue is unstable */
    /* The same as ttft_p95 if fewer requests wait for a slot, and if more do: the latter is
     * compared with the limit. latency_of() alone tells the former. */
    double ttft_p95_least, ttft_p95_most;
    /* Mean seconds from one token of an answer to the next by the delay cycle, and the weight, 0 to
     * 1, that latency_token() gives to another estimate. NAN where other replicas read the prompts,
     * or nothing is written after the first token. */
    double token, token_other;
    /* Derivation: */
    struct moments first,
        whole; /* to the first token, and of the request, without waiting for a slot */
    double z50, z95, ttft_z95; /* normal scores at which these reach the percentiles that include
                                  the wait for a slot */
    double turns_share;        /* share of time taken by prefill, including mixed passes */
    double slot_chance, slot_seconds; /* wait for a slot: probability, mean duration */
};

/* At `rate` requests per second with `most` slots. */
struct latency latency_of(const struct inference *inference, double rate, double most);

/* Mean seconds from one token of an answer to the next: the delay cycle's, and near a full load a
 * weighted mean of it and `served`, the closed form's seconds for the number in flight. `served`
 * where the delay cycle is unknown. Near a full load the delay cycle is 15 to 30 % early, because
 * the queue outlasts answers and each of their steps reads a full pass, and the closed form is 5 to
 * 40 % late (tests/accuracy/README.md). */
double latency_token(const struct latency *latency, double served);

/* Computes only the percentiles of first tokens, in a tenth of the time. */
struct latency latency_first(const struct inference *inference, double rate, double most);
/* Computes only the 95th percentiles. */
struct latency latency_tails(const struct inference *inference, double rate, double most);
/* The same, but where whole requests are far from their limit p95 is only on the right side of it,
 * and first tokens are computed only if they have a limit (NAN: none). */
struct latency latency_tails_near(const struct inference *inference, double rate, double most,
                                  double whole_limit, double first_limit);
/* Whether one of p95 and ttft_p95_most is surely above its limit (NAN: none) or without an end, in
 * less time. */
bool latency_is_over(const struct inference *inference, double rate, double most,
                     double whole_limit, double first_limit);
/* Whether percentiles exist at that rate. */
bool latency_ends(const struct inference *inference, double rate, double most);

#endif
