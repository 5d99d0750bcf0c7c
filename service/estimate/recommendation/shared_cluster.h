/* shared_cluster.h - every combination of one kind of GPU, priced and judged: what
 * recommendation/recommendation.c picks from. */
#ifndef ESTIMATE_RECOMMENDATION_SHARED_CLUSTER_H
#define ESTIMATE_RECOMMENDATION_SHARED_CLUSTER_H

#include "estimate/recommendation/known_parts.h"
#include "estimate/recommendation/option.h"

struct recommendation_shared_cluster {
    struct recommendation_option *at; /* in the arena */
    size_t n, room;
    struct arena *arena;
    struct recommendation_known_parts *known; /* while options are added */
};

/* Complete and add it; what cannot be completed is dropped. */
void recommendation_shared_cluster_add(const struct recommendation_ask *ask,
                                       struct recommendation_shared_cluster *pool,
                                       struct recommendation_option option);

/* Add the options of one kind of GPU, and say of it what rules it out where none will do. */
void recommendation_shared_cluster_type(const struct recommendation_ask *ask, size_t kind,
                                        struct recommendation_shared_cluster *pool,
                                        struct recommendation_verdict *verdict);

/* Add those that rent each workload on the kind that does it cheapest, jobs by the hour. */
void recommendation_mixed_cluster(const struct recommendation_ask *ask,
                                  struct recommendation_shared_cluster *pool);

#endif
