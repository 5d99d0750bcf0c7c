/* known_parts.h - a cache of part costs: the options of one GPU type combine few parts in many
 * ways. */
#ifndef ESTIMATE_RECOMMENDATION_KNOWN_PARTS_H
#define ESTIMATE_RECOMMENDATION_KNOWN_PARTS_H

#include "estimate/recommendation/recommendation.h"

enum { RECOMMENDATION_KNOWN_PARTS_MAX = 64 };

/* Everything a part's cost depends on, within one ask without credits, which an earlier part could
 * use up. */
struct recommendation_part_key {
    size_t gpu_type;
    enum recommendation_acquisition acquisition;
    int months;
    size_t
        configuration[RECOMMENDATION_WORKLOADS]; /* SIZE_MAX: done by another part, or not wanted */
};

struct recommendation_known_parts {
    size_t n, next;
    struct {
        struct recommendation_part_key key;
        struct recommendation_part part;
    } at[RECOMMENDATION_KNOWN_PARTS_MAX];
};

/* The key of the option's i-th part, whose months must be set. */
struct recommendation_part_key
recommendation_part_key_of(const struct recommendation_ask *ask,
                           const struct recommendation_option *option, size_t i);

/* Returns NULL if it is not cached. */
const struct recommendation_part *
recommendation_known_parts_find(const struct recommendation_known_parts *known,
                                const struct recommendation_part_key *key);

/* Add a part, replacing the oldest if full. */
void recommendation_known_parts_add(struct recommendation_known_parts *known,
                                    const struct recommendation_part_key *key,
                                    const struct recommendation_part *part);

#endif
