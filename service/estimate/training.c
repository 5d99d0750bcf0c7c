/* training.c - one step: micro-batches through the pipeline, the reduction, the optimizer. */
#include "estimate/training.h"

#include <math.h>

/* Weights of the whole model that tensor parallelism splits: attention, dense FFNs, shared experts
 * and routers. */
static double dense_body(const struct shape *shape)
{
    return shape->layers * shape->attention_weights + shape->dense_ffn_weights +
           shape->moe_layers * shape->hidden * shape->experts;
}

static double expert_body(const struct shape *shape)
{
    return shape->moe_layers * shape->experts * shape->expert_weights;
}

void training_layer_weights(const struct shape *shape, const struct training_strategy *on,
                            double *dense, double *expert)
{
    *dense = dense_body(shape) / shape->layers / on->tensor;
    *expert = expert_body(shape) / shape->layers / on->expert;
}

void training_weights(const struct shape *shape, const struct training_strategy *on, double layers,
                      double *dense, double *expert)
{
    double tables = shape->vocab * shape->hidden * (shape->tied || on->pipeline > 1 ? 1 : 2);

    training_layer_weights(shape, on, dense, expert);
    *dense = layers * *dense + tables / on->tensor;
    *expert *= layers;
}

/* The share of a layer's matrix weights that a token meets. */
static double active_body(const struct shape *shape)
{
    return dense_body(shape) + shape->moe_layers * shape->top_k * shape->expert_weights;
}

/* Forward FLOP per token of attention: causal, so half the square. */
static double attention_flop(const struct training_job *job)
{
    const struct shape *shape = &job->shape;

    return shape->layers * training_attention_share(shape, job->sequence_tokens) *
           job->sequence_tokens * shape->heads *
           (shape->prefill_key_dim + shape->prefill_value_dim);
}

double training_flop_per_token(const struct training_job *job)
{
    double w = training_adapters(job->method) ? 1 : 2;

    return 2 * (1 + w) * (active_body(&job->shape) + job->shape.vocab * job->shape.hidden) +
           3 * attention_flop(job);
}

double training_hardware_ratio(const struct training_job *job, enum training_recompute recompute)
{
    double w = training_adapters(job->method) ? 1 : 2;

    if (recompute == TRAINING_RECOMPUTE_FULL)
        return (2 + w) / (1 + w);
    if (recompute == TRAINING_RECOMPUTE_SELECTIVE)
        return 1 + attention_flop(job) / training_flop_per_token(job);
    return 1;
}

/* Output layer and loss on the last stage; it stays 16-bit in fp8 runs. */
static void set_head(const struct training_job *job, const struct training_rates *rates,
                     const struct training_strategy *on, struct training_step *step)
{
    double tokens = step->layer.tokens, h = job->shape.hidden;
    double v = job->shape.vocab / on->tensor, bandwidth = job->gpu->memory_bandwidth;
    double product =
        (1 + rates->weight_gradient) * 2 * tokens * v * h / (rates->peak * rates->eta_16);
    double moved =
        (3 * rates->element_bytes * (tokens * h + h * v + tokens * v) + 24 * tokens * v) /
        bandwidth;

    step->t_head = product + moved;
    step->arithmetic += product;
    step->memory += moved;
}

/* Layers and heads that the slowest stage works through. Where layers do not divide among the
 * stages, embedding and head take a layer's place each (as in Llama 3 405B with 126 layers). */
static void slowest_stage(const struct training_strategy *on, double layers, double *n_layers,
                          double *n_heads)
{
    double p = on->pipeline;

    *n_heads = 1;
    *n_layers = layers / p;
    if (p > 1 && fmod(layers, p * on->virtual_stages) != 0) {
        *n_layers = (layers + 2) / p;
        *n_heads = 0;
    }
}

/* Activations between stages go to another node unless the whole run lies within one. */
static double point_to_point(const struct training_job *job, const struct training_rates *rates,
                             const struct links *links, const struct training_strategy *on,
                             double tokens)
{
    const struct training_constants *k = job->constants;
    double rate = on->gpu_count <= links->node ? links_rate(links, on->gpu_count) * k->e_nv
                                               : links->network * k->e_net;

    if (on->pipeline <= 1)
        return 0;
    return 2 * on->virtual_stages * rates->element_bytes * tokens * job->shape.hidden / on->tensor /
           rate;
}

/* Bytes sent per weight and reduction: FP32 gradients all-reduced, or scattered with the weights
 * gathered after the step; under ZeRO 3 the weights gathered twice and the gradients scattered in
 * every micro-batch. Adapters are too small to count. */
static double reduced_bytes(const struct training_job *job, const struct training_strategy *on)
{
    struct training_bytes bytes = training_bytes(job->precision, job->optimizer);
    bool adapters = training_adapters(job->method);

    if (on->zero_stage >= 3)
        return 2 * bytes.weight + (adapters ? 0 : bytes.gradient);
    if (adapters)
        return 0;
    return on->zero_stage >= 1 ? bytes.gradient + bytes.weight : 2 * bytes.gradient;
}

/* Ranks that hold the same dense weights, and the same experts. */
static double replicas(const struct training_strategy *on)
{
    return on->data * on->context;
}

static double expert_replicas(const struct training_strategy *on)
{
    return fmax(1, on->data * on->context * on->tensor / on->expert);
}

static void set_reduction(const struct training_job *job, const struct links *links,
                          const struct training_strategy *on, struct training_step *step)
{
    const struct training_constants *k = job->constants;
    double g = replicas(on), ge = expert_replicas(on);

    training_weights(&job->shape, on, job->shape.layers / on->pipeline, &step->weights_dense,
                     &step->weights_expert);
    step->weights_reduced =
        step->weights_dense * (g - 1) / g + step->weights_expert * (ge - 1) / ge;
    step->ring_rate = links_ring_rate(links, g, on->tensor);
    double seconds = step->weights_reduced * reduced_bytes(job, on) / (step->ring_rate * k->e_net);
    if (on->zero_stage < 3) {
        step->data_communication = k->xdp * seconds;
        return;
    }
    double shorter = fmin(step->t_micro_batch, seconds);
    double longer = fmax(step->t_micro_batch, seconds);
    step->t_zero_3 = seconds;
    step->data_communication =
        step->micro_batches * (longer + k->x3 * shorter - step->t_micro_batch);
    step->t_micro_batch = longer + k->x3 * shorter;
}

/* The optimizer reads and writes its states and master weights and reads the gradient; below ZeRO 3
 * the full gradients and weights pass through memory once more. */
static void set_optimizer(const struct training_job *job, const struct training_strategy *on,
                          struct training_step *step)
{
    struct training_bytes bytes = training_bytes(job->precision, job->optimizer);
    bool single = bytes.weight == 4, shard = on->zero_stage >= 1;
    double owned = step->weights_dense / (shard ? replicas(on) : 1) +
                   step->weights_expert / (shard ? expert_replicas(on) : 1);
    double update = 2 * bytes.optimizer + bytes.gradient + bytes.weight * (single ? 2 : 1);
    double moved = update * owned;

    if (training_adapters(job->method))
        return;
    if (on->zero_stage < 3)
        moved += (bytes.gradient + bytes.weight) * (step->weights_dense + step->weights_expert);
    step->optimizer_step = job->constants->co * moved / job->gpu->memory_bandwidth;
    step->memory += step->optimizer_step;
}

/* Micro-batches through the slowest stage, and what waits for the pipeline to fill. */
static void set_micro_batches(const struct training_job *job, const struct training_strategy *on,
                              struct training_step *step)
{
    const struct training_layer *layer = &step->layer;
    double n_layers, n_heads, m;

    slowest_stage(on, job->shape.layers, &n_layers, &n_heads);
    m = step->micro_batches = fmax(1, on->batch_sequences / (on->data * on->micro_batch));
    step->t_average = (job->shape.layers * layer->t_total + step->t_head) / on->pipeline;
    step->t_max = n_layers * layer->t_total + n_heads * step->t_head;
    step->compute = m * (n_layers * (layer->t_forward + layer->t_backward + layer->t_floor) +
                         n_heads * step->t_head);
    step->recompute = m * n_layers * layer->t_recompute;
    step->tensor_communication = m * n_layers * layer->t_tensor;
    step->context_communication = m * n_layers * layer->t_context;
    step->expert_communication = m * n_layers * layer->t_all_to_all;
    step->arithmetic = m * (n_heads * step->arithmetic + n_layers * layer->t_arithmetic);
    step->memory = m * (n_heads * step->memory + n_layers * (layer->t_memory + layer->t_floor));
    step->pipeline_bubble = (on->pipeline - 1) / on->virtual_stages * step->t_average;
}

void training_step(const struct training_job *job, const struct training_rates *rates,
                   const struct training_strategy *on, struct training_step *step)
{
    struct links links = training_links(job, on->gpu_count);

    *step = (struct training_step){.layer = training_layer(job, rates, &links, on)};
    set_head(job, rates, on, step);
    set_micro_batches(job, on, step);
    step->t_point_to_point = point_to_point(job, rates, &links, on, step->layer.tokens);
    step->pipeline_communication = step->micro_batches * step->t_point_to_point;
    step->t_micro_batch = step->t_max + step->t_point_to_point;
    set_reduction(job, &links, on, step);
    set_optimizer(job, on, step);
    step->seconds = step->micro_batches * step->t_micro_batch + step->pipeline_bubble +
                    (on->zero_stage < 3 ? step->data_communication : 0) + step->optimizer_step;
}
