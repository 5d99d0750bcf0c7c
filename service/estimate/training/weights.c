/* weights.c - weights per GPU, stage and token under tensor and expert parallelism. */
#include "estimate/training/constraints.h"

#include <math.h>

/* Weights of the whole model that tensor parallelism shards: attention, dense FFNs, shared experts
 * and routers. */
static double dense_body(const struct model_shape *shape)
{
    return shape->layers * shape->attention_weights + shape->dense_ffn_weights +
           shape->moe_layers * shape->hidden * shape->experts;
}

void training_layer_weights(const struct model_shape *shape, const struct training_strategy *on,
                            double *dense, double *expert)
{
    *dense = dense_body(shape) / shape->layers / on->tensor;
    *expert =
        shape->moe_layers * shape->experts * shape->expert_weights / shape->layers / on->expert;
}

void training_weights(const struct model_shape *shape, const struct training_strategy *on,
                      double layers, double *dense, double *expert)
{
    double tables = shape->vocab * shape->hidden * (shape->tied || on->pipeline > 1 ? 1 : 2);

    training_layer_weights(shape, on, dense, expert);
    *dense = layers * *dense + tables / on->tensor;
    *expert *= layers;
}

double training_active_weights(const struct model_shape *shape)
{
    return dense_body(shape) + shape->moe_layers * shape->top_k * shape->expert_weights;
}

double training_stage_layers(const struct model_shape *shape, double p, double k, double *begins)
{
    double layers = shape->layers;

    if (training_divides(p, layers)) {
        *begins = k * layers / p;
        return layers / p;
    }
    double most = ceil((layers + 2) / p);
    *begins = k == 0 ? 0 : k == p - 1 ? layers - (most - 1) : k * most - 1;
    return k == 0 || k == p - 1 ? most - 1 : most;
}
