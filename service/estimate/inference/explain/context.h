/* context.h - state for the explanation of a sizing, and the formulas that depend on it.
 *
 * Rows of a figure computed at several numbers of requests in flight have a suffix: none at the
 * load's mean, _p95 at the number exceeded 5% of the time, and so on.
 */
#ifndef ESTIMATE_INFERENCE_EXPLAIN_CONTEXT_H
#define ESTIMATE_INFERENCE_EXPLAIN_CONTEXT_H

#include "estimate/inference/explain/explain.h"

/* Percentile of requests for which limits and the cache must suffice. */
static const double INFERENCE_TAIL_SHARE = 0.95;

/* Numbers of requests in flight on a replica at which figures are computed. */
enum flight {
    FLIGHT_MEAN,   /* mean of the load; with a full cache if the load is not carried */
    FLIGHT_P95,    /* exceeded 5% of the time */
    FLIGHT_LONE,   /* a single request */
    FLIGHT_FULL,   /* the maximum that cache and engine admit */
    FLIGHT_WITHIN, /* the mean at which the limits hold 95% of the time */
    FLIGHT_COUNT
};

struct inference_explain_context {
    struct explanations *to;
    const struct inference_answer *answer;
    const struct serving_request *request;
    const struct serving_plan *plan;
    const struct inference *inference;
    const struct inference_job *job;
    const struct model_shape *shape;
    const struct inference_constants *constants;
    /* The members below are set if the plan fits. */
    struct served at[FLIGHT_COUNT];
    const char *suffix[FLIGHT_COUNT]; /* suffix of the rows; that of an earlier entry if both are
                                       * equal */
    bool shown[FLIGHT_COUNT];         /* the rows differ from those of an earlier entry */
    double mean_within;               /* mean in flight within the limits */
    double most_within;               /* maximum in flight within the limits, a whole number */
    double most[FLIGHT_COUNT];        /* number in flight, up to that many, with the highest
                                       * throughput */
    enum serving_limit limit;         /* the limit that one more request would break */
};

/* Where the inputs of a formula can be looked up, and what it is. `pages` are separated by spaces:
 * gpu, model, or the key of an assumption. */
const char *inference_explain_source(const struct inference_explain_context *ground,
                                     const char *pages, const char *words);

/* The text with each @ replaced by the suffix. */
const char *inference_explain_at(const struct inference_explain_context *ground, const char *text,
                                 enum flight flight);

/* The key of a time line for a whole step: the line's own key, unless a step writes several
 * tokens. */
const char *inference_explain_line(const struct inference_explain_context *ground, const char *key);

/* True if messages among that many GPUs use the link rather than PCIe. */
bool inference_explain_linked(const struct inference_job *job, double gpus);

/* Formulas that have several forms, and texts that contain numbers. */
bool inference_explain_follows_load(const struct inference_explain_context *ground);
const char *inference_explain_replicas(const struct inference_explain_context *ground);
const char *inference_explain_readers(const struct inference_explain_context *ground);
/* Replicas that write, of a stated number of GPUs; seconds of a request on each kind. */
const char *inference_explain_writers(const struct inference_explain_context *ground,
                                      double writing, double reading);
/* A request's share of the replica's time with everything queued; and the least time of a request
 * among n in flight, divided by n. */
const char *inference_explain_queued(const struct inference_explain_context *ground);
const char *inference_explain_least(const struct inference_explain_context *ground);
const char *inference_explain_at_most(const struct inference_explain_context *ground,
                                      const char *requests);
bool inference_explain_percentile_binds(const struct inference_explain_context *ground);
const char *inference_explain_within(const struct inference_explain_context *ground);
const char *inference_explain_quantile(const struct inference_explain_context *ground);
const char *inference_explain_host(const struct inference_job *job);
const char *inference_explain_turns(const struct inference_job *job, const struct served *at);
/* Steps until the engine reads a prompt that has arrived. */
const char *inference_explain_unseen(const struct inference_explain_context *ground,
                                     const struct served *at);
const char *inference_explain_arrivals(const struct inference_explain_context *ground,
                                       enum flight flight);
const char *inference_explain_time_to_first_token(const struct inference_job *job);
const char *inference_explain_first_words(const struct inference_explain_context *ground);
const char *inference_explain_interval(const struct inference_explain_context *ground);
const char *inference_explain_rate(const struct inference_explain_context *ground,
                                   enum flight flight);
const char *inference_explain_weight_share(const struct inference_job *job);
const char *inference_explain_gemm_formula(const struct inference_explain_context *ground);
const char *inference_explain_gemm_keys(const struct inference_explain_context *ground);
/* "busiest_gpu x " where experts are spread over GPUs that attend on their own; what is sent to
 * experts and back, the factor for experts held twice, and that on products; of a step or of
 * prompts. */
const char *inference_explain_busiest(const struct inference_explain_context *g, bool prompts);
const char *inference_explain_exchanged(const struct inference_explain_context *g,
                                        const char *tokens, bool prompts);
const char *inference_explain_copies(const struct inference_explain_context *g);
const char *inference_explain_products(const struct inference_explain_context *g, bool prompts);
/* Microseconds of launches: of a layer; added by experts over all layers; and the constants in them
 * that not every sizing has. */
const char *inference_explain_layer_launch(const struct inference_explain_context *ground);
const char *inference_explain_expert_launch(const struct inference_explain_context *ground);
const char *inference_explain_launch_keys(const struct inference_explain_context *ground);
/* Weights that a step reads. */
const char *inference_explain_weight_reads(const struct inference_explain_context *ground);
const char *inference_explain_workspace(const struct inference_explain_context *ground);
const char *inference_explain_longest(const struct inference_explain_context *ground, double room);
const char *inference_explain_reckoned(const struct inference_explain_context *ground,
                                       const char **source);

#endif
