/* search.h - what the search for the smallest design and the list of all designs share. */
#ifndef ESTIMATE_INFERENCE_SERVING_SEARCH_H
#define ESTIMATE_INFERENCE_SERVING_SEARCH_H

#include "estimate/inference/serving/serving.h"

enum { SERVING_GPUS_MAX = 1000000 }; /* of a design */

/* Whether the plan fits, carries the load and keeps the limits. */
bool serving_meets(const struct serving_plan *plan);
/* serving_search() without a choice of passes or of where prompts are read, among designs of fewer
 * than that many GPUs; the nearest is told where `below` is infinite. */
bool serving_search_below(const struct serving_request *request, double below,
                          struct serving_plan *plan);
/* Where none does: what comes nearest to it. */
void serving_search_nearest(const struct serving_request *request, struct serving_plan *plan);
/* A design of fewer GPUs with other passes, or with prompts read on GPUs of their own, as far as
 * the request leaves that open; *plan is as it was where there is none. */
bool serving_search_passes(const struct serving_request *request, double below,
                           struct serving_plan *plan);
bool serving_search_apart(const struct serving_request *request, double below,
                          struct serving_plan *plan);
/* How many of these a design has: tensor, attention data and pipeline parallel, prompts read apart,
 * replicas that span more than links join. The fewer, the simpler it is to run. */
double serving_dimensions(const struct inference_job *job, const struct serving_design *design);
/* To compare designs by, in a list as in a search: fewer stages first, then fewer dimensions. */
double serving_complexity(const struct inference_job *job, const struct serving_design *design);
/* For two plans that do not: whether `a` comes closer to it. */
bool serving_nearer(const struct serving_plan *a, const struct serving_plan *b);

/* A way to share a layer out: GPUs, and the groups of them that attend on their own. */
struct serving_split {
    double tensor, attention_data;
};

enum { SERVING_SPLITS_MAX = 320 }; /* 840 GPUs in a node have some 270 */

/* The ways that heads, experts, engine and what is pinned allow, fewer GPUs first, then fewer
 * groups; how many. */
size_t serving_splits(const struct serving_request *request,
                      struct serving_split at[SERVING_SPLITS_MAX]);
/* Whether that number of GPUs can attend together: heads divide by it, and they share a node or are
 * whole nodes of one scale-up domain. */
bool serving_attends(const struct inference_job *job, double gpus);
/* Whether groups that attend on their own can share experts. */
bool serving_can_group(const struct inference_job *job);
/* A replica fills a share of a node, or whole nodes: others leave GPUs that nobody can use. */
bool serving_suits_nodes(const struct serving_request *request, double gpus);
/* How many of the replica are pinned or, within the limits, needed for the load; 1 where no number
 * would do. */
double serving_replicas(const struct serving_request *request,
                        const struct serving_replica *replica);
/* Corrects a sized replica of a design and the number of them by the request's measured runs. The
 * correction depends on the requests in flight and so on that number: the fewest are sought that
 * suffice when corrected for themselves. */
void serving_replicas_correct(const struct serving_request *request, struct serving_design *design,
                              struct serving_replica *replica);

#endif
