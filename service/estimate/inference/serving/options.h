/* options.h - all ways to serve a load on all GPU types, ranked: degrees of parallelism, numbers of
 * replicas, weight formats. The Pareto frontier consists of the options that no other beats in both
 * cost and latency.
 *
 * Candidates are independent: serving_options_of() may run in one thread each, with an arena each;
 * serving_ranking() of ranking.h merges the parts.
 */
#ifndef ESTIMATE_INFERENCE_SERVING_OPTIONS_H
#define ESTIMATE_INFERENCE_SERVING_OPTIONS_H

#include "base/arena.h"
#include "estimate/inference/serving/serving.h"

/* A GPU type and a weight format, as set in its request. */
struct serving_candidate {
    const struct serving_request *request;
    double price_per_gpu_hour; /* USD, given by the caller; NAN: from the request's book. Without
                                * any price it is ranked by latency only, after the others */
    const struct catalog *catalog; /* if not NULL, GPUs are owned, at serving_owned_price() of each
                                    * design */
    day as_of;                     /* of that price */
    bool every;  /* list options too that cost much for little: the caller has their GPUs */
    bool boards; /* GPUs may be bought as well: GPUs of one board cost the same */
};

/* A design that fits and carries the load, with its plan's figures. */
struct serving_option {
    size_t candidate; /* index */
    struct serving_design design;
    double complexity;                  /* serving_complexity() */
    double gpus_paid;                   /* GPUs; those of whole boards if they may be bought */
    double batch;                       /* requests in flight per replica, mean */
    double utilization;                 /* 0 to 1 */
    double requests_held;               /* requests that fit into a replica's KV cache */
    double weights_bytes;               /* per replica */
    double ttft;                        /* seconds */
    struct range tpot, latency;         /* seconds; latency is the 95th percentile */
    struct range latency_p50, ttft_p95; /* likewise */
    double seconds;            /* ranking key: the latency, or in a closed loop the mean request
                                * time */
    double tokens_per_second;  /* output of all replicas */
    double price_per_gpu_hour; /* USD; NAN if unknown */
    bool unlinked;             /* serving_is_unlinked() */
    bool one_provider;         /* PRICE_ONE_PROVIDER */
    bool confirmed; /* it is not, and GPUs are not rented or price_doubt() finds nothing */
    struct serving_cost cost; /* at that price */
    const char *bound;        /* inference_bound() */
    bool meets_limits;        /* true also if there are no limits */
    double busy; /* load at the peak over what the replicas carry if they are as slow as the 80 %
                  * interval allows: over 1, requests may wait ever longer. 0 in a closed loop.
                  * Disaggregated replicas are judged by those that write */
    bool on_frontier;                     /* no other option is both cheaper and faster */
    struct serving_correction correction; /* by measured runs */
    double power_kw; /* at the meter; the search leaves it NAN, as it does latency_p50 */
};

/* The options of one candidate. */
struct serving_options_part {
    struct serving_option *at; /* in the arena */
    size_t n;
    size_t n_considered;         /* designs tried */
    bool will_do;                /* some option meets the limits */
    struct serving_plan nearest; /* if none does: the plan that comes nearest */
    /* If a power limit removed all options that meet the other limits: the least power among those,
     * in kW. 0 if it did not; NAN if unknown for all of them. */
    double power_kw_least;
};

/* For each way to shard a replica: the fewest replicas that carry the load, the fewest that
 * carry it within the limits, the fewest that still keep up with it if they are as slow as their
 * interval allows, and two, four and eight times those, until 95% of the time no two
 * requests share a replica; only the first two if experts are spread over servers. In addition,
 * if it needs fewer GPUs than any of these within the limits, a design with other passes and one
 * with disaggregated prefill; if GPUs cost less when fewer are connected, also one with other
 * passes and smaller replicas. Designs with more stages that one with fewer outdoes in GPUs, cost
 * and every time are left out; so are those for which serving_is_overpriced() is true, unless
 * `every` one is asked for or both degrees are pinned. Pinned inputs are kept. */
void serving_options_of(const struct serving_candidate *candidates, size_t candidate,
                        struct arena *arena, struct serving_options_part *part);

/* Whether an option takes at least twice the GPUs (`gpus_paid`) of another that also meets the
 * limits, if it does, and its requests (95th percentile; mean of a closed loop) over 80 % of the
 * other's time. Not if it costs less than 1.75 times as much, as GPUs of one machine may be paid
 * for anyway, nor if only its own price is known. */
bool serving_is_overpriced(const struct serving_option *option, const struct serving_option *other);
/* Remove those that are, each compared with those that stay. */
void serving_leave_out_overpriced(struct serving_options_part *part, struct arena *arena);

/* Remove options whose servers draw more than `limit_kw` at the meter; NAN for no limit. */
void serving_options_limit_power(const struct serving_candidate *candidate,
                                 const struct catalog *catalog, day as_of, double limit_kw,
                                 struct serving_options_part *part);

#endif
