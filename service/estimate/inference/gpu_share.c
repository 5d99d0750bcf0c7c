#include "estimate/inference/gpu_share.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

static const double COMPUTE_SLICES = 7, MEMORY_SLICES = 8;

static const struct profile {
    const char *gpus, *name;
    double instances, compute, memory;
} profiles[] = {
#define MIG(...) {__VA_ARGS__},
#include "estimate/inference/gpu_share.def"
#undef MIG
};

enum { PROFILES = sizeof(profiles) / sizeof(profiles[0]) };

struct gpu_share gpu_share_fraction(double fraction)
{
    const double rounding = 1e-9; /* for fractions such as a third, three times */

    return (struct gpu_share){floor(1 / fraction + rounding), fraction, fraction};
}

bool gpu_share_mig(const struct gpu *gpu, const char *name, struct gpu_share *share)
{
    for (size_t i = 0; i < PROFILES; i++) {
        const struct profile *profile = &profiles[i];
        if (strcmp(profile->name, name) != 0 || !text_in_words(profile->gpus, gpu->slug))
            continue;
        *share = (struct gpu_share){profile->instances, profile->compute / COMPUTE_SLICES,
                                    profile->memory / MEMORY_SLICES};
        return true;
    }
    return false;
}

const char *gpu_share_profiles(const struct gpu *gpu, struct arena *arena)
{
    const char *list = NULL;

    for (size_t i = 0; i < PROFILES; i++)
        if (text_in_words(profiles[i].gpus, gpu->slug))
            list = list ? arena_join(arena, list, ", ", profiles[i].name) : profiles[i].name;
    return list;
}

void gpu_share_apply(struct gpu *gpu, const struct gpu_share *share)
{
    gpu->memory_bytes *= share->memory;
    gpu->memory_bandwidth *= share->memory;
    for (size_t i = 0; i < PEAK_COUNT; i++)
        gpu->peak[i] *= share->compute;
}
