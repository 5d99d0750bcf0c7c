/* shared_cluster.h - every combination of one kind of GPU, priced and judged: what
 * recommendation/recommendation.c picks from. */
#ifndef ESTIMATE_RECOMMENDATION_SHARED_CLUSTER_H
#define ESTIMATE_RECOMMENDATION_SHARED_CLUSTER_H

#include "estimate/recommendation/recommendation.h"

struct recommendation_shared_cluster {
    struct recommendation_option *at; /* in the arena */
    size_t n, room;
    struct arena *arena;
};

/* Kept where there is no limit (NAN); what rounding alone exceeds is kept too. */
bool recommendation_keeps(double value, double limit);

/* The parts of an option have type and acquisition, and it says which of them does what in which
 * configuration: fill in the rest. False where the jobs do not end by the horizon, or a price is
 * unknown. */
bool recommendation_complete(const struct recommendation_ask *ask,
                             struct recommendation_option *option);

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
