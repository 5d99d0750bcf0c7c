/* context.h - a sizing as its explanation sees it, and the formulas that depend on it.
 *
 * A row of a figure that is worked out at several numbers of requests in flight carries a suffix:
 * none at the mean of the load, _p95 where that is exceeded 5% of the time, and so on.
 */
#ifndef ESTIMATE_INFERENCE_EXPLAIN_CONTEXT_H
#define ESTIMATE_INFERENCE_EXPLAIN_CONTEXT_H

#include "estimate/inference/explain/explain.h"

/* Percentile of requests for which limits and the cache must hold. */
static const double INFERENCE_TAIL_SHARE = 0.95;

/* Numbers of requests in flight on a replica that figures are worked out at. */
enum flight {
    FLIGHT_MEAN,   /* of the load; of a full cache where it is not carried */
    FLIGHT_P95,    /* exceeded 5% of the time */
    FLIGHT_LONE,   /* a single request */
    FLIGHT_FULL,   /* as many as cache and engine admit */
    FLIGHT_WITHIN, /* the mean that keeps the limits 95% of the time */
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
    /* Of what fits: */
    struct served at[FLIGHT_COUNT];
    const char *suffix[FLIGHT_COUNT]; /* of its rows: of an earlier one where both are the same */
    bool shown[FLIGHT_COUNT];         /* its rows are not those of an earlier one */
    double mean_within;               /* in flight on average within the limits */
    double most_within;               /* in flight that keep the limits, a whole number */
    double most[FLIGHT_COUNT];        /* in flight, of which as many or fewer answer the most */
    enum serving_limit limit;         /* what one more would break */
};

/* Where the inputs of a formula are to be seen, and what it is. `pages` are separated by spaces:
 * gpu, model, or the key of an assumption. */
const char *inference_explain_source(const struct inference_explain_context *ground,
                                     const char *pages, const char *words);

/* The text with each @ replaced by the suffix. */
const char *inference_explain_at(const struct inference_explain_context *ground, const char *text,
                                 enum flight flight);

/* The key of a line of time over a whole step: its own, unless a step writes several tokens. */
const char *inference_explain_line(const struct inference_explain_context *ground, const char *key);

/* Whether messages among that many GPUs travel the link rather than PCIe. */
bool inference_explain_linked(const struct inference_job *job, double gpus);

/* The formulas that have several forms, and words with numbers in them. */
bool inference_explain_follows_load(const struct inference_explain_context *ground);
const char *inference_explain_replicas(const struct inference_explain_context *ground);
const char *inference_explain_readers(const struct inference_explain_context *ground);
/* What a request takes of the replica's time: its prompt, and its share of steps of `batch`. */
const char *inference_explain_work(const struct inference_explain_context *ground,
                                   const char *batch, const char *step);
/* The same with everything queued; and the least that a request takes of n in flight, over n. */
const char *inference_explain_queued(const struct inference_explain_context *ground);
const char *inference_explain_least(const struct inference_explain_context *ground);
const char *inference_explain_at_most(const struct inference_explain_context *ground,
                                      const char *requests);
bool inference_explain_percentile_binds(const struct inference_explain_context *ground);
const char *inference_explain_within(const struct inference_explain_context *ground);
const char *inference_explain_quantile(const struct inference_explain_context *ground);
const char *inference_explain_host(const struct inference_job *job);
const char *inference_explain_turns(const struct inference_job *job, const struct served *at);
/* Steps until the engine reads a prompt that has come. */
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
/* Microseconds of launches: of a layer, of what experts add to all layers, and the constants in
 * them that not every sizing has. */
const char *inference_explain_layer_launch(const struct inference_explain_context *ground);
const char *inference_explain_expert_launch(const struct inference_explain_context *ground);
const char *inference_explain_launch_keys(const struct inference_explain_context *ground);
const char *inference_explain_workspace(const struct inference_explain_context *ground);
const char *inference_explain_longest(const struct inference_explain_context *ground, double room);
const char *inference_explain_reckoned(const struct inference_explain_context *ground,
                                       const char **source);

#endif
