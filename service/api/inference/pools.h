/* pools.h - shared by the files of /v1/inference-sizing/pools. */
#ifndef API_INFERENCE_POOLS_H
#define API_INFERENCE_POOLS_H

#include "api/resource/context.h"

struct inference_pools_in {
#include "base/field/members.h"
#include "api/inference/pools_in.def"
#include "base/field/end.h"
};

enum { INFERENCE_POOLS_MOST = 20 };

/* A model and its share of the requests. */
struct inference_pool {
    const struct model *model;
    const struct gpu *gpu; /* NULL for the recommended one */
    double share;
};

/* The pools as given, with shares normalised to a sum of 1; in the arena. */
bool inference_pools_read(struct request_context *context, const struct inference_pools_in *in,
                          struct inference_pool **pools, size_t *n, struct err *err) MUST_CHECK;

#endif
