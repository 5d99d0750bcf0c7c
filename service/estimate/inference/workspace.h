/* workspace.h - working memory of one pass on one GPU, besides weights and cache. */
#ifndef ESTIMATE_INFERENCE_WORKSPACE_H
#define ESTIMATE_INFERENCE_WORKSPACE_H

#include "estimate/figures/model_shape.h"

/* Memory behaviour of an engine. */
struct memory_engine {
    double pass_tokens;  /* maximum tokens per pass, over all its requests */
    double block_tokens; /* allocation block size of the cache, in tokens */
    double score_bytes;  /* per head, query and key if attention writes its scores to memory, and
                          * each token of a pass then has logits; 0: fused kernels store neither */
};

/* Maximum tokens per pass; the engine's default if `asked` is 0. */
double workspace_pass_tokens(const struct memory_engine *engine, double asked);
/* Bytes on each of `tensor` GPUs for a pass of `tokens` that attend to `context` tokens each: the
 * maximum held at once by attention, FFN or logits, in 16 bit except scores and logits. With
 * gathered experts, these process the tokens of `groups` attention groups. */
double workspace_needed(const struct model_shape *shape, const struct memory_engine *engine,
                        double tokens, double context, double tensor, double groups);

#endif
