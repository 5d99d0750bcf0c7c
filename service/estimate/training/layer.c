/* layer.c - the work of one layer and the time it takes: matrix products, attention,
 * elementwise work, and the traffic inside the layer. */
#include "estimate/training/recompute.h"

#include "base/minmax.h"
#include "estimate/training/gathered.h"

#include <math.h>

/* Products of one kind: FLOP, bytes moved, and elements cast to fp8. */
struct work {
    double flop, bytes, cast;
};

static void add_product(struct work *work, const struct training_rates *rates, double rows,
                        double columns, double inner)
{
    work->flop += 2 * rows * columns * inner;
    work->bytes += rates->operand_bytes * (rows * inner + inner * columns) +
                   rates->element_bytes * rows * columns;
    work->cast += rows * (inner + columns);
}

static void add_attention(struct work *work, const struct training_rates *rates,
                          const struct model_shape *shape, double tokens, double t)
{
    double h = shape->hidden, a = shape->heads, k = shape->kv_heads;

    /* If heads do not determine the products, derive them from the weights. */
    if (shape->mla || shape->uneven) {
        add_product(work, rates, tokens, shape->attention_weights / (h * t), h);
        return;
    }
    add_product(work, rates, tokens,
                (a * shape->head_dim + k * (shape->head_dim + shape->value_dim)) / t, h);
    add_product(work, rates, tokens, h, a * shape->value_dim / t);
}

static void add_ffn(struct work *work, const struct training_rates *rates,
                    const struct model_shape *shape, double tokens, double width, double hidden)
{
    add_product(work, rates, tokens, (shape->ffn_matrices - 1) * width, hidden);
    add_product(work, rates, tokens, hidden, width);
}

/* The products of a layer, dense and grouped. */
static void add_products(struct work *dense, struct work *expert,
                         const struct training_rates *rates, const struct model_shape *shape,
                         const struct training_strategy *on, double tokens, bool moe)
{
    double t = on->tensor;

    add_attention(dense, rates, shape, tokens, t);
    if (!moe) {
        add_ffn(dense, rates, shape, tokens, shape->ffn_width / t, shape->hidden);
        return;
    }
    add_product(dense, rates, tokens / t, shape->experts, shape->hidden);
    if (shape->shared_width > 0)
        add_ffn(dense, rates, shape, tokens, shape->shared_width / t, shape->hidden);
    /* Each GPU holds E/e experts and processes an even share of the routed tokens. */
    double held = shape->experts / on->expert, rows = tokens / t * shape->top_k / held;
    struct work one = {0};
    add_ffn(&one, rates, shape, rows, shape->expert_width, shape->expert_hidden);
    expert->flop += held * one.flop;
    expert->bytes += held * rates->expert_bytes * one.bytes;
    expert->cast += held * rates->expert_bytes * one.cast;
}

/* Bytes of the score matrix, written and read nine times in total, if attention is not fused. */
static double score_bytes(const struct training_job *job, const struct training_rates *rates,
                          const struct training_strategy *on, double tokens)
{
    if (job->flash_attention)
        return 0;
    return 9 * tokens * job->sequence_tokens * job->shape.heads / on->tensor * rates->element_bytes;
}

/* Memory traffic of adapters around each product, in elements of its inputs and outputs. Those of
 * PyTorch are modules: products, scaling, dropout and addition are separate passes. Software of few
 * kernels scales inside its products, but these still read the inputs and add to the outputs; `ff`,
 * the factor on all other bytes of such software, does not apply to them. */
static double adapter_elements(const struct training_job *job, double width, double matrices)
{
    const struct model_shape *shape = &job->shape;
    const struct training_constants *k = job->constants;
    double heads = 2 * (shape->heads + shape->kv_heads) * shape->prefill_key_dim;
    bool fused = job->stack == TRAINING_STACK_FUSED;

    if (!training_adapters(job->method) || !(fused || training_plain_torch(job)))
        return 0;
    return (fused ? k->ca_fused / k->ff : k->ca) *
           (4 * shape->hidden + heads + shape->ffn_matrices * (matrices * shape->hidden + width));
}

/* Megatron Core adds the bias of an expert's output outside the product, times the token's weight,
 * which is FP32 and so makes the sum FP32 (TEGroupedMLP._apply_bias). Forward 28 bytes per element:
 * the product bias x weight is written (4), added to the 16-bit output (6, 4), all experts are
 * concatenated (4, 4) and rounded to 16 bit (4, 2). Backward 40: the gradient is widened (2, 4),
 * rounded for the output (4, 2) and joined (2, 2), and multiplied and summed once for the bias and
 * once for the weights (4, 4, 4 each). The three products have operands of two shapes: 20 bytes. */
static double bias_bytes(const struct training_job *job)
{
    const double alike = 48, shapes = 20;

    return alike + job->constants->eb * shapes;
}

/* It clamps the inputs of the gate outside the gate's kernel, too (fused_bias_geglu.py,
 * weighted_bias_quick_geglu_impl). Forward 16 bytes per element of either half: both are clamped
 * (4, 4) and joined (4, 4). Backward 20: both are masked (6, 6) and joined (4, 4). A half is not
 * contiguous: 20 bytes. */
static double clamp_bytes(const struct training_job *job)
{
    const double contiguous = 16, halves = 20;

    return contiguous + job->constants->eb * halves;
}

/* The bytes of both. A backward pass counts as two forward passes here. */
static double expert_bias_bytes(const struct training_job *job, double rows)
{
    const struct model_shape *shape = &job->shape;

    if (!shape->expert_bias || job->stack > TRAINING_STACK_GRAPHS)
        return 0;
    return rows * (bias_bytes(job) * shape->hidden + clamp_bytes(job) * shape->expert_width) / 3;
}

/* What PyTorch's single operations move beyond one kernel each, in bytes. Models with a gate have
 * RMS norms, rotary embeddings and a product behind the gate; PyTorch's layer norm is one kernel.
 *
 * An RMS norm reads and writes 36 bytes per element: the input is widened (2, 4), squared (4, 4),
 * averaged (4), scaled (4, 4), rounded (4, 2) and multiplied by the weight (2, 2). One kernel moves
 * 4. Rotation, 20 per element of queries and keys: times cosine (2, 2), a half negated and both
 * joined (1, 1, 2, 2), times sine (2, 2), and the sum (4, 2); one kernel moves 4. The gate, 10: its
 * activation (2, 2) and the product (4, 2); one kernel moves 6. */
static double eager_bytes(const struct training_job *job, double norms, double rotated, double gate)
{
    const double norm = 36 - 4, rotation = 20 - 4, product = 10 - 6;

    if (!job->eager || job->shape.ffn_matrices != 3)
        return 0;
    return norm * norms + rotation * rotated + product * gate;
}

/* Norms, residuals, rotary embedding, gate, token dispatch. */
static double elementwise_bytes(const struct training_job *job, const struct training_rates *rates,
                                const struct training_strategy *on, double tokens, bool moe)
{
    const struct model_shape *shape = &job->shape;
    double t = on->tensor, share = on->sequence_parallel > 0 ? t : 1;
    double heads = (shape->heads + shape->kv_heads) * shape->prefill_key_dim;
    double width =
        moe ? (shape->expert_width * shape->top_k + shape->shared_width) / t : shape->ffn_width / t;
    double fused = moe ? rates->expert_bytes : 1;
    double bytes =
        2 * tokens *
        (10 * shape->hidden / share + 2 * heads / t + fused * shape->ffn_matrices * width);
    double matrices = moe ? shape->top_k + (shape->shared_width > 0) : 1;

    bytes += tokens * eager_bytes(job, 2 * shape->hidden / share, heads / t, moe ? 0 : width);
    bytes += 2 * tokens * adapter_elements(job, width * t, matrices) / t;

    if (moe)
        bytes += fused * (job->constants->cm * 8 * tokens / t * shape->top_k * shape->hidden +
                          expert_bias_bytes(job, tokens / t * shape->top_k));
    return bytes * rates->element_bytes / 2 + score_bytes(job, rates, on, tokens);
}

double training_attention_share(const struct model_shape *shape, double sequence)
{
    double seen = fmin(1, shape->window / sequence), ways = shape->encoder ? 2 : 1;
    double windowed = shape->sliding_layers * seen * (shape->encoder ? 2 : 2 - seen);

    return (ways * shape->full_layers + windowed) / shape->layers;
}

/* Add one type of layer to the mean; `share` is its fraction of the layers. */
static void add_kind(const struct training_job *job, const struct training_rates *rates,
                     const struct training_strategy *on, double share, bool moe,
                     struct training_layer *layer)
{
    double bandwidth = job->gpu->memory_bandwidth, rate = rates->peak_linear * rates->eta_linear;
    struct work dense = {0}, expert = {0};

    if (share <= 0)
        return;
    add_products(&dense, &expert, rates, &job->shape, on, layer->tokens, moe);
    layer->flop_dense += share * dense.flop;
    layer->bytes_dense += share * dense.bytes;
    layer->flop_expert += share * expert.flop;
    layer->bytes_expert += share * expert.bytes;
    layer->t_gemm += share * (dense.flop / rate + rates->cb * dense.bytes / bandwidth);
    layer->t_experts +=
        share * (expert.flop / (rate * rates->grouped) + rates->cb * expert.bytes / bandwidth);
    if (rates->operand_bytes < 2) /* three bytes per element: read two, write one */
        layer->t_cast += share * rates->cq * 3 * (dense.cast + expert.cast) / bandwidth;
    layer->bytes_elementwise += share * elementwise_bytes(job, rates, on, layer->tokens, moe);
}

/* QLoRA unpacks the weights to 16 bit before each use: reads half a byte and its scale, writes two
 * bytes. */
static double dequantize_time(const struct training_job *job, const struct training_strategy *on)
{
    double dense, expert;

    if (job->method != TRAINING_QLORA)
        return 0;
    training_layer_weights(&job->shape, on, &dense, &expert);
    return job->constants->cd * (training_packed_bytes(job) + 2) * (dense + expert) /
           job->gpu->memory_bandwidth;
}

/* Software casts its weights to FP8 once a step, except Surogate's training of adapters, which
 * keeps the frozen weights in 16 bit and casts them for each product: their largest value is found
 * (2 bytes read) and they are cast (2 read, 1 written), and transposed for the backward pass (1
 * read, 1 written). A mean of 6 bytes a pass (invergent-ai/surogate,
 * csrc/src/recipes/fp8_hybrid/fp8_hybrid_recipe.cpp@524fb776, read 2026-11-29). */
static double weight_cast_time(const struct training_job *job, const struct training_rates *rates,
                               const struct training_strategy *on)
{
    const double bytes = 6;
    double dense, expert;

    if (job->stack != TRAINING_STACK_FUSED || !training_adapters(job->method) ||
        rates->operand_bytes >= 2)
        return 0;
    training_layer_weights(&job->shape, on, &dense, &expert);
    return job->constants->cq * bytes * (dense + expert) / job->gpu->memory_bandwidth;
}

/* Each micro-batch adds its gradients of the experts to those of the others: they are read and
 * written by products of too few rows to hide that time. Dense products do hide it. */
static double gradient_time(const struct training_job *job, const struct training_rates *rates,
                            const struct training_strategy *on)
{
    double dense, expert;

    if (training_adapters(job->method))
        return 0;
    training_layer_weights(&job->shape, on, &dense, &expert);
    return job->constants->cw * 2 * rates->bytes.gradient * expert / job->gpu->memory_bandwidth;
}

static double attention_flop(const struct training_job *job, const struct training_strategy *on,
                             double tokens)
{
    const struct model_shape *shape = &job->shape;

    return tokens * job->sequence_tokens * shape->heads *
           (shape->prefill_key_dim + shape->prefill_value_dim) / on->tensor *
           training_attention_share(shape, job->sequence_tokens);
}

static double attention_time(const struct training_job *job, const struct training_rates *rates,
                             const struct training_strategy *on, double flop)
{
    /* PyTorch's own kernels, which FSDP uses, are FlashAttention 2 unless cuDNN's or those of
     * FlashAttention 3 and 4 are chosen; other software has its own. TPUs are taken to use JAX if
     * nothing is stated. */
    bool any = job->stack == TRAINING_STACK_UNSPECIFIED && !gpu_is_tpu(job->gpu);
    bool own = job->stack == TRAINING_STACK_FSDP || any;
    bool slow = own && !job->native_attention && on->zero_stage >= 3;
    double eta = rates->eta_attention * (slow ? rates->zero_3_attention : 1);

    return flop / (rates->peak * eta);
}

/* All-reduces per layer: 4 for forward and backward, 2 more if it is recomputed. */
static double exchanges(const struct training_strategy *on)
{
    return 4 + 2 * training_whole_layers(on);
}

double training_tensor_exposed(const struct training_job *job, const struct training_strategy *on)
{
    const struct training_constants *k = job->constants;

    if (!job->communication_overlap)
        return 1;
    if (!job->tensor_overlap)
        return k->xts;
    return on->sequence_parallel > 0 ? k->xtp : greater(k->xtp, k->xtq);
}

bool training_expert_overlap(const struct training_job *job)
{
    return job->expert_overlap || job->schedule == TRAINING_DUALPIPE;
}

double training_dispatch_time(const struct training_job *job, const struct links *links,
                              const struct training_strategy *on, double bytes)
{
    double seconds = collective_dispatch(links, on->expert, job->shape.top_k, bytes);

    if (job->dispatcher != TRAINING_ALL_TO_ALL || on->expert <= links->node)
        return seconds;
    double beyond = 1 - links->node / on->expert; /* the fraction of experts on other nodes */
    return greater(seconds, job->shape.top_k * beyond * bytes / links->network);
}

/* The exposed part of a layer's exchanges of that duration. Exchanges overlapped with another
 * micro-batch slow it down; what does not fit behind it is exposed in full. */
static double expert_exposed(const struct training_job *job, const struct training_layer *layer,
                             double sent)
{
    double computing = layer->t_forward + layer->t_backward + layer->t_recompute;

    double exposed = job->communication_overlap ? job->constants->xa : 1;

    if (!training_expert_overlap(job))
        return exposed * sent;
    double hidden = lesser(sent, computing);
    return exposed * (sent - hidden) + lesser(exposed, job->constants->xo) * hidden;
}

static void set_traffic(const struct training_job *job, const struct training_rates *rates,
                        const struct links *links, const struct training_strategy *on,
                        struct training_layer *layer)
{
    const struct training_constants *k = job->constants;
    const struct model_shape *shape = &job->shape;
    double t = on->tensor, c = on->context, e = on->expert, wide = rates->element_bytes / 2;

    if (t > 1) {
        double bytes = 4 * wide * layer->tokens * shape->hidden * (t - 1) / t;
        layer->t_tensor = exchanges(on) * shape->all_reduces / 2 *
                          training_tensor_exposed(job, on) *
                          (bytes / (collective_ring_rate(links, t, 1) * k->e_nv) + 2 * k->atp);
    }
    if (c > 1) {
        double keys = shape->mla ? 2 * shape->kv_lora_rank
                                 : 2 * shape->kv_heads * (shape->head_dim + shape->value_dim) / t;
        layer->t_context = (job->communication_overlap ? k->xcp : 1) * 3 * wide * layer->tokens *
                           keys * (c - 1) / (collective_rate(links, t * c) * k->e_nv);
    }
    if (e > 1 && shape->experts > 0) {
        double bytes = 2 * wide * layer->tokens / t * shape->expert_hidden;
        double sent = exchanges(on) * shape->moe_layers / shape->layers / k->e_a2a *
                      training_dispatch_time(job, links, on, bytes);
        layer->t_all_to_all = expert_exposed(job, layer, sent);
    }
}

/* The same for selective recomputation, or for the modules of a partial one. */
static struct training_again some_again(const struct training_job *job,
                                        const struct training_strategy *on,
                                        const struct training_layer *layer)
{
    double cs = job->constants->cs;

    if (on->recompute == TRAINING_RECOMPUTE_PARTIAL && on->modules) {
        struct training_again again = training_modules_again(&job->shape, on->modules);
        double scores = layer->bytes_scores / layer->bytes_elementwise;
        again.elementwise = again.elementwise * (1 - scores) + again.attention * scores;
        return again;
    }
    if (job->stack == TRAINING_STACK_FSDP ||
        (job->stack == TRAINING_STACK_UNSPECIFIED && on->zero_stage >= 3))
        return (struct training_again){cs, cs, cs};
    return (struct training_again){0, layer->bytes_scores / layer->bytes_elementwise, 1};
}

struct training_again training_again(const struct training_job *job,
                                     const struct training_strategy *on,
                                     const struct training_layer *layer)
{
    double whole = training_whole_layers(on), part = on->part;

    if (on->recompute == TRAINING_RECOMPUTE_SELECTIVE)
        part = 1;
    else if (on->recompute != TRAINING_RECOMPUTE_PARTIAL)
        return (struct training_again){whole, whole, whole};
    struct training_again some = some_again(job, on, layer);
    return (struct training_again){whole + part * some.products, whole + part * some.elementwise,
                                   whole + part * some.attention};
}

static void set_passes(const struct training_job *job, const struct training_rates *rates,
                       const struct training_strategy *on, struct training_layer *layer)
{
    double trained = 1 - job->frozen_layers / job->shape.layers;
    double rate = rates->peak_linear * rates->eta_linear, w = rates->weight_gradient;
    double product = layer->flop_dense / rate + layer->flop_expert / (rate * rates->grouped);

    layer->t_products = layer->t_gemm + layer->t_experts + layer->t_cast + layer->t_dequantize;
    layer->t_forward = layer->t_products + layer->t_elementwise + layer->t_attention;
    layer->t_backward = trained * (w * layer->t_products + 2 * layer->t_elementwise +
                                   2.5 * layer->t_attention + layer->t_gradients);
    struct training_again again = training_again(job, on, layer);
    layer->t_recompute =
        trained * (again.products * layer->t_products + again.elementwise * layer->t_elementwise +
                   again.attention * layer->t_attention);
    layer->t_arithmetic = (1 + trained * (again.products + w)) * product +
                          (1 + trained * (again.attention + 2.5)) * layer->t_attention;
    layer->t_memory =
        layer->t_forward + layer->t_backward + layer->t_recompute - layer->t_arithmetic;
}

struct training_layer training_layer_work(const struct training_job *job,
                                          const struct training_rates *rates,
                                          const struct training_strategy *on)
{
    const struct model_shape *shape = &job->shape;
    struct training_layer layer = {.tokens = on->micro_batch * job->sequence_tokens / on->context};

    add_kind(job, rates, on, shape->dense_layers / shape->layers, false, &layer);
    add_kind(job, rates, on, shape->moe_layers / shape->layers, true, &layer);
    layer.bytes_scores = score_bytes(job, rates, on, layer.tokens);
    layer.t_elementwise = rates->ce * layer.bytes_elementwise / job->gpu->memory_bandwidth;
    layer.t_cast += weight_cast_time(job, rates, on);
    layer.t_dequantize = dequantize_time(job, on);
    layer.t_gradients = gradient_time(job, rates, on);
    layer.flop_attention = attention_flop(job, on, layer.tokens);
    return layer;
}

/* Adapters of PyTorch are modules of their own around each product, which nothing compiles: they
 * more than double the launches of a layer, to about 300. Weights of 4 bits are unpacked by three
 * kernels, two for their scales, before each of a layer's seven products, forward and backward
 * (bitsandbytes, functional.py, dequantize_4bit). */
static double dense_floor(const struct training_job *job)
{
    const double unpacking = 3 * 7 * 2 / 300.0;
    bool modules = training_plain_torch(job) || job->stack == TRAINING_STACK_UNSPECIFIED;

    if (!training_adapters(job->method) || !modules)
        return job->constants->ad;
    return job->constants->ad_adapter * (job->method == TRAINING_QLORA ? 1 + unpacking : 1);
}

double training_layer_floor(const struct training_job *job, double tensor)
{
    const struct training_constants *k = job->constants;
    const struct model_shape *shape = &job->shape;
    if (training_graphs(job))
        return 0;
    double mixture = (collective_spans_nodes(job->gpu) ? k->an : k->am) + (tensor > 1 ? k->af : 0);

    return (mixture * shape->moe_layers + dense_floor(job) * shape->dense_layers) / shape->layers;
}

void training_layer_time(const struct training_job *job, const struct training_rates *rates,
                         const struct links *links, const struct training_strategy *on,
                         struct training_layer *layer)
{
    layer->t_attention = attention_time(job, rates, on, layer->flop_attention);
    set_passes(job, rates, on, layer);
    set_traffic(job, rates, links, on, layer);
    layer->t_total = layer->t_forward + layer->t_backward + layer->t_recompute + layer->t_tensor +
                     layer->t_context + layer->t_all_to_all;
    /* A small MoE layer is bound by its kernel launches. */
    double q = training_whole_layers(on);
    layer->t_floor = fmax(0, (1 + q / 3) * training_layer_floor(job, on->tensor) - layer->t_total);
    layer->t_total += layer->t_floor;
}

struct training_layer training_layer(const struct training_job *job,
                                     const struct training_rates *rates, const struct links *links,
                                     const struct training_strategy *on)
{
    struct training_layer layer = training_layer_work(job, rates, on);

    training_layer_time(job, rates, links, on, &layer);
    return layer;
}
