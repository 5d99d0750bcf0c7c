#include "estimate/training_memory.h"

#include "base/units.h"

#include <math.h>

/* Layers on the busiest stage, whole ones. Where they do not divide, embedding and head take a
 * layer's place each. */
static double busiest_layers(const struct shape *shape, double p)
{
    if (p == 1 || fmod(shape->layers, p) == 0)
        return shape->layers / p;
    return ceil((shape->layers + 2) / p);
}

/* Divide weights, gradients and optimizer among `replicas` as the ZeRO stage says. */
static void add_states(struct training_memory *memory, struct training_bytes bytes, double count,
                       double replicas, double stage)
{
    memory->weights += count * bytes.weight / (stage >= 3 ? replicas : 1);
    memory->gradients += count * bytes.gradient / (stage >= 2 ? replicas : 1);
    memory->optimizer += count * bytes.optimizer / (stage >= 1 ? replicas : 1);
}

/* Frozen weights have no gradient; the adapters beside them are trained as usual. */
static void add_adapters(struct training_memory *memory, const struct training_job *job,
                         const struct training_strategy *on, double layers, double dense,
                         double expert)
{
    double g = on->data * on->context, stage = on->zero_stage, body = dense, body_expert = expert;
    double tables = dense, frozen = training_bytes(job->precision, job->optimizer).weight;

    training_layer_weights(&job->shape, on, &body, &body_expert);
    tables -= body * layers;
    /* 4-bit quantisation leaves embeddings and head as they are. */
    double packed = job->method == TRAINING_QLORA ? TRAINING_NF4_BYTES : frozen;
    double weights = packed * (dense - tables + expert) + frozen * tables;
    add_states(memory, training_bytes(job->precision, job->optimizer),
               job->trainable_ratio * (dense + expert), g, stage);
    memory->weights += weights / (stage >= 3 ? g : 1);
}

static void set_states(struct training_memory *memory, const struct training_job *job,
                       const struct training_strategy *on, double layers)
{
    struct training_bytes bytes = training_bytes(job->precision, job->optimizer);
    double g = on->data * on->context, dense, expert, layer, layer_expert;

    training_weights(&job->shape, on, layers, &dense, &expert);
    training_layer_weights(&job->shape, on, &layer, &layer_expert);
    if (training_adapters(job->method)) {
        add_adapters(memory, job, on, layers, dense, expert);
    } else {
        add_states(memory, bytes, dense, g, on->zero_stage);
        add_states(memory, bytes, expert, fmax(1, g * on->tensor / on->expert), on->zero_stage);
        memory->scratch = bytes.weight * (layer + layer_expert);
    }
    memory->states = memory->weights + memory->gradients + memory->optimizer;
    if (on->zero_stage >= 3) /* the layer in use and the next, gathered */
        memory->weights += 2 * bytes.weight * (layer + layer_expert);
    memory->gradients += memory->scratch;
}

/* What one layer keeps of one micro-batch for its backward pass: inputs of the norms, of the
 * products and of attention, the output and statistics of attention, the FFN's inside (Korthikanti
 * et al., arXiv 2205.05198, table 2, with fused attention). */
static double layer_activations(const struct training_job *job, const struct training_strategy *on)
{
    const struct shape *shape = &job->shape;
    double h = shape->hidden, a = shape->heads, k = shape->kv_heads, t = on->tensor;
    double key = shape->prefill_key_dim, value = shape->prefill_value_dim;
    double moe = shape->moe_layers / shape->layers;
    double width = (1 - moe) * shape->ffn_width +
                   moe * (shape->expert_width * shape->top_k + shape->shared_width);
    double split = 2 * (a * key + k * key + k * value) + 2 * a * value + 4 * a +
                   (shape->ffn_matrices == 3 ? 6 : 4) * width + moe * 4 * shape->top_k * h;

    if (!job->flash_attention && on->recompute != TRAINING_RECOMPUTE_SELECTIVE)
        split += 5 * a * job->sequence_tokens;
    double whole = on->sequence_parallel > 0 ? 8 * h / t : 8 * h;
    return job->sequence_tokens * on->micro_batch / on->context * (split / t + whole);
}

/* Micro-batches whose activations the first stage holds at once, in units of its layers. */
static double in_flight(const struct training_strategy *on)
{
    double p = on->pipeline, v = on->virtual_stages;
    double m = fmax(1, on->batch_sequences / (on->data * on->micro_batch));

    return fmin(p, m) * (p > 1 && v > 1 ? 1 + (p - 1) / (p * v) : 1);
}

static void set_activations(struct training_memory *memory, const struct training_job *job,
                            const struct training_strategy *on, double layers)
{
    double tokens = job->sequence_tokens * on->micro_batch / on->context;
    double wide = training_bytes(job->precision, job->optimizer).weight / 2;
    double layer = layer_activations(job, on), held = layers * in_flight(on);
    double share = on->sequence_parallel > 0 ? on->tensor : 1;

    memory->layer_activations = layer * held;
    if (on->recompute == TRAINING_RECOMPUTE_FULL) /* the inputs of all, the inside of one */
        memory->layer_activations = 2 * tokens * job->shape.hidden / share * held + layer;
    memory->layer_activations *= wide;
    memory->logits = (4 + 2 * wide) * tokens * job->shape.vocab / on->tensor;
    memory->activations = memory->layer_activations + memory->logits;
}

struct training_memory training_memory(const struct training_job *job,
                                       const struct training_strategy *on)
{
    struct training_memory memory = {0};
    double layers = busiest_layers(&job->shape, on->pipeline);

    set_states(&memory, job, on, layers);
    set_activations(&memory, job, on, layers);
    memory.overhead = job->constants->runtime_reserve_gib * GIB;
    memory.allocated = memory.weights + memory.gradients + memory.optimizer + memory.activations;
    memory.required = memory.allocated + memory.overhead;
    memory.capacity = job->gpu->memory_bytes;
    return memory;
}

double training_shortfall(const struct training_memory *memory)
{
    return fmax(0, memory->required - memory->capacity);
}
