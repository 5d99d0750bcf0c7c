/* shared_cluster.h - every combination of one kind of GPU, priced and judged: what
 * recommendation/recommendation.c picks from. */
#ifndef ESTIMATE_RECOMMENDATION_SHARED_CLUSTER_H
#define ESTIMATE_RECOMMENDATION_SHARED_CLUSTER_H

#include "estimate/recommendation/recommendation.h"

struct recommend_pool {
    struct recommend_option *at; /* in the arena */
    size_t n, room;
    struct arena *arena;
};

/* Kept where there is no limit (NAN); what rounding alone exceeds is kept too. */
bool recommend_keeps(double value, double limit);

/* Of an option the parts have kind and means, and it is said which of them does what by which way:
 * fill in the rest. False where the jobs do not end by the horizon, or a price is unknown. */
bool recommend_complete(const struct recommend_ask *ask, struct recommend_option *option);

/* Complete and add it; what cannot be completed is dropped. */
void recommend_pool_add(const struct recommend_ask *ask, struct recommend_pool *pool,
                        struct recommend_option option);

/* Add the options of one kind of GPU, and say of it what rules it out where none will do. */
void recommend_pool_kind(const struct recommend_ask *ask, size_t kind, struct recommend_pool *pool,
                         struct recommend_verdict *verdict);

/* Add those that rent each workload on the kind that does it cheapest, jobs by the hour. */
void recommend_pool_mixed(const struct recommend_ask *ask, struct recommend_pool *pool);

#endif
