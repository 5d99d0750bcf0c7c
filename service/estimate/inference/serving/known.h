/* known.h - the replicas that earlier searches sized, for searches of one request at many loads:
 * what a replica carries within the limits does not depend on the load. */
#ifndef ESTIMATE_INFERENCE_SERVING_KNOWN_H
#define ESTIMATE_INFERENCE_SERVING_KNOWN_H

#include "estimate/inference/serving/search.h"

/* One sharding with some number of stages. */
struct serving_known_design {
    double pipeline;
    double spent; /* on bounds that refused it, as a fraction of what sizing it costs */
    const struct serving_replica *sized; /* NULL: not yet */
    struct serving_known_design *next;
};

/* All designs of a request with these passes and this reading of prompts. */
struct serving_variant {
    double pass_tokens;
    bool separate_prefill;
    struct inference unsplit;
    size_t n_splits;
    struct serving_split splits[SERVING_SPLITS_MAX];
    struct serving_known_design *designs[SERVING_SPLITS_MAX]; /* by sharding */
    struct serving_variant *next;
};

/* For requests that differ in nothing but the load, the passes and the reading of prompts. */
struct serving_known *serving_known_new(struct arena *arena);

/* The variant of a request: the known one, or *own, filled, if the request keeps none. */
struct serving_variant *serving_variant_of(const struct serving_request *request,
                                           struct serving_variant *own);
/* The design's entry, made where missing; NULL if the request keeps none. */
struct serving_known_design *serving_known_design(const struct serving_request *request,
                                                  struct serving_variant *variant,
                                                  const struct serving_split *split,
                                                  double pipeline);
/* Remembers a sized replica. */
void serving_known_keep(const struct serving_request *request, struct serving_known_design *design,
                        const struct serving_replica *replica);

#endif
