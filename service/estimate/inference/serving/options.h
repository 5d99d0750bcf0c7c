/* options.h - every way to serve a load on every kind of GPU, ranked: degrees of
 * parallelism, numbers of replicas, formats of the weights. Those that no other beats in both cost
 * and latency are the frontier.
 *
 * Candidates are independent of one another: serving_options_of() may run on a thread each, with an
 * arena each, and serving_options_rank() puts the parts together.
 */
#ifndef ESTIMATE_INFERENCE_SERVING_OPTIONS_H
#define ESTIMATE_INFERENCE_SERVING_OPTIONS_H

#include "base/arena.h"
#include "estimate/inference/serving/serving.h"

/* A kind of GPU and a format of the weights, as its request says. */
struct serving_candidate {
    const struct serving_request *request;
    double price_per_gpu_hour; /* USD, the caller's; NAN: the price of the request's book, without
                                * one ranked by latency alone, after the others */
    const struct catalog *catalog; /* not NULL: owned, at serving_owned_price() of each design */
    day as_of;                     /* of that price */
};

/* A design that fits and carries the load, with the figures of its plan. */
struct serving_option {
    size_t candidate; /* index */
    struct serving_design design;
    double complexity;                  /* serving_complexity() */
    double batch;                       /* requests in flight per replica, mean */
    double utilization;                 /* 0 to 1 */
    double requests_held;               /* by the KV cache of a replica */
    double weights_bytes;               /* of a replica */
    double ttft;                        /* seconds */
    struct range tpot, latency;         /* seconds; the latency is that of 95% of requests */
    struct range latency_p50, ttft_p95; /* the like */
    double seconds;            /* to rank by: the latency, of a closed loop its mean request */
    double tokens_per_second;  /* written by all replicas */
    double price_per_gpu_hour; /* USD; NAN where none is known */
    struct serving_cost cost;  /* at that price */
    const char *bound;         /* inference_bound() */
    bool meets_limits;         /* or none is given */
    bool on_frontier;          /* no other option is both cheaper and faster */
    struct serving_correction correction; /* by measured runs */
    double power_kw; /* at the meter; NAN as the search leaves it, as is latency_p50 */
};

enum serving_rank {
    SERVING_RANK_COST,    /* cheapest first, those that keep the limits before the others; the
                             simplest design of those within 1 % of the cheapest before it */
    SERVING_RANK_LATENCY, /* fastest first, likewise */
};

/* The options of one candidate. */
struct serving_options_part {
    struct serving_option *at; /* in the arena */
    size_t n;
    size_t n_considered;         /* designs tried */
    bool will_do;                /* some option keeps the limits */
    struct serving_plan nearest; /* where none does: what comes nearest to it */
    /* The least power of those that a power limit took out and that keep the other limits, where
     * none is left that does: kW. 0: it took none out; NAN: it is not known of any. */
    double power_kw_least;
};

/* For each way to split a replica over GPUs the fewest replicas that carry the load, the fewest
 * that carry it within the limits, and two, four and eight times those, until no two requests share
 * a replica 95% of the time; where experts are spread over servers, the first two alone. Then, of
 * fewer GPUs than any of these within the limits, a design with other passes and one that reads
 * prompts apart. What is pinned stays as it is. */
void serving_options_of(const struct serving_candidate *candidates, size_t candidate,
                        struct arena *arena, struct serving_options_part *part);

/* Take out the options whose servers draw more at the meter than `limit_kw`; NAN: none. */
void serving_options_limit_power(const struct serving_candidate *candidate,
                                 const struct catalog *catalog, day as_of, double limit_kw,
                                 struct serving_options_part *part);

/* The options of all parts, ranked, in the arena; the parts are not needed any more. */
struct serving_option *serving_options_rank(const struct serving_options_part *parts,
                                            size_t n_parts, enum serving_rank rank,
                                            struct arena *arena, size_t *n);

#endif
