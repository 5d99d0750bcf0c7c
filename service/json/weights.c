/* Weights are counted as the classes of Hugging Face transformers allocate them: text model only,
 * tied embeddings once, without layers for multi-token prediction. The result equals the sum in the
 * headers of the published checkpoints. */
#include "json/weights.h"

#include "base/number.h"

#include <math.h>

static double where(const struct config *config, enum trait trait, double weights)
{
    return config_has(config, trait) ? weights : 0;
}

static double norm(const struct config *config, double width)
{
    if (config_has(config, NO_NORM))
        return 0;
    return config_has(config, LAYER_NORM) ? 2 * width : width;
}

/* Multi-head latent attention (DeepSeek-V2, arXiv 2405.04434). */
static double latent_attention(const struct model *m)
{
    double h = m->hidden, a = m->n_heads, q = m->q_lora_rank, c = m->kv_lora_rank;
    double key = m->qk_nope_head_dim + m->qk_rope_head_dim;
    double query = q > 0 ? h * q + q + q * a * key : h * a * key;

    return query + h * (c + m->qk_rope_head_dim) + c +
           c * a * (m->qk_nope_head_dim + m->v_head_dim) + a * m->v_head_dim * h;
}

static double plain_attention(const struct config *config, const struct model *m,
                              const struct heads *heads)
{
    double h = m->hidden, queries = m->n_heads * heads->dim, keys = heads->kv * heads->dim;
    double values = heads->value_is_key ? 0 : heads->kv * heads->value_dim;
    double out = m->n_heads * heads->value_dim;

    return h * (queries + keys + values + out) + where(config, QUERY_GATE, h * queries) +
           where(config, QKV_BIAS, queries + keys + values) + where(config, OUTPUT_BIAS, h) +
           where(config, KEY_NORM, 2 * norm(config, heads->dim)) +
           where(config, WIDE_KEY_NORM, queries + keys) + where(config, SINKS, m->n_heads);
}

/* The weights missing in a layer that uses another layer's keys and values. */
static double borrowed(const struct config *config, const struct model *m,
                       const struct heads *heads)
{
    double keys = heads->kv * heads->dim, values = heads->kv * heads->value_dim;

    return m->hidden * (keys + values) + where(config, QKV_BIAS, keys + values) +
           where(config, KEY_NORM, norm(config, heads->dim));
}

/* The gated delta rule (arXiv 2412.06464) as built by Qwen3-Next: queries and keys, values and
 * their gate, two input scalars and two learned ones per head, a short convolution, a norm. */
static double linear_attention(const struct config *config, const struct model *m)
{
    double keys = number_or(config->linear_key_heads, 0) * number_or(config->linear_key_dim, 0);
    double heads = number_or(config->linear_value_heads, 0),
           dim = number_or(config->linear_value_dim, 0);
    double values = heads * dim;

    return m->hidden * (2 * keys + 2 * values + 2 * heads) +
           (2 * keys + values) * number_or(config->linear_kernel, 0) + 2 * heads + dim +
           values * m->hidden;
}

/* Lightning attention (arXiv 2501.08313): queries, keys and values of all heads, an output gate and
 * a norm. */
static double lightning(const struct model *m)
{
    double width = m->n_heads * m->head_dim;

    return m->hidden * 3 * width + 2 * m->hidden * width + width;
}

/* Selective state space (Mamba, arXiv 2312.00752) as built by Jamba: two input branches, a short
 * convolution, step and state matrices with a norm each, one output branch. */
static double mamba_1(const struct config *config, const struct model *m)
{
    double width = config->state_expand * m->hidden, state = config->state_size;
    double rank = isnan(config->state_rank) ? ceil(m->hidden / 16) : config->state_rank;
    double biases = (config->state_conv_bias == 0 ? 0 : width) +
                    (config->state_bias == 1 ? 2 * width + m->hidden : 0);

    return m->hidden * 2 * width + width * number_or(config->state_kernel, 0) +
           width * (rank + 2 * state) + rank * width + width + width * state + width +
           width * m->hidden + rank + 2 * state + biases;
}

/* State space duality (Mamba-2, arXiv 2405.21060): inputs are gate, values, two state matrices per
 * group and a step per head; then a short convolution; step bias, decay and skip per head; a norm;
 * output. */
static double mamba_2(const struct config *config, const struct model *m)
{
    double heads = number_or(config->state_heads, 0),
           width = heads * number_or(config->state_head_dim, 0);
    double mixed =
        width + 2 * number_or(config->state_groups, 0) * number_or(config->state_size, 0);
    double in = width + mixed + heads;
    double biases =
        (config->state_conv_bias == 0 ? 0 : mixed) + (config->state_bias == 1 ? in + m->hidden : 0);

    return m->hidden * in + mixed * number_or(config->state_kernel, 0) + 3 * heads + width +
           width * m->hidden + biases;
}

static double without_softmax(const struct config *config, const struct model *m)
{
    switch (config->family ? config->family->mixer : GATED_DELTA) {
    case LIGHTNING:
        return lightning(m);
    case MAMBA_1:
        return mamba_1(config, m);
    case MAMBA_2:
        return mamba_2(config, m);
    default:
        return linear_attention(config, m);
    }
}

/* Cross-attention layers to an image (Llama 3.2 Vision): norms of their queries and keys, two
 * gates, and eight more token embeddings. */
static double cross_attention(const struct config *config, const struct model *m)
{
    double n = (double)json_array_size(config->cross_layers);

    return n > 0 ? n * (2 * m->head_dim + 2) + 8 * m->hidden : 0;
}

static double attention(const struct config *config, const struct layers *layers,
                        const struct model *m)
{
    if (model_is_mla(m))
        return m->n_layers * latent_attention(m);
    return layers->full * plain_attention(config, m, &layers->wide) -
           layers->borrowing * borrowed(config, m, &layers->wide) +
           layers->sliding * plain_attention(config, m, &layers->narrow) +
           layers->linear * (layers->linear > 0 ? without_softmax(config, m) : 0) +
           cross_attention(config, m);
}

static double ffn(const struct config *config, const struct model *m)
{
    double matrices = m->gated ? 3 : 2, f = m->intermediate;

    return matrices * m->hidden * f + where(config, FFN_BIAS, (matrices - 1) * f + m->hidden) +
           where(config, LEARNED_ACTIVATION, 2);
}

static double expert(const struct config *config, const struct model *m)
{
    double matrices = m->gated ? 3 : 2, f = m->moe_intermediate;
    double width = m->moe_latent > 0 ? m->moe_latent : m->hidden;

    return matrices * width * f + where(config, EXPERT_BIAS, (matrices - 1) * f + m->hidden);
}

/* The weights of an expert layer other than the experts. */
static double around_experts(const struct config *config, const struct model *m)
{
    double router = m->hidden * m->n_experts + where(config, ROUTER_BIAS, m->n_experts);
    double shared = m->n_shared_experts * (m->gated ? 3 : 2) * m->hidden * m->moe_intermediate;

    if (m->n_shared_experts > 0)
        shared += where(config, SHARED_GATE, m->hidden);
    /* Latent experts: down- and up-projection, once per layer. */
    return router + shared + 2 * m->hidden * m->moe_latent +
           where(config, DENSE_BESIDE, ffn(config, m) + 3 * m->hidden);
}

static double layer_norms(const struct config *config, const struct model *m)
{
    double n = config_has(config, FOUR_NORMS) ? 4 : config_has(config, ONE_NORM) ? 1 : 2;

    return m->n_layers * n * norm(config, m->hidden);
}

static double embeddings(const struct config *config, const struct model *m)
{
    double h = m->hidden, width = isnan(config->embedding) ? h : config->embedding;
    double projections = width == h ? 0 : 2 * width * h;
    double positions = config_has(config, POSITIONS)
                           ? (m->max_position + where(config, TWO_MORE_POSITIONS, 2)) * h
                           : 0;

    /* The norm of an encoder's embedding is counted as the one at the end of a decoder (BertModel,
     * XLMRobertaModel). */
    double pooled = h * h + h + number_or(config->token_kinds, 0) * h;

    return m->vocab * width * (m->tied ? 1 : 2) + projections + positions +
           where(config, ENCODER, pooled) + where(config, HEAD_BIAS, m->vocab) +
           where(config, EMBEDDING_NORM, norm(config, h)) +
           (config->norm_before == 0 ? 0 : norm(config, h));
}

/* Counts only caches that grow without bound. If sliding layers have the same heads as the others
 * (an upper bound), or if there are no others, that is all layers. */
static double cached_bytes(const struct layers *layers, const struct model *m)
{
    const struct heads *wide = &layers->wide, *narrow = &layers->narrow;
    double elements = wide->kv * (wide->dim + wide->value_dim);
    bool alike = elements == narrow->kv * (narrow->dim + narrow->value_dim);

    if (model_is_mla(m))
        return 2 * m->n_layers * (m->kv_lora_rank + m->qk_rope_head_dim);
    if (layers->full <= 0)
        return 2 * layers->sliding * narrow->kv * (narrow->dim + narrow->value_dim);
    return 2 * elements * (layers->full - layers->borrowing + (alike ? layers->sliding : 0));
}

void weights_count(const struct config *config, const struct layers *layers, struct model *m)
{
    m->params_total =
        embeddings(config, m) + attention(config, layers, m) + layer_norms(config, m) +
        layers->dense * ffn(config, m) +
        m->n_moe_layers * (around_experts(config, m) + m->n_experts * expert(config, m));
    m->params_active =
        m->params_total - m->n_moe_layers * (m->n_experts - m->top_k) * expert(config, m);
    m->encoder = m->reads_only = config_has(config, ENCODER);
    m->kv_bytes_per_token_bf16 = m->encoder ? 0 : cached_bytes(layers, m);
}
