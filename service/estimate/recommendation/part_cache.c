#include "estimate/recommendation/part_cache.h"

#include <stdint.h>

struct part_cache_key part_cache_key_of(const struct recommendation_ask *ask,
                                        const struct recommendation_option *option, size_t i)
{
    const struct recommendation_part *part = &option->parts[i];
    struct part_cache_key key = {
        .gpu_type = part->gpu_type, .acquisition = part->acquisition, .months = part->months};

    for (int w = 0; w < RECOMMENDATION_WORKLOADS; w++)
        key.configuration[w] =
            ask->wanted[w] && option->part[w] == i ? option->configuration[w] : SIZE_MAX;
    return key;
}

static bool is_same(const struct part_cache_key *a, const struct part_cache_key *b)
{
    for (int w = 0; w < RECOMMENDATION_WORKLOADS; w++)
        if (a->configuration[w] != b->configuration[w])
            return false;
    return a->acquisition == b->acquisition && a->months == b->months && a->gpu_type == b->gpu_type;
}

const struct recommendation_part *part_cache_find(const struct part_cache *cache,
                                                  const struct part_cache_key *key)
{
    for (size_t i = 0; i < cache->n; i++)
        if (is_same(&cache->at[i].key, key))
            return &cache->at[i].part;
    return NULL;
}

void part_cache_put(struct part_cache *cache, const struct part_cache_key *key,
                    const struct recommendation_part *part)
{
    cache->at[cache->next].key = *key;
    cache->at[cache->next].part = *part;
    cache->next = (cache->next + 1) % PART_CACHE_MAX;
    if (cache->n < PART_CACHE_MAX)
        cache->n++;
}
