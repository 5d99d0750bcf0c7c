/* gpu_share.h - a replica's part of a GPU: a MIG instance, or a fraction shared with other
 * processes. */
#ifndef ESTIMATE_INFERENCE_GPU_SHARE_H
#define ESTIMATE_INFERENCE_GPU_SHARE_H

#include "base/arena.h"
#include "catalog/gpu.h"

struct gpu_share {
    double replicas; /* number of replicas per GPU */
    double compute;  /* fraction of its arithmetic */
    double memory;   /* fraction of its memory and bandwidth */
};

/* The same fraction of everything. */
struct gpu_share gpu_share_fraction(double fraction);
/* Returns false if the GPU has no such profile. */
bool gpu_share_mig(const struct gpu *gpu, const char *profile, struct gpu_share *share);
/* The GPU's profiles for a sentence; NULL if none are known. */
const char *gpu_share_profiles(const struct gpu *gpu, struct arena *arena);

/* Reduces memory, bandwidth and every peak of the GPU to the share of one replica. */
void gpu_share_apply(struct gpu *gpu, const struct gpu_share *share);

#endif
