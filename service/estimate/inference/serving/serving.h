/* serving.h - from a load and its limits to GPUs: what a design of replicas carries, whether it
 * keeps the limits, and the smallest design that does. */
#ifndef ESTIMATE_INFERENCE_SERVING_SERVING_H
#define ESTIMATE_INFERENCE_SERVING_SERVING_H

#include "base/arena.h"
#include "estimate/ownership/owned.h"
#include "catalog/price_book.h"
#include "estimate/inference/inference.h"
#include "estimate/inference/serving/latency.h"
#include "estimate/inference/serving/sway.h"

enum serving_load {
    SERVING_BATCH,      /* requests in flight on every replica */
    SERVING_CONCURRENT, /* requests in flight over all replicas */
    SERVING_RATE,       /* requests per second that arrive, over all replicas */
};

/* What stands in the way, or would first if the load grew. */
enum serving_limit {
    SERVING_NOTHING,
    SERVING_WEIGHTS,    /* weights and reserve exceed the memory */
    SERVING_CACHE,      /* no room for the KV cache of what is in flight */
    SERVING_LATENCY,    /* 95th percentile of a whole request */
    SERVING_TTFT,       /* time to first token */
    SERVING_USER_RATE,  /* tokens per second each user sees */
    SERVING_THROUGHPUT, /* more arrives than the replicas can write */
    SERVING_QUEUE,      /* prompts come almost as fast as they are read: the queue has no end */
    SERVING_PROMPTS,    /* more arrives than the replicas that only read can read */
    SERVING_LIMITS
};

/* NAN: no such limit. */
struct serving_limits {
    double latency_p95_seconds, ttft_seconds, user_tokens_per_second;
};

/* NAN leaves the choice to the search. */
struct serving_design {
    double tensor, pipeline, replicas, gpu_count;
    double
        prefill_replicas; /* that only read prompts, alongside the replicas; 0 where all do both */
    double
        attention_data; /* groups of a layer's GPUs that attend on their own; below 2: together */
    double pass_tokens; /* most tokens of prompts in one pass; 0: as the request says */
};

/* What limits are held against. */
struct serving_times {
    double latency, ttft, tpot;
};

/* How many GPUs must reach one another: those of a replica, or all where prompts are read on
 * others. */
double serving_connected(const struct serving_design *design);

/* How measured runs corrected an estimate. */
struct serving_correction {
    double runs;         /* how many did; 0: none is similar */
    double token, first; /* factors on the time per output token and to the first token */
    bool of_first;       /* only first tokens were measured */
};

/* Measured runs, and the function that corrects the constants by them for a replica with that many
 * requests in flight: its result is in the arena, NULL where no run is similar. Each design is
 * corrected for the number it would have in flight without the correction. */
struct serving_residuals {
    const struct inference_constants *(*correct)(const void *runs,
                                                 const struct inference_constants *plain,
                                                 const struct inference_job *job, double in_flight,
                                                 struct arena *arena,
                                                 struct serving_correction *correction);
    const void *runs;
    struct arena *arena;
};

struct serving_request {
    const struct inference_constants *constants;
    struct serving_residuals residuals; /* its function NULL: no measured runs */
    struct inference_job job;           /* its tensor and pipeline are set by the design */
    enum serving_load load;
    double amount;          /* requests, or requests per second on average */
    double peak_ratio;      /* peak over average */
    bool load_stated;       /* false: one request, because nobody said */
    double expert_parallel; /* NAN: not asked for */
    double spare_replicas;  /* alongside those that the load needs */
    struct serving_limits limits;
    struct serving_design pinned;
    bool passes_open, apart_open; /* the search may choose the tokens of a pass, and to read prompts
                                     on GPUs of their own */
    double free_gpus_per_node;    /* of servers that need not match what is pinned */
    const struct price_book *book; /* what the GPUs are rented for; NULL: they are owned */
    bool listed;  /* one of many designs: without the median and the scores of its percentiles */
    bool counted; /* of the rate within the limits only how many replicas it takes is asked */
};

struct range {
    double middle, low, high;
};

struct serving_plan {
    struct serving_design design;
    struct serving_correction correction;
    struct inference inference;
    bool fits;       /* weights and the cache of one request */
    bool meets_load; /* what is asked for is carried, at the peak */
    bool meets_limits;
    enum serving_limit binding;
    struct gap {
        double needed, available; /* NAN where nothing is missing */
        double missing;           /* the difference */
        const char *unit;         /* GiB, s, tokens/s or requests/minute */
    } gap;
    double sized_requests;      /* concurrent requests per replica assumed by the memory figures */
    double group_requests;      /* of these those of one group that attends on its own */
    double memory_needed_bytes; /* per GPU, for those */
    double memory_shortfall_bytes; /* per GPU, 0 where it fits */
    double batch, batch_p95;       /* in flight per replica at the peak: mean, 95th percentile */
    struct served mean, tail;      /* at those */
    struct latency latency;        /* of requests that come at random; NAN of others */
    struct serving_times kept;     /* held against the limits */
    struct served lone;            /* a single request, alone on a replica */
    struct sway sway;              /* of ttft and tpot */
    struct range prefill, ttft, tpot, latency_p50, latency_p95, ttft_p95, output_tokens_per_second;
    struct range offline_tokens_per_second; /* all replicas, everything queued from the start */
    double user_tokens_per_second, replica_tokens_per_second, prefill_tokens_per_second;
    double requests_per_second;                 /* carried, on average */
    double capacity_requests_per_second;        /* of the design, with the cache full */
    double capacity_tokens_per_second;          /* written, likewise */
    double limited_requests_per_second;         /* of the design while it keeps its limits */
    double utilization;                         /* carried over capacity, 0 to 1 */
    struct failover {                           /* of a replica */
        bool known, survived;                   /* the load is still carried within the limits */
        double replicas_needed, readers_needed; /* without any loss */
        double gpus;                            /* that survive it; NAN where no number does */
    } failover;
};

/* Requests per minute, on average over the day, of `daily_users` with that many requests a day
 * each.
 */
double serving_requests_per_minute(double daily_users, double requests_per_user_per_day);

/* What of the four ways to state a load is not NAN; one request where none is. */
void serving_set_load(struct serving_request *request, double batch, double concurrent,
                      double requests_per_minute, double tokens_per_day);

/* Refuse degrees that contradict each other, the model or the node, naming each; nothing is in err
 * yet. */
bool serving_check(const struct serving_request *request, struct err *err) MUST_CHECK;

/* One replica of a design, the same however many of them there are; where fits is false no more is
 * known of it than its memory. */
struct serving_replica {
    struct inference inference;
    struct serving_correction correction;
    bool fits;                       /* weights and the cache of one request */
    double batch_within;             /* serving_batch_within() */
    struct serving_times lone_times; /* serving_times_lone(), as far as they are limited */
    double mean_within;              /* serving_mean_within(), once it is limited */
    enum serving_limit limit;        /* what the next request would break */
    /* Once it is sized: */
    double rate_within; /* requests per second within the limits */
    /* Once it is finished: */
    double rate;        /* requests per second with the cache full */
    struct served lone; /* a single request, alone */
    double offline;     /* tokens per second, everything queued from the start */
};

/* In four steps, because a search can do without the later ones: a replica without any limits, of
 * an inference_unsharded(); within the limits; what it takes to say how many a load needs; the
 * rest.
 */
void serving_replica_of(const struct inference *unsplit, const struct serving_design *design,
                        struct serving_replica *replica);
void serving_replica_limit(const struct serving_request *request, struct serving_replica *replica);
void serving_replica_size(struct serving_replica *replica);
void serving_replica_finish(struct serving_replica *replica);

/* After the first step: corrects the replica of a design by the request's measured runs; false
 * where there is nothing to correct. */
bool serving_replica_correct(const struct serving_request *request,
                             const struct serving_design *design, struct serving_replica *replica);
/* Requests in flight per replica at the peak, on average; NAN where they cannot keep up. */
double serving_in_flight(const struct serving_request *request, const struct inference *inference,
                         double replicas);

/* The request with the passes and the reading of prompts that a design has. */
struct serving_request serving_request_of(const struct serving_request *request,
                                          const struct serving_design *design);
/* What a design does with the load; the second where its replica is known already, and finished. */
void serving_evaluate(const struct serving_request *request, const struct serving_design *design,
                      struct serving_plan *plan);

void serving_evaluate_with(const struct serving_request *request,
                           const struct serving_replica *replica,
                           const struct serving_design *design, struct serving_plan *plan);

/* The design that fits, carries the load and keeps the limits, within what is pinned, with the
 * fewest GPUs; of those with the engine's own passes and prompts read where answers are written,
 * then with the fewest stages, then the simplest, then the quickest. False where there is none:
 * then *plan is the nearest to it. */
bool serving_search(const struct serving_request *request, struct serving_plan *plan);
/* The same with nothing pinned. */
bool serving_search_free(const struct serving_request *request, struct serving_plan *plan);
/* Whether hardware and strategy are the caller's: then they are answered as they are. */
bool serving_is_stated(const struct serving_design *pinned);

/* A replica with `batch` requests in flight; with random arrivals, at the lowest rate at which more
 * than `batch` are there 5% of the time. */
struct served serving_least(const struct inference *inference, double batch);
/* The largest number in flight on a replica that keeps the limits, a whole number, 0 where not even
 * one does; *limit is what the next one would break. */
double serving_batch_within(const struct serving_request *request,
                            const struct inference *inference, enum serving_limit *limit);
/* The largest mean number in flight that is at most `batch` 95% of the time and whose times keep
 * their limits; 0 where not even those of rare requests do. *limit is set where it is they that
 * bind. */
double serving_mean_within(const struct serving_request *request, const struct inference *inference,
                           double batch, const struct serving_times *lone,
                           enum serving_limit *limit);
/* More than it takes with that many in flight or any lower number of them, but not by much. */
double serving_rate_most(const struct inference *inference, double batch);
/* Those it takes with the cache full. */
double serving_rate_full(const struct inference *inference);

/* In flight with the cache full, at most what engines admit. */
double serving_most_in_flight(const struct inference *inference);
/* The limit that such times break; the cache is asked elsewhere. */
enum serving_limit serving_broken(const struct serving_limits *limits,
                                  const struct serving_times *times);
/* Times of requests that start together or keep a number in flight: means. */
struct serving_times serving_times_mean(const struct served *served);
/* Percentiles of requests that come at random, that many per second; the time per token is not
 * among them. */
struct serving_times serving_times_open(const struct inference *inference, double rate);
/* The same of the percentiles that are limited, others 0: the latency is NAN without an end. */
struct serving_times serving_times_limited(const struct serving_limits *limits,
                                           const struct inference *inference, double rate);
/* A single request, alone on a replica. */
struct served serving_lone(const struct inference *inference);
/* Its times: percentiles are those of requests too rare to meet. */
struct serving_times serving_times_lone(const struct inference *inference);
/* Whether any limit is given. */
bool serving_limited(const struct serving_limits *limits);
/* Whether requests come at random, each when it likes. */
bool serving_is_open(const struct inference *inference);

struct serving_cost {
    double per_hour, per_month, per_million_output_tokens, per_million_tokens;
    double per_million_input_tokens, per_million_generated_tokens; /* by the time each takes */
    double per_million_output_tokens_saturated;
    bool from_load; /* false: from the capacity, nobody having stated a load */
    /* Set by serving_cost_interval(), else 0. */
    double per_hour_low, per_hour_high, per_million_tokens_low, per_million_tokens_high;
};

/* Share of the GPUs' time that goes into reading prompts. */
double serving_prompt_share(const struct serving_plan *plan);
/* The most its servers draw at the meter, in the usual housing: kW; NAN where it is unknown. */
struct owned_power serving_power(const struct serving_request *request,
                                 const struct serving_design *design, const struct catalog *catalog,
                                 day as_of);

/* Months for which credits pay that rent a month, of those until they expire (0: never). */
double serving_credit_months(double credits, double credits_months, double rent_per_month);

/* GPUs bought for a design: whole boards and servers. */
double serving_bought(const struct serving_request *request, const struct serving_design *design);
/* What an hour of a GPU of one's own costs, idle ones of its server counted: per hour owned, since
 * a service keeps its GPUs around the clock and the load sets what they draw; all hours are taken
 * to be full ones without a load, and where nothing runs. False where the ledger lacks a figure. */
bool serving_owned_price(const struct serving_request *request, const struct serving_plan *plan,
                         const struct catalog *catalog, day as_of, double *price_per_gpu_hour,
                         struct err *err) MUST_CHECK;

/* The ends of that price as factors of it. */
struct ownership_band serving_owned_band(const struct serving_request *request,
                                         const struct serving_design *design, double utilization,
                                         const struct catalog *catalog, day as_of);

/* What the tokens cost at that price per GPU and hour. */
struct serving_cost serving_cost(const struct serving_request *request,
                                 const struct serving_plan *plan, double price_per_gpu_hour);
/* Cost over the prices of the providers, and where capacity is paid by the token, over its interval
 * too. */
void serving_cost_interval(const struct serving_plan *plan, const struct range *price,
                           struct serving_cost *cost);

#endif
