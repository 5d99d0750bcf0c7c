/* workspace.h - what computing one pass takes alongside weights and cache, on one GPU. */
#ifndef ESTIMATE_INFERENCE_WORKSPACE_H
#define ESTIMATE_INFERENCE_WORKSPACE_H

#include "estimate/figures/model_shape.h"

/* How an engine goes about memory. */
struct memory_engine {
    double pass_tokens;  /* most tokens of one pass, of all its requests together */
    double block_tokens; /* the cache is allocated in blocks of this many tokens */
    double score_bytes;  /* per head, query and key where attention writes its scores down, and each
                            token of a pass then has its logits; 0: fused kernels keep neither */
};

/* Most tokens of one pass, where `asked` is 0 as the engine does. */
double workspace_pass_tokens(const struct memory_engine *engine, double asked);
/* Bytes on each of `tensor` GPUs for a pass of `tokens` that attend to `context` tokens each: the
 * most that attention, FFN or logits hold at once, in 16 bit but for scores and logits. Experts
 * take the tokens of `groups` that attend on their own, where those are gathered. */
double workspace_needed(const struct model_shape *shape, const struct memory_engine *engine,
                        double tokens, double context, double tensor, double groups);

#endif
