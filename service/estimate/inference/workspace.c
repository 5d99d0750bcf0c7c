#include "estimate/inference/workspace.h"

#include "estimate/inference/communication.h"

#include <math.h>

/* The residual stream and its normalised copy are replicated on every GPU. */
static const double STREAMS = 2;

/* Queries, keys, values and the output of each head; if attention is not fused, keys and values are
 * repeated for every query head that shares them. */
static double attention(const struct model_shape *shape, double score_bytes, double context,
                        double tensor)
{
    double heads = shape->heads, out = heads * shape->value_dim;
    double elements = heads * shape->prefill_key_dim + shape->kv_elements + out;
    bool shared = score_bytes > 0 && shape->kv_heads < heads;

    elements += shared ? heads * (shape->prefill_key_dim + shape->value_dim) : 0;
    return (ACTIVATION_BYTES * elements + score_bytes * heads * context) / tensor;
}

/* All branches and their product; data sent to experts goes there and back. A GPU's experts process
 * the tokens of `groups`. */
static double ffn(const struct model_shape *shape, double tensor, double groups)
{
    double matrices = shape->ffn_matrices / tensor;
    double dense = shape->dense_layers > 0 ? matrices * shape->ffn_width : 0;
    double sent = shape->top_k * (matrices * shape->expert_width + 2 * shape->expert_hidden);
    double experts = shape->moe ? groups * sent + matrices * shape->shared_width : 0;

    return ACTIVATION_BYTES * fmax(dense, experts);
}

double workspace_needed(const struct model_shape *shape, const struct memory_engine *engine,
                        double tokens, double context, double tensor, double groups)
{
    double stream = ACTIVATION_BYTES * STREAMS * shape->hidden;
    double most = stream + fmax(attention(shape, engine->score_bytes, context, tensor),
                                ffn(shape, tensor, groups));
    double logits = engine->score_bytes > 0 ? sizeof(float) * shape->vocab / tensor : 0;

    return tokens * fmax(most, logits);
}

double workspace_pass_tokens(const struct memory_engine *engine, double asked)
{
    return asked > 0 ? asked : engine->pass_tokens;
}
