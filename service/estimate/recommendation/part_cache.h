/* part_cache.h - a cache of part costs: the options of one GPU type combine few parts in many
 * ways. */
#ifndef ESTIMATE_RECOMMENDATION_PART_CACHE_H
#define ESTIMATE_RECOMMENDATION_PART_CACHE_H

#include "estimate/recommendation/recommendation.h"

enum { PART_CACHE_MAX = 64 };

/* Everything a part's cost depends on, within one ask without credits, which an earlier part could
 * use up. */
struct part_cache_key {
    size_t gpu_type;
    enum recommendation_acquisition acquisition;
    int months;
    size_t
        configuration[RECOMMENDATION_WORKLOADS]; /* SIZE_MAX: done by another part, or not wanted */
};

struct part_cache {
    size_t n, next;
    struct {
        struct part_cache_key key;
        struct recommendation_part part;
    } at[PART_CACHE_MAX];
};

/* The key of the option's i-th part, whose months must be set. */
struct part_cache_key part_cache_key_of(const struct recommendation_ask *ask,
                                        const struct recommendation_option *option, size_t i);

/* Returns NULL if it is not cached. */
const struct recommendation_part *part_cache_find(const struct part_cache *cache,
                                                  const struct part_cache_key *key);

/* Add a part, replacing the oldest if full. */
void part_cache_put(struct part_cache *cache, const struct part_cache_key *key,
                    const struct recommendation_part *part);

#endif
