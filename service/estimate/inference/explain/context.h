/* context.h - what the files of inference_explain share.
 *
 * A row of a figure that is worked out at several numbers of requests in flight carries a suffix:
 * none at the mean of the load, _p95 where that is exceeded 5 times of 100, and so on.
 */
#ifndef ESTIMATE_INFERENCE_EXPLAIN_CONTEXT_H
#define ESTIMATE_INFERENCE_EXPLAIN_CONTEXT_H

#include "estimate/inference/explain/explain.h"

/* Of requests, that limits and the cache are kept for. */
static const double INFERENCE_TAIL_SHARE = 0.95;

/* Numbers of requests in flight on a replica that figures are worked out at. */
enum flight {
    FLIGHT_MEAN,   /* of the load; of a full cache where it is not carried */
    FLIGHT_P95,    /* exceeded 5 times of 100 */
    FLIGHT_LONE,   /* a single request */
    FLIGHT_FULL,   /* as many as cache and engine admit */
    FLIGHT_WITHIN, /* the mean that keeps the limits 95 times of 100 */
    FLIGHT_COUNT
};

struct inference_ground {
    struct explanations *to;
    const struct inference_answer *answer;
    const struct serving_request *request;
    const struct serving_plan *plan;
    const struct inference *inference;
    const struct inference_job *job;
    const struct shape *shape;
    const struct inference_constants *constants;
    struct served at[FLIGHT_COUNT];
    const char *suffix[FLIGHT_COUNT]; /* of its rows: of an earlier one where both are the same */
    bool shown[FLIGHT_COUNT];         /* its rows are not those of an earlier one */
    double most_within;               /* in flight that keep the limits, a whole number */
    enum serving_limit limit;         /* what one more would break */
};

/* Where the inputs of a formula are to be seen, and what it is. `pages` are separated by spaces:
 * gpu, model, or the key of an assumption. */
const char *inference_explain_source(const struct inference_ground *ground, const char *pages,
                                     const char *words);

/* The text with each @ replaced by the suffix. */
const char *inference_explain_at(const struct inference_ground *ground, const char *text,
                                 enum flight flight);

/* Engines admit a number of requests at once, and the cache holds one; whichever is less. */
double inference_explain_most(const struct inference *inference);

/* Rows of what the GPUs of a replica send each other: the lines of a step over `tokens`; what any
 * tokens move between the GPUs of a layer, as prefill also asks; what is handed from stage to
 * stage; and the cache of a prompt that other GPUs read. */
void inference_explain_traffic(const struct inference_ground *ground, struct explain_term tokens);
void inference_explain_volume(const struct inference_ground *ground, const char *key,
                              double seconds, struct explain_term tokens);
void inference_explain_transfer(const struct inference_ground *ground, const char *key,
                                double seconds, struct explain_term tokens);
void inference_explain_cache(const struct inference_ground *ground);

/* The key of a line of time over a whole step: its own, unless a step writes several tokens. */
const char *inference_explain_line(const struct inference_ground *ground, const char *key);

/* The row of a step that is the sum of its lines. */
void inference_explain_sum(const struct inference_ground *ground, const char *suffix,
                           const struct step *step, const char *words);

/* The rows of one subject each. Of what does not fit only design, memory, roofline and money are
 * known. */
void inference_explain_design(const struct inference_ground *ground);
void inference_explain_load(const struct inference_ground *ground);
/* Of the load, the time to the first token with so many in flight. */
void inference_explain_first(const struct inference_ground *ground, enum flight flight);
void inference_explain_rates(const struct inference_ground *ground);
void inference_explain_step(const struct inference_ground *ground);
void inference_explain_prefill(const struct inference_ground *ground);
void inference_explain_memory(const struct inference_ground *ground);
void inference_explain_kv(const struct inference_ground *ground); /* of memory, the cache */
void inference_explain_roofline(const struct inference_ground *ground);
void inference_explain_money(const struct inference_ground *ground);

#endif
