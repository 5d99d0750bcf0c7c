/* search.h - shared by the search for the smallest design and the list of all designs. */
#ifndef ESTIMATE_INFERENCE_SERVING_SEARCH_H
#define ESTIMATE_INFERENCE_SERVING_SEARCH_H

#include "estimate/inference/serving/serving.h"

enum { SERVING_GPUS_MAX = 1000000 }; /* per design */

/* True if the plan fits, carries the load and meets the limits. */
bool serving_meets(const struct serving_plan *plan);
/* serving_search() without a choice of passes or of where prompts are read, among designs of fewer
 * than `below` GPUs. If it finds none, *plan is the nearest one, provided that `below` is infinite.
 */
bool serving_search_below(const struct serving_request *request, double below,
                          struct serving_plan *plan);
/* If no design meets the limits: the one that comes nearest. */
void serving_search_nearest(const struct serving_request *request, struct serving_plan *plan);
/* Look for a design of fewer GPUs with other passes or with disaggregated prefill, as far as the
 * request leaves these open; *plan is unchanged if there is none. */
bool serving_search_passes(const struct serving_request *request, double below,
                           struct serving_plan *plan);
bool serving_search_apart(const struct serving_request *request, double below,
                          struct serving_plan *plan);
/* Ordering key of designs, in lists and searches: fewer stages first, then fewer dimensions. */
double serving_complexity(const struct inference_job *job, const struct serving_design *design);
/* For two plans that do not meet them: whether `a` comes closer. */
bool serving_nearer(const struct serving_plan *a, const struct serving_plan *b);

/* How a layer is sharded: number of GPUs, and of attention groups among them. */
struct serving_split {
    double tensor, attention_data;
};

enum { SERVING_SPLITS_MAX = 320 }; /* 840 GPUs in a node have about 270 */

/* The shardings that heads, experts, engine and pinned values allow, fewer GPUs first, then fewer
 * groups. Returns their number. */
size_t serving_splits(const struct serving_request *request,
                      struct serving_split at[SERVING_SPLITS_MAX]);
/* True if attention heads and KV heads are divided evenly over that many GPUs. */
bool serving_divides_heads(const struct inference_job *job, double gpus);
/* True if that many GPUs can share attention: heads are divisible by it, and the GPUs share a node
 * or are whole nodes of one scale-up domain. */
bool serving_attends(const struct inference_job *job, double gpus);
/* True if attention groups can share experts. */
bool serving_can_group(const struct inference_job *job);
/* A replica must fill an even share of a node, or whole nodes; otherwise GPUs are left unusable.
 * Stages are of as many GPUs of a node as can share a layer, unless degrees are pinned. */
bool serving_suits_nodes(const struct serving_request *request, double tensor, double stages);
/* Number of replicas: pinned, or needed for the load within the limits; 1 if no number suffices. */
double serving_replicas(const struct serving_request *request,
                        const struct serving_replica *replica);
/* Corrects a sized replica and the number of replicas by the request's measured runs. The
 * correction depends on the requests in flight and so on that number: finds the fewest that suffice
 * with their own correction. */
void serving_replicas_correct(const struct serving_request *request, struct serving_design *design,
                              struct serving_replica *replica);

#endif
