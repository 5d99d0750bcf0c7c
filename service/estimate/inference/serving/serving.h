/* serving.h - from a load and its limits to GPUs: the capacity of a design of replicas, whether it
 * meets the limits, and the smallest design that does. */
#ifndef ESTIMATE_INFERENCE_SERVING_SERVING_H
#define ESTIMATE_INFERENCE_SERVING_SERVING_H

#include "base/arena.h"
#include "estimate/ownership/owned.h"
#include "catalog/price_book.h"
#include "estimate/inference/inference.h"
#include "estimate/inference/serving/latency.h"
#include "estimate/inference/serving/sway.h"

/* The share of requests that must keep the limits, and for which there must be room in the cache.
 */
static const double SERVING_TAIL_SHARE = 0.95;

enum serving_load {
    SERVING_BATCH,      /* requests in flight on every replica */
    SERVING_CONCURRENT, /* requests in flight over all replicas */
    SERVING_RATE,       /* arriving requests per second, over all replicas */
};

/* What prevents the plan, or would be the first to do so if the load grew. */
enum serving_limit {
    SERVING_NOTHING,
    SERVING_WEIGHTS,    /* weights and reserve exceed the memory */
    SERVING_CACHE,      /* no room for the KV cache of the requests in flight */
    SERVING_LATENCY,    /* 95th percentile of the request latency */
    SERVING_TTFT,       /* time to first token */
    SERVING_SLOTS,      /* the same, if more requests wait for a slot than estimated */
    SERVING_USER_RATE,  /* tokens per second seen by each user */
    SERVING_THROUGHPUT, /* arrivals exceed the decode capacity */
    SERVING_QUEUE,      /* arrivals approach the prefill capacity: the queue is unstable */
    SERVING_PROMPTS,    /* arrivals exceed the capacity of the prefill replicas */
    SERVING_HEADROOM,   /* the peak would take more of the capacity than it may */
    SERVING_LIMITS
};

/* NAN for no limit. */
struct serving_limits {
    double latency_p95_seconds, ttft_seconds, user_tokens_per_second;
};

/* NAN: chosen by the search. */
struct serving_design {
    double tensor, pipeline, replicas, gpu_count;
    double
        prefill_replicas;  /* prefill-only replicas, in addition to `replicas`; 0 if all do both */
    double attention_data; /* groups in data-parallel attention; below 2: none */
    double pass_tokens;    /* most tokens of prompts in one pass; 0: as the request says */
};

/* The times that limits apply to. */
struct serving_times {
    double latency, ttft, tpot;
    double ttft_most; /* 95th percentile if more requests wait for a slot than estimated */
};

/* Number of GPUs that must be connected: those of a replica, or all with separate prefill. */
double serving_connected(const struct serving_design *design);
/* True if a replica is divided over servers whose GPUs are not linked either. Engines run such
 * replicas, but their guides are for linked GPUs (splits.c). */
bool serving_is_unlinked(const struct inference_job *job);

/* How measured runs corrected an estimate. */
struct serving_correction {
    double runs;         /* number of runs used; 0 if none is similar */
    double token, first; /* factors on the time per output token and to the first token */
    bool of_first;       /* only first tokens were measured */
};

/* Measured runs, and a function that corrects the constants by them for a replica with that many
 * requests in flight. Its result is in the arena; NULL if no run is similar. Each design is
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
    struct serving_residuals residuals; /* function is NULL without measured runs */
    struct inference_job job;           /* the design sets its tensor and pipeline */
    enum serving_load load;
    double amount;          /* requests, or mean requests per second */
    double peak_ratio;      /* peak over average */
    double peak_load_most;  /* highest load at the peak, as a share of a replica's capacity, if
                             * requests arrive at a rate and the number of replicas is open; 0: no
                             * maximum */
    bool load_stated;       /* false: one request, since no load was given */
    double expert_parallel; /* NAN if not requested */
    double spare_replicas;  /* in addition to those needed for the load */
    struct serving_limits limits;
    struct serving_design pinned;
    bool passes_open, apart_open; /* the search may choose the tokens of a pass, and to read prompts
                                     on GPUs of their own */
    double free_gpus_per_node;    /* of servers that need not match the pinned values */
    const struct price_book *book; /* rental offers of the GPU; NULL if owned */
    double connected_most; /* maximum per replica, as connected GPUs may cost more; 0: none */
    bool listed;  /* one of many designs: skip the median, the normal scores of percentiles, what
                   * random arrivals do to the ends of intervals, and why a replica cannot be
                   * smaller */
    bool counted; /* only the number of replicas is needed, not the exact rate within the limits */
    struct design_cache *cache; /* sizes found by searches of this request at other loads; NULL if
                                 * they are not shared */
};

struct range {
    double middle, low, high;
};

struct serving_plan {
    struct serving_design design;
    struct serving_correction correction;
    struct inference inference;
    bool fits;       /* weights and the cache of one request fit */
    bool meets_load; /* the requested load is carried at its peak */
    bool meets_limits;
    enum serving_limit binding;
    struct gap {
        double needed, available; /* NAN if nothing is missing */
        double missing;           /* the difference */
        const char *unit;         /* GiB, s, tokens/s or requests/minute */
    } gap;
    double sized_requests;      /* concurrent requests per replica assumed by the memory figures */
    double group_requests;      /* the part of those in one attention group */
    double memory_needed_bytes; /* per GPU, for those requests */
    double memory_shortfall_bytes; /* per GPU; 0 if it fits */
    double batch, batch_p95;       /* in flight per replica at peak: mean, 95th percentile */
    struct served mean, tail;      /* at those numbers */
    struct latency latency;        /* for random arrivals; otherwise NAN */
    struct serving_times kept;     /* times compared with the limits */
    struct served lone;            /* a single request, alone on a replica */
    struct sway sway;              /* of ttft and tpot */
    struct range prefill, ttft, tpot, latency_p50, latency_p95, ttft_p95, output_tokens_per_second;
    struct range offline_tokens_per_second; /* all replicas, everything queued from the start */
    double user_tokens_per_second, replica_tokens_per_second, prefill_tokens_per_second;
    double requests_per_second;                 /* carried, mean */
    double capacity_requests_per_second;        /* of the design with a full cache */
    double capacity_tokens_per_second;          /* written, likewise */
    double limited_requests_per_second;         /* of the design within its limits */
    double utilization;                         /* carried over capacity, 0 to 1 */
    struct failover {                           /* loss of a replica */
        bool known, survived;                   /* survived: the load is still carried within the
                                                 * limits */
        double replicas_needed, prefill_needed; /* without a loss */
        double gpus;                            /* GPUs that survive a loss; NAN if no number
                                                 * does */
    } failover;
};

/* Requests per minute, averaged over the day. */
double serving_requests_per_minute(double daily_users, double requests_per_user_per_day);

/* Sets the load from whichever of the four is not NAN; one request if all are. */
void serving_set_load(struct serving_request *request, double batch, double concurrent,
                      double requests_per_minute, double tokens_per_day);

/* Refuse degrees that contradict one another, the model or the node, with a culprit for each; err
 * must be empty. */
bool serving_check(const struct serving_request *request, struct err *err) MUST_CHECK;

/* One replica of a design, independent of their number; if it does not fit, only its memory is
 * known. */
struct serving_replica {
    struct inference inference;
    struct serving_correction correction;
    bool fits;                       /* weights and the cache of one request */
    double batch_within;             /* serving_batch_within() */
    struct serving_times lone_times; /* serving_times_lone(), as far as limited */
    double mean_within;              /* serving_mean_within(), once it is limited */
    enum serving_limit limit;        /* the limit that the next request would break */
    /* Set by serving_replica_size(): */
    double rate_within; /* requests per second within the limits */
    /* Set by serving_replica_finish(): */
    double rate;        /* requests per second with the cache full */
    struct served lone; /* a single request on an idle replica */
    double offline;     /* tokens per second with everything queued from the start */
};

/* Asks for designs that start with the engine's own settings (inference_job.roomy), unless GPUs or
 * tensor parallelism are pinned. */
void serving_set_roomy(struct serving_request *request);
/* True if such designs are asked for and this one has too much to hold, by no measurement. */
bool serving_is_crowded(const struct inference *inference);

/* In four steps, because a search can skip the later ones: a replica without limits, made from an
 * inference_unsharded(); within the limits; what is needed to size a load; the rest.
 */
void serving_replica_of(const struct inference *unsplit, const struct serving_design *design,
                        struct serving_replica *replica);
void serving_replica_limit(const struct serving_request *request, struct serving_replica *replica);
/* The first part of the second step: sets the times of a request alone, and returns whether they
 * keep the limits. */
bool serving_replica_alone(const struct serving_request *request, struct serving_replica *replica);
void serving_replica_size(struct serving_replica *replica);
void serving_replica_finish(struct serving_replica *replica);

/* After the first step: corrects the replica by the request's measured runs; false if there is
 * nothing to correct. */
bool serving_replica_correct(const struct serving_request *request,
                             const struct serving_design *design, struct serving_replica *replica);
/* Mean requests in flight per replica at peak; NAN if the replicas cannot keep up. */
double serving_in_flight(const struct serving_request *request, const struct inference *inference,
                         double replicas);

/* The request with the passes and the reading of prompts that a design has. */
struct serving_request serving_request_of(const struct serving_request *request,
                                          const struct serving_design *design);
/* Evaluate a design under the load; the second form reuses a finished replica, and the design has
 * what serving_set_prefill() sets. One that writes only is finished with its prefill replicas, so
 * need only be limited. */
void serving_evaluate(const struct serving_request *request, const struct serving_design *design,
                      struct serving_plan *plan);
void serving_evaluate_with(const struct serving_request *request,
                           const struct serving_replica *replica,
                           const struct serving_design *design, struct serving_plan *plan);

/* The design with the fewest GPUs that fits, carries the load and meets the limits with the
 * pinned inputs. Ties go to the engine's own passes without disaggregated prefill, then to fewer
 * pipeline stages, then to the simplest, then to the fastest. False if there is none: *plan is
 * then the closest one. */
bool serving_search(const struct serving_request *request, struct serving_plan *plan);
/* The same among designs of at most that many GPUs, to replace the design `than`: faster, as larger
 * ones are not evaluated. False if there is none, with *plan undefined. */
bool serving_search_smaller(const struct serving_request *request,
                            const struct serving_design *than, double gpus_most,
                            struct serving_plan *plan);
/* The same with nothing pinned. */
bool serving_search_free(const struct serving_request *request, struct serving_plan *plan);
/* True if the caller gave hardware and strategy: they are then evaluated as given. */
bool serving_is_stated(const struct serving_design *pinned);

/* A replica with `batch` requests in flight; for random arrivals, at the lowest rate at which more
 * than `batch` are in flight 5% of the time. */
struct served serving_least(const struct inference *inference, double batch);
/* The largest whole number in flight on a replica that meets the limits, 0 if not even one does;
 * *limit is what the next one would break. */
double serving_batch_within(const struct serving_request *request,
                            const struct inference *inference, enum serving_limit *limit);
/* The largest mean number in flight that is at most `batch` 95% of the time and whose times meet
 * their limits; 0 if not even rare requests do. *limit is set if the times bind. */
double serving_mean_within(const struct serving_request *request, const struct inference *inference,
                           double batch, const struct serving_times *lone,
                           enum serving_limit *limit);
/* An upper bound, not far off, of the rate with up to `batch` requests in flight. */
double serving_rate_most(const struct inference *inference, double batch);
/* The rate with a full cache. */
double serving_rate_full(const struct inference *inference);
/* An upper bound of the rate with up to `batch` requests in flight that a replica is sized for. */
double serving_rate_most_sized(const struct serving_request *request,
                               const struct inference *inference, double batch);
/* Whether that rate takes more of a replica than it may. */
bool serving_is_overloaded(const struct serving_request *request, const struct inference *inference,
                           double rate);
/* The fraction of time that replicas which only read may be busy at the peak. */
double serving_reading_most(const struct serving_request *request,
                            const struct inference *inference);

/* Requests in flight with a full cache, at most what engines admit. */
double serving_most_in_flight(const struct inference *inference);
/* The limit that these times break; the cache is checked elsewhere. */
enum serving_limit serving_broken(const struct serving_limits *limits,
                                  const struct serving_times *times);
/* Mean times, for requests that start together or a constant number in flight. */
struct serving_times serving_times_mean(const struct served *served);
/* Percentiles for random arrivals at `rate` per second; time per token is not included. */
struct serving_times serving_times_open(const struct inference *inference, double rate);
/* A single request on an idle replica. */
struct served serving_lone(const struct inference *inference);
/* Its times, with the percentiles of requests too rare to meet one another. */
struct serving_times serving_times_lone(const struct inference *inference);
/* True if there is any limit. */
bool serving_limited(const struct serving_limits *limits);
/* True if requests arrive independently at random. */
bool serving_is_open(const struct inference *inference);

struct serving_cost {
    double per_hour, per_month, per_million_output_tokens, per_million_tokens;
    double per_million_input_tokens, per_million_generated_tokens; /* split by prefill and decode
                                                                    * time */
    double per_million_output_tokens_saturated;
    bool from_load; /* false: based on the capacity, because no load was given */
    /* Set by serving_cost_interval(); else 0. */
    double per_hour_low, per_hour_high, per_million_tokens_low, per_million_tokens_high;
};

/* Fraction of GPU time spent on prefill: at the load, or with full caches, whose cost is given if
 * no load was. */
double serving_prompt_share(const struct serving_plan *plan, bool at_load);
/* Peak power of its servers at the meter, in the usual housing, in kW; NAN if unknown. */
struct owned_power serving_power(const struct serving_request *request,
                                 const struct serving_design *design, const struct catalog *catalog,
                                 day as_of);

/* Months for which credits cover that monthly rent, up to their expiry (0: none). */
double serving_credit_months(double credits, double credits_months, double rent_per_month);

/* GPUs to buy for a design: whole boards and servers. */
double serving_bought(const struct serving_request *request, const struct serving_design *design);
/* Cost of an owned GPU-hour, including idle GPUs of its servers. It is per hour owned, since a
 * service keeps its GPUs around the clock and the load determines their power; without a load, or
 * if nothing runs, full load is assumed. False if the ledger lacks a figure. */
bool serving_owned_price(const struct serving_request *request, const struct serving_plan *plan,
                         const struct catalog *catalog, day as_of, double *price_per_gpu_hour,
                         struct err *err) MUST_CHECK;

/* The ends of that price as factors of it. */
struct ownership_band serving_owned_band(const struct serving_request *request,
                                         const struct serving_design *design, double utilization,
                                         const struct catalog *catalog, day as_of);

/* Cost of the tokens at that price per GPU-hour. */
struct serving_cost serving_cost(const struct serving_request *request,
                                 const struct serving_plan *plan, double price_per_gpu_hour);
/* Cost over the range of provider prices; if capacity is paid per token, also over the capacity's
 * interval. */
void serving_cost_interval(const struct serving_plan *plan, const struct range *price,
                           struct serving_cost *cost);

#endif
