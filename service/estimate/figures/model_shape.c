#include "estimate/figures/model_shape.h"

#include <math.h>
#include <string.h>

/* The value, or `otherwise` if the catalogue does not know it. */
static double known(double value, double otherwise)
{
    return isfinite(value) && value > 0 ? value : otherwise;
}

/* Multi-head latent attention: down to the latents, up to the heads, and the output. */
static double mla_weights(const struct model *model)
{
    double h = model->hidden, a = model->n_heads;
    double q = known(model->q_lora_rank, 0), c = model->kv_lora_rank;
    double nope = model->qk_nope_head_dim, rope = model->qk_rope_head_dim;
    double v = known(model->v_head_dim, nope);
    double query = q > 0 ? h * q + q * a * (nope + rope) : h * a * (nope + rope);

    return query + h * (c + rope) + c * a * (nope + v) + a * v * h;
}

static void set_mla(struct model_shape *shape, const struct model *model)
{
    double nope = model->qk_nope_head_dim, rope = model->qk_rope_head_dim;

    shape->kv_lora_rank = model->kv_lora_rank;
    shape->value_dim = known(model->v_head_dim, nope);
    shape->attention_weights = mla_weights(model);
    shape->latent_weights =
        model->hidden * (known(model->q_lora_rank, 0) + model->kv_lora_rank + rope);
    shape->kv_elements = model->kv_lora_rank + rope;
    shape->prefill_key_dim = nope + rope;
    shape->prefill_value_dim = shape->value_dim;
    shape->decode_head_work = 2 * model->kv_lora_rank + rope; /* with absorbed projections */
}

/* Some models have values narrower than keys, or different heads in their full-attention layers.
 * The published cache size per token, which counts layers that grow without bound, then gives the
 * elements of one such layer; otherwise returns `otherwise`. */
static double cached_elements(const struct model *model, double full, double otherwise)
{
    double cached = known(model->kv_bytes_per_token_bf16, 0) / 2;

    if (cached <= 0 || full <= 0 || cached == model->n_layers * otherwise)
        return otherwise;
    return cached / full;
}

static void set_plain(struct model_shape *shape, const struct model *model)
{
    double h = shape->hidden, a = shape->heads, k = shape->kv_heads, d = shape->head_dim;
    double elements = cached_elements(model, shape->full_layers, 2 * k * d);

    shape->value_dim = elements > k * d ? elements / k - d : d;
    shape->value_dim = known(model->v_head_dim, shape->value_dim);
    shape->attention_weights = h * (a + k) * (d + shape->value_dim);
    shape->kv_elements = elements;
    shape->prefill_key_dim = d;
    shape->prefill_value_dim = shape->value_dim;
    shape->decode_head_work = d + shape->value_dim;
}

/* True if each layer is only attention, state or FFN, so the counts do not add up in pairs. */
static bool single_blocks(const struct model *model)
{
    double attention = known(model->n_full_layers, 0) + known(model->n_sliding_layers, 0) +
                       known(model->n_linear_layers, 0);

    return attention > 0 && attention < model->n_layers;
}

static void set_layers(struct model_shape *shape, const struct model *model)
{
    double full = known(model->n_full_layers, 0), sliding = known(model->n_sliding_layers, 0);
    double linear = known(model->n_linear_layers, 0);

    shape->layers = model->n_layers;
    if (single_blocks(model))
        shape->layers = fmax(full + sliding + linear, model->n_dense_layers + model->n_moe_layers);
    shape->full_layers = full + sliding + linear > 0 ? full : model->n_layers;
    shape->sliding_layers = sliding;
    shape->linear_layers = linear;
    shape->recurrent_state_elements = known(model->linear_state_elements, 0);
    shape->window = known(model->sliding_window, 0);
    if (shape->window <= 0) { /* without a window no layer slides */
        shape->full_layers += sliding;
        shape->sliding_layers = 0;
    }
}

double model_shape_attended(const struct model_shape *shape, double context)
{
    return shape->full_layers * context + shape->sliding_layers * fmin(context, shape->window);
}

static bool blocks_published(const struct model *model)
{
    bool qwen3 = model->model_type && strncmp(model->model_type, "qwen3", 5) == 0;

    return qwen3 || (model->native_dtype && strcmp(model->native_dtype, "fp8") == 0 &&
                     model->scale_block_size > 0);
}

/* A model published in FP8 states whether it has a scale per block. For others the usual conversion
 * is assumed: by blocks for experts, like DeepSeek's; a scale per matrix or row for dense models,
 * except Qwen's own, which are by blocks (weight_block_size in config.json of Qwen/Qwen3-32B-FP8).
 */
static bool block_scaled(const struct model *model)
{
    if (model->native_dtype && strcmp(model->native_dtype, "fp8") == 0)
        return model->scale_block_size > 0;
    return model->n_experts > 0 || blocks_published(model);
}
/* Nominal bytes per weight. */
static double published_bytes(const char *dtype)
{
    if (!dtype)
        return 2;
    if (strcmp(dtype, "fp8") == 0)
        return 1;
    return strcmp(dtype, "fp4") == 0 || strcmp(dtype, "int4") == 0 ? 0.5 : 2;
}

/* Gemma 4 has a dense FFN in every layer, alongside the experts. */
static bool adds_dense_ffn(const struct model *model)
{
    return model->model_type && strncmp(model->model_type, "gemma4", 6) == 0;
}

/* gpt-oss alone, among the models here, has biases in its experts (openai/gpt-oss, model.py). */
static bool biased_experts(const struct model *model)
{
    return model->model_type && strcmp(model->model_type, "gpt_oss") == 0;
}

static void set_experts(struct model_shape *shape, const struct model *model)
{
    shape->expert_bias = biased_experts(model);
    shape->experts = model->n_experts;
    shape->top_k = model->top_k;
    shape->expert_width = known(model->moe_intermediate, shape->ffn_width);
    shape->expert_hidden = known(model->moe_latent, shape->hidden);
    shape->shared_width = known(model->n_shared_experts, 0) * shape->expert_width;
    shape->moe_layers =
        known(model->n_moe_layers, model->n_layers - known(model->first_dense_layers, 0));
    shape->expert_weights = shape->ffn_matrices * shape->expert_hidden * shape->expert_width;
    shape->router_weights = shape->moe_layers * shape->hidden * shape->experts;
    if (adds_dense_ffn(model)) /* always read and computed, like a shared expert */
        shape->shared_width += shape->ffn_width;
}

static void set_ffn(struct model_shape *shape, const struct model *model)
{
    double latent = 2 * shape->hidden * known(model->moe_latent, 0);

    shape->moe = model_is_moe(model);
    shape->ffn_width = known(model->intermediate, 0);
    shape->expert_hidden = shape->hidden;
    if (shape->moe)
        set_experts(shape, model);
    shape->dense_layers = shape->layers - shape->moe_layers;
    if (single_blocks(model) && shape->dense_layers > 0)
        shape->ffn_width *= model->n_dense_layers / shape->dense_layers;
    shape->dense_ffn_weights =
        shape->ffn_matrices * shape->hidden *
            (shape->dense_layers * shape->ffn_width + shape->moe_layers * shape->shared_width) +
        shape->moe_layers * latent;
}

/* If layers differ (linear attention, or different heads in sliding layers), their attention
 * weights are not counted separately: the mean is derived from the exact total. */
static void even_out(struct model_shape *shape, const struct model *model)
{
    bool other_heads = shape->sliding_layers > 0 && !shape->mla &&
                       shape->kv_elements != 2 * shape->kv_heads * shape->head_dim;
    double rest = shape->dense_ffn_weights + shape->router_weights +
                  shape->moe_layers * shape->experts * shape->expert_weights +
                  shape->vocab * shape->hidden * (shape->tied ? 1 : 2);

    shape->uneven = known(model->n_linear_layers, 0) > 0 || other_heads;
    if (shape->uneven && shape->params_total > rest)
        shape->attention_weights = (shape->params_total - rest) / shape->layers;
    rest += shape->layers * shape->attention_weights;
    shape->small_weights = fmax(0, shape->params_total - rest);
}

/* Inputs and outputs of a layer's attention matrices. */
static double attention_width(const struct model_shape *shape, const struct model *model)
{
    double h = shape->hidden, a = shape->heads, v = shape->value_dim;
    double query = h + a * shape->prefill_key_dim, q = known(model->q_lora_rank, 0);

    if (!shape->mla)
        return query + 2 * h + shape->kv_elements + a * v + h;
    double nope = model->qk_nope_head_dim, rope = model->qk_rope_head_dim;
    double c = shape->kv_lora_rank;
    if (q > 0)
        query += 2 * q;
    return query + h + c + rope + c + a * (nope + v) + a * v + h;
}

/* A LoRA adapter of rank r has r weights for each input and each output of a matrix (Hu et al.,
 * arXiv 2106.09685). Routed experts are assumed to have none. */
static void set_adapters(struct model_shape *shape, const struct model *model)
{
    double h = shape->hidden;
    double dense = shape->ffn_width > 0 ? shape->dense_layers * (h + shape->ffn_width) : 0;
    double shared = shape->shared_width > 0 ? shape->moe_layers * (h + shape->shared_width) : 0;

    shape->adapter_width =
        shape->layers * attention_width(shape, model) + shape->ffn_matrices * (dense + shared);
}

void model_shape_drop_head(struct model_shape *shape)
{
    double head = shape->tied || shape->headless ? 0 : shape->vocab * shape->hidden;

    shape->params_total -= head;
    shape->params_active -= head;
    shape->headless = shape->tied = true;
}

struct model_shape model_shape_of(const struct model *model)
{
    struct model_shape shape = {0};

    shape.mla = model_is_mla(model);
    shape.tied = model->tied;
    shape.hidden = model->hidden;
    shape.heads = model->n_heads;
    shape.kv_heads = known(model->n_kv_heads, model->n_heads);
    shape.head_dim = known(model->head_dim, model->hidden / model->n_heads);
    shape.vocab = model->vocab;
    shape.ffn_matrices = model->gated ? 3 : 2;
    shape.all_reduces = known(model->n_all_reduces, 2);
    shape.max_tokens = known(model->max_position, 0);
    shape.published_bytes = published_bytes(model->native_dtype);
    shape.block_scaled = block_scaled(model);
    shape.blocks_published = blocks_published(model);
    shape.index_heads = known(model->n_index_heads, 0);
    shape.index_dim = known(model->index_head_dim, 0);
    shape.index_top_k = known(model->index_top_k, 0);
    shape.indexed = shape.index_heads > 0;
    shape.params_total = known(model->params_total, 0);
    shape.params_active = known(model->params_active, shape.params_total);
    shape.frozen_weights = known(model->params_frozen, 0);
    set_layers(&shape, model);
    set_ffn(&shape, model);
    if (shape.mla)
        set_mla(&shape, model);
    else
        set_plain(&shape, model);
    even_out(&shape, model);
    set_adapters(&shape, model);
    shape.headless = model->reads_only;
    shape.encoder = model->encoder;
    if (shape.encoder) /* keys and values exist in the layer at work alone */
        shape.kv_elements /= shape.full_layers + shape.sliding_layers;
    return shape;
}

/* Heads of 128, 8 KV heads and an FFN 3.5 times as wide as the model are the proportions of the
 * Llama 3 family; its depth follows 16 (N / 1e9)^0.38 (16, 35 and 80 layers at 1, 8 and 70e9). */
enum { TYPICAL_HEAD = 128, TYPICAL_KV_HEADS = 8 };
static const double LAYERS_AT_1E9 = 16, LAYERS_EXPONENT = 0.38, WEIGHTS_PER_LAYER_AND_H2 = 13;

/* The multiple of `step` nearest to x, at least one. */
static double nearest_multiple(double x, double step)
{
    return fmax(1, round(x / step)) * step;
}

void model_shape_typical(double parameters, struct model *model)
{
    *model = (struct model){
        .slug = "typical",
        .name = "typical dense model",
        .hf_id = "",
        .model_type = "llama",
        .attention = "GQA",
        .note = "inferred from the parameter count alone",
        .source = "",
        .sliding_pattern = "",
        .params_total = parameters,
        .params_active = parameters,
        .gated = true,
        .n_all_reduces = 2,
    };
    double layers = fmax(1, round(LAYERS_AT_1E9 * pow(parameters / 1e9, LAYERS_EXPONENT)));
    double width = sqrt(parameters / (WEIGHTS_PER_LAYER_AND_H2 * layers));
    double head = width >= TYPICAL_HEAD ? TYPICAL_HEAD : 16;
    /* Eight or a multiple of eight heads if the width allows it, so that they can be sharded. */
    double step = width >= 12 * head ? TYPICAL_KV_HEADS * head : head;

    model->n_layers = model->n_full_layers = layers;
    model->head_dim = head;
    model->hidden = nearest_multiple(width, step);
    model->n_heads = model->hidden / head;
    model->n_kv_heads =
        fmod(model->n_heads, TYPICAL_KV_HEADS) == 0 ? TYPICAL_KV_HEADS : model->n_heads;
    model->tied = parameters < 4e9;
    model->vocab = parameters < 1e9 ? 32000 : 128256;
    /* At most a quarter of a very small model. */
    model->vocab = fmin(model->vocab, fmax(256, floor(parameters / 4 / model->hidden)));
    /* Set the FFN width so that the total is exact. */
    double h = model->hidden, kv = model->n_kv_heads * model->head_dim;
    double body = parameters - model->vocab * h * (model->tied ? 1 : 2);
    double ffn = (body / model->n_layers - 2 * h * (h + kv)) / (3 * h);

    model->intermediate = ffn >= 1024 ? nearest_multiple(ffn, 64) : fmax(1, round(ffn));
    model->kv_bytes_per_token_bf16 = model->n_layers * 4 * model->n_kv_heads * model->head_dim;
}

static double chosen_experts(const struct model_shape *shape)
{
    return shape->moe_layers * shape->top_k * shape->expert_weights;
}

double model_shape_body_weights(const struct model_shape *shape)
{
    return shape->layers * shape->attention_weights + shape->dense_ffn_weights +
           chosen_experts(shape);
}

double model_shape_expert_fraction(const struct model_shape *shape)
{
    return chosen_experts(shape) / model_shape_body_weights(shape);
}
