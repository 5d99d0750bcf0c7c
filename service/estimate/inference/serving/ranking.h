/* ranking.h - the options of all candidates in the order in which they are recommended. */
#ifndef ESTIMATE_INFERENCE_SERVING_RANKING_H
#define ESTIMATE_INFERENCE_SERVING_RANKING_H

#include "estimate/inference/serving/options.h"

enum serving_rank {
    SERVING_RANK_COST,    /* options within the limits come before the others, among each those
                           * that are confirmed, among each the cheapest; the simplest design
                           * within 1 % of the first comes before it */
    SERVING_RANK_LATENCY, /* likewise, the fastest */
};

/* The options of all parts, ranked, in the arena; the parts can be freed. */
struct serving_option *serving_ranking(const struct serving_options_part *parts, size_t n_parts,
                                       enum serving_rank rank, struct arena *arena, size_t *n);

#endif
