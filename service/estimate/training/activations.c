#include "estimate/training/activations.h"

#include "base/minmax.h"
#include "estimate/training/recompute.h"

/* Bytes per logit. Megatron's fused cross-entropy keeps an FP32 copy alongside the 16-bit logits,
 * in place of the gradient. PyTorch holds the FP32 log-softmax and two FP32 gradients when the
 * backward pass begins; a fourth on a vocabulary divided over tensor ranks (DTensor's
 * loss_parallel), and where adapters are trained with FSDP: the FP32 logits that the model returned
 * are kept until the pass is over (Hugging Face transformers, torchtune before May 2024). */
static const double FUSED_LOGIT = 4, TORCH_LOGIT = 12, TORCH_FOURTH_LOGIT = 16;

/* Bytes per pair of texts compared: FP32 score, log-softmax and gradient. */
static const double SCORE = 12;

struct tokens {
    const struct training_job *job;
    const struct training_strategy *on;
    double count;      /* per micro-batch on one GPU */
    double moe, width; /* fraction of MoE layers, mean FFN width per token */
    double element;
    double operand; /* bytes that a product keeps, in units of `element` / 2 */
};

static struct tokens tokens_of(const struct training_job *job, const struct training_strategy *on,
                               double element)
{
    const struct model_shape *shape = &job->shape;
    struct tokens tokens = {
        .job = job, .on = on, .width = shape->ffn_width, .element = element, .operand = 2};

    if (job->precision == TRAINING_FP8 || job->precision == TRAINING_FP4)
        tokens.operand = 1;
    tokens.count = job->sequence_tokens * on->micro_batch / on->context;
    if (shape->moe) {
        tokens.moe = shape->moe_layers / shape->layers;
        tokens.width = (1 - tokens.moe) * shape->ffn_width +
                       tokens.moe * (shape->expert_width * shape->top_k + shape->shared_width);
    }
    return tokens;
}

/* What recomputed modules do not keep, in the units of whole_layer(): the part sharded by the
 * tensor degree in any case, and the outputs of norms. */
struct spared {
    double split, norms;
};

static struct spared spared_by(const struct tokens *tokens, unsigned modules)
{
    const struct model_shape *shape = &tokens->job->shape;
    double in = tokens->operand, h = shape->hidden, routed = tokens->moe * shape->top_k;
    double gate = shape->ffn_matrices == 3 ? 4 : 2; /* inputs of the activation function */
    struct spared spared = {0};

    if (training_module_in(modules, TRAINING_LAYERNORM))
        spared.norms += 2 * in * h;
    if (training_module_in(modules, TRAINING_MLP))
        spared.split += (1 - tokens->moe) * (gate + in) * shape->ffn_width;
    if (training_module_in(modules, TRAINING_MOE))
        spared.split +=
            (gate + in) * (routed * shape->expert_width + tokens->moe * shape->shared_width) +
            (2 + in) * routed * h;
    else if (training_module_in(modules, TRAINING_SHARED_EXPERTS))
        spared.split += (gate + in) * tokens->moe * shape->shared_width;
    if (training_module_in(modules, TRAINING_MOE_ACTIVATION) &&
        !training_module_in(modules, TRAINING_MOE))
        spared.split += in * (routed * shape->expert_width + tokens->moe * shape->shared_width);
    if (training_module_in(modules, TRAINING_MLA_UP_PROJECTION) && shape->mla)
        spared.split += 2 * shape->heads * (shape->prefill_key_dim + shape->prefill_value_dim);
    return spared;
}

/* Bytes that PyTorch keeps in addition without torch.compile: of each norm its input in FP32
 * instead of 16 bit and its result before the weight is applied, of a gate the activated half. Each
 * operation keeps its own operands; compiled, they are recomputed from the others. */
static double eager_bytes(const struct tokens *tokens)
{
    const struct model_shape *shape = &tokens->job->shape;
    double norm = 2 + 2, gate = shape->ffn_matrices == 3 ? 2 : 0;

    return tokens->job->eager ? 2 * norm * shape->hidden + gate * tokens->width : 0;
}

/* Two bytes per element that one layer keeps per token without recomputation: inputs of norms,
 * products and attention, the output and statistics of attention, the FFN's intermediates
 * (Korthikanti et al., arXiv 2205.05198, table 2, with fused attention). Operands are kept in their
 * own width: fp8 operands take one byte, in addition to the 16-bit output that attention needs
 * again. The FFN of a frozen layer needs none if it has no adapters: NeMo's default adapters are on
 * attention, PyTorch's on all products. */
static double whole_layer(const struct tokens *tokens, bool scores, unsigned modules)
{
    const struct model_shape *shape = &tokens->job->shape;
    double h = shape->hidden, a = shape->heads, k = shape->kv_heads, t = tokens->on->tensor;
    double key = shape->prefill_key_dim, value = shape->prefill_value_dim, in = tokens->operand;
    bool needs_none = training_adapters(tokens->job->method) && !training_plain_torch(tokens->job);
    double ffn_in = needs_none ? 0 : in;
    double split = 2 * (a * key + k * key + k * value) + (in < 2 ? 2 + in : 2) * a * value + 4 * a +
                   ((shape->ffn_matrices == 3 ? 4 : 2) + ffn_in) * tokens->width +
                   tokens->moe * (2 + ffn_in) * shape->top_k * h;
    struct spared spared = spared_by(tokens, modules);

    if (scores && !training_module_in(modules, TRAINING_CORE_ATTENTION))
        split += 5 * a * tokens->job->sequence_tokens;
    if (tokens->job->stack == TRAINING_STACK_FSDP && !shape->mla)
        split += 2 * (a - k) * (key + value); /* keys and values are repeated for every head */
    double norms = greater(0, (4 + in + ffn_in) * h - spared.norms);
    split = greater(0, split - spared.split) + eager_bytes(tokens);
    return tokens->on->sequence_parallel > 0 ? (split + norms) / t : split / t + norms;
}

/* torchtitan's selective recompute keeps the layer's input, attention with its statistics, every
 * second product of queries, keys, values, output, FFN in and FFN out, and the data scattered by
 * tensor parallelism (torchtitan, parallelize_llama.py, _save_list). */
static double every_second_product(const struct tokens *tokens)
{
    const struct model_shape *shape = &tokens->job->shape;
    double h = shape->hidden, a = shape->heads, k = shape->kv_heads, t = tokens->on->tensor;
    double key = shape->prefill_key_dim, value = shape->prefill_value_dim;
    double split = 2 * (a * key + k * value + a * value) + 4 * a + 2 * tokens->width +
                   tokens->moe * 2 * shape->top_k * h;
    double whole = shape->ffn_matrices == 3 ? 4 * h : 2 * h; /* the seventh: the FFN's output */

    if (t > 1)
        whole += 4 * h;
    return tokens->on->sequence_parallel > 0 ? (split + whole) / t : split / t + whole;
}

static double layer(const struct tokens *tokens, enum training_recompute recompute)
{
    double wide = tokens->count * tokens->element / 2;
    bool selective = recompute == TRAINING_RECOMPUTE_SELECTIVE;

    if (recompute == TRAINING_RECOMPUTE_FULL)
        return wide * 2 * tokens->job->shape.hidden /
               (tokens->on->sequence_parallel > 0 ? tokens->on->tensor : 1);
    if (selective && tokens->job->stack == TRAINING_STACK_FSDP)
        return wide * every_second_product(tokens);
    return wide * whole_layer(tokens, !tokens->job->flash_attention && !selective,
                              recompute == TRAINING_RECOMPUTE_PARTIAL ? tokens->on->modules : 0);
}

/* Per layer, averaged if some layers are recomputed. */
static double kept_by(const struct tokens *tokens)
{
    const struct training_strategy *on = tokens->on;
    double part = on->part, whole = on->whole;

    if (on->recompute != TRAINING_RECOMPUTE_PARTIAL)
        return layer(tokens, on->recompute);
    return (1 - part - whole) * layer(tokens, TRAINING_RECOMPUTE_NONE) +
           part * layer(tokens,
                        on->modules ? TRAINING_RECOMPUTE_PARTIAL : TRAINING_RECOMPUTE_SELECTIVE) +
           whole * layer(tokens, TRAINING_RECOMPUTE_FULL);
}

static bool returns_logits(const struct training_job *job)
{
    return training_adapters(job->method) && job->stack == TRAINING_STACK_FSDP;
}

/* Freed logit blocks that nothing else fits into: the 16-bit logits, and the gradient of those
 * returned, which are one token longer than what the loss reads. */
static double unused_logits(const struct tokens *tokens)
{
    double count = tokens->count * tokens->job->shape.vocab / tokens->on->tensor;

    if (tokens->job->chunked_loss || tokens->job->shape.headless)
        return 0;
    return count * (tokens->element + (returns_logits(tokens->job) ? 4 : 0));
}

static double logits(const struct tokens *tokens)
{
    const struct training_job *job = tokens->job;
    double h = job->shape.hidden, v = job->shape.vocab / tokens->on->tensor;
    bool torch = training_plain_torch(job);
    bool fourth = tokens->on->tensor > 1 || returns_logits(job);
    double torch_logit = fourth ? TORCH_FOURTH_LOGIT : TORCH_LOGIT;

    if (job->shape.headless) /* in place of logits: how alike the texts of the batch are */
        return SCORE * tokens->on->micro_batch * tokens->on->batch_sequences;
    if (job->chunked_loss) /* 16-bit logits, then their gradient; the head's own gradient twice */
        return tokens->element *
               (tokens->count * v + (training_adapters(job->method) ? 0 : 2 * h * v));
    if (job->stack == TRAINING_STACK_FUSED) /* the gradient overwrites the logits */
        return tokens->element * tokens->count * v;
    if (torch)
        return torch_logit * tokens->count * v + tokens->element * tokens->count * h;
    return (FUSED_LOGIT + tokens->element) * tokens->count * v;
}

struct training_activations training_activations(const struct training_job *job,
                                                 const struct training_strategy *on,
                                                 double element_bytes)
{
    struct tokens tokens = tokens_of(job, on, element_bytes);
    double kept = kept_by(&tokens);

    return (struct training_activations){.kept = kept,
                                         .inside = on->recompute == TRAINING_RECOMPUTE_NONE
                                                       ? kept
                                                       : layer(&tokens, TRAINING_RECOMPUTE_NONE),
                                         .logits = logits(&tokens),
                                         .unused_logits = unused_logits(&tokens)};
}
