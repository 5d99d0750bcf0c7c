/* shared_cluster.h - all combinations on one GPU type, priced and checked:
 * recommendation/recommendation.c selects from them. */
#ifndef ESTIMATE_RECOMMENDATION_SHARED_CLUSTER_H
#define ESTIMATE_RECOMMENDATION_SHARED_CLUSTER_H

#include "estimate/recommendation/part_cache.h"
#include "estimate/recommendation/option.h"

struct recommendation_shared_cluster {
    struct recommendation_option *at; /* in the arena */
    size_t n, room;
    struct arena *arena;
    struct part_cache *cache; /* used while options are added */
};

/* Whether that many GPUs can be acquired so: a reservation must end by the horizon, and no more
 * GPUs can be used than are owned. */
bool recommendation_is_available(const struct recommendation_ask *ask,
                                 const struct recommendation_gpu_type *gpu_type,
                                 enum recommendation_acquisition acquisition, double gpu_count);

/* Complete and add an option; drop it if it cannot be completed. */
void recommendation_shared_cluster_add(const struct recommendation_ask *ask,
                                       struct recommendation_shared_cluster *pool,
                                       struct recommendation_option option);

/* Add the options of one GPU type; if none meets the limits, sets the verdict that excludes the
 * type. */
void recommendation_shared_cluster_type(const struct recommendation_ask *ask, size_t gpu_type,
                                        struct recommendation_shared_cluster *pool,
                                        struct recommendation_verdict *verdict);

/* Add to every option the cost of being ready later than the earliest of both. */
void recommendation_shared_cluster_price_delay(const struct recommendation_ask *ask,
                                               struct recommendation_shared_cluster *pool,
                                               struct recommendation_shared_cluster *mixed);

/* Add the options that do each workload on the type that does it cheapest: jobs rented by the hour,
 * the service acquired in any way. */
void recommendation_mixed_cluster(const struct recommendation_ask *ask,
                                  struct recommendation_shared_cluster *pool);

#endif
