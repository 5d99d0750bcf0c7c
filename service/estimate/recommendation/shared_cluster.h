/* shared_cluster.h - all combinations on one GPU type, priced and checked:
 * recommendation/recommendation.c selects from them. */
#ifndef ESTIMATE_RECOMMENDATION_SHARED_CLUSTER_H
#define ESTIMATE_RECOMMENDATION_SHARED_CLUSTER_H

#include "estimate/recommendation/known_parts.h"
#include "estimate/recommendation/option.h"

struct recommendation_shared_cluster {
    struct recommendation_option *at; /* in the arena */
    size_t n, room;
    struct arena *arena;
    struct recommendation_known_parts *known; /* used while options are added */
};

/* Complete and add an option; drop it if it cannot be completed. */
void recommendation_shared_cluster_add(const struct recommendation_ask *ask,
                                       struct recommendation_shared_cluster *pool,
                                       struct recommendation_option option);

/* Add the options of one GPU type; if none meets the limits, sets the verdict that excludes the
 * type. */
void recommendation_shared_cluster_type(const struct recommendation_ask *ask, size_t gpu_type,
                                        struct recommendation_shared_cluster *pool,
                                        struct recommendation_verdict *verdict);

/* Add the options that rent each workload on the type that does it cheapest, jobs by the hour. */
void recommendation_mixed_cluster(const struct recommendation_ask *ask,
                                  struct recommendation_shared_cluster *pool);

#endif
