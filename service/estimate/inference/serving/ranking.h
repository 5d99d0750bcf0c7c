/* ranking.h - the options of all candidates in the order in which they are recommended. */
#ifndef ESTIMATE_INFERENCE_SERVING_RANKING_H
#define ESTIMATE_INFERENCE_SERVING_RANKING_H

#include "estimate/inference/serving/options.h"

enum serving_rank {
    /* Options within the limits come first, and in each of the two groups the confirmed ones; in
     * each group the cheapest comes first, or the fastest. By cost, the simplest design within 1 %
     * of the first comes before it. */
    SERVING_RANK_COST,
    SERVING_RANK_LATENCY,
};

/* The options of all parts, ranked, in the arena; the parts can be freed. */
struct serving_option *serving_ranking(const struct serving_options_part *parts, size_t n_parts,
                                       enum serving_rank rank, struct arena *arena, size_t *n);

#endif
