/* search.h - what the search for the smallest design and the list of all designs share. */
#ifndef ESTIMATE_INFERENCE_SERVING_SEARCH_H
#define ESTIMATE_INFERENCE_SERVING_SEARCH_H

#include "estimate/inference/serving/serving.h"

enum { SERVING_GPUS_MAX = 1000000 }; /* of a design */

/* Whether the plan fits, carries the load and keeps the limits. */
bool serving_meets(const struct serving_plan *plan);
/* For two plans that do not: whether `a` comes closer to it. */
bool serving_nearer(const struct serving_plan *a, const struct serving_plan *b);

/* The largest tensor-parallel degree of a layer: the GPUs that attend together share a node. */
double serving_tensor_most(const struct serving_request *request);
/* Whether a layer may be split that many ways. */
bool serving_splits(const struct serving_request *request, double tensor);
/* A replica fills a share of a node, or whole nodes: others leave GPUs that nobody can use. */
bool serving_suits_nodes(const struct serving_request *request, double gpus);
/* How many of the replica are pinned or, within the limits, needed for the load; 1 where no number
 * would do. */
double serving_replicas(const struct serving_request *request,
                        const struct serving_replica *replica);

#endif
