#include "estimate/recommendation/known_parts.h"

#include <stdint.h>

struct recommendation_part_key
recommendation_part_key_of(const struct recommendation_ask *ask,
                           const struct recommendation_option *option, size_t i)
{
    const struct recommendation_part *part = &option->parts[i];
    struct recommendation_part_key key = {
        .gpu_type = part->gpu_type, .acquisition = part->acquisition, .months = part->months};

    for (int w = 0; w < RECOMMENDATION_WORKLOADS; w++)
        key.configuration[w] =
            ask->wanted[w] && option->part[w] == i ? option->configuration[w] : SIZE_MAX;
    return key;
}

static bool is_same(const struct recommendation_part_key *a,
                    const struct recommendation_part_key *b)
{
    for (int w = 0; w < RECOMMENDATION_WORKLOADS; w++)
        if (a->configuration[w] != b->configuration[w])
            return false;
    return a->acquisition == b->acquisition && a->months == b->months && a->gpu_type == b->gpu_type;
}

const struct recommendation_part *
recommendation_known_parts_find(const struct recommendation_known_parts *known,
                                const struct recommendation_part_key *key)
{
    for (size_t i = 0; i < known->n; i++)
        if (is_same(&known->at[i].key, key))
            return &known->at[i].part;
    return NULL;
}

void recommendation_known_parts_add(struct recommendation_known_parts *known,
                                    const struct recommendation_part_key *key,
                                    const struct recommendation_part *part)
{
    known->at[known->next].key = *key;
    known->at[known->next].part = *part;
    known->next = (known->next + 1) % RECOMMENDATION_KNOWN_PARTS_MAX;
    if (known->n < RECOMMENDATION_KNOWN_PARTS_MAX)
        known->n++;
}
