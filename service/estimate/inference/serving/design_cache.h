/* design_cache.h - caches the replicas that earlier searches sized, for searches of one request at
 * many loads: what a replica carries within the limits does not depend on the load. */
#ifndef ESTIMATE_INFERENCE_SERVING_DESIGN_CACHE_H
#define ESTIMATE_INFERENCE_SERVING_DESIGN_CACHE_H

#include "estimate/inference/serving/search.h"

/* One sharding with some number of stages. */
struct design_cache_entry {
    double pipeline;
    double spent; /* on bounds that refused it, as a fraction of what sizing it costs */
    const struct serving_replica *sized; /* NULL: not yet */
    struct design_cache_entry *next;
};

/* All designs of a request with these passes and this reading of prompts. */
struct serving_variant {
    double pass_tokens;
    bool separate_prefill;
    struct inference unsplit;
    size_t n_splits;
    struct serving_split splits[SERVING_SPLITS_MAX];
    struct design_cache_entry *designs[SERVING_SPLITS_MAX]; /* by sharding */
    struct serving_variant *next;
};

/* For requests that differ in nothing but the load, the passes and the reading of prompts. */
struct design_cache *design_cache_new(struct arena *arena);

/* The variant of a request: the cached one, or *own, filled, if the request has no cache. */
struct serving_variant *design_cache_variant(const struct serving_request *request,
                                             struct serving_variant *own);
/* The design's entry, added if missing; NULL if the request has no cache. */
struct design_cache_entry *design_cache_entry(const struct serving_request *request,
                                              struct serving_variant *variant,
                                              const struct serving_split *split, double pipeline);
/* Stores a sized replica. */
void design_cache_put(const struct serving_request *request, struct design_cache_entry *design,
                      const struct serving_replica *replica);

#endif
