/* model.h - the shape of a language model, as stated by its configuration. */
#ifndef CATALOG_MODEL_H
#define CATALOG_MODEL_H

#include <stdbool.h>

/* Counts are whole numbers stored as doubles; 0 if the model has no such part. */
struct model {
    const char *slug;    /* name in lower case, spaces and underscores as hyphens */
    const char *aliases; /* other slugs of the same model, comma-separated, or NULL */
    const char *name, *hf_id, *model_type, *attention, *note, *source, *source_date,
        *sliding_pattern;
    double params_total, params_active; /* unique weights, including embeddings and head */
    double params_frozen; /* vision tower and projector: in memory in addition to params_total, not
                           * trained */
    double n_layers, hidden, n_heads, n_kv_heads, head_dim;
    double intermediate; /* FFN width of a dense layer */
    bool gated;          /* three FFN matrices instead of two */
    double vocab;
    bool tied; /* input and output embeddings are one matrix */
    double max_position;
    double n_experts, top_k, n_shared_experts, moe_intermediate, first_dense_layers, n_moe_layers;
    double moe_latent;     /* width of the experts' input and output if it differs from `hidden`,
                            * else 0 */
    double n_dense_layers; /* layers with a dense FFN, if attention, state and FFN are separate
                            * layers; 0: every layer without experts has one */
    double q_lora_rank, kv_lora_rank, qk_nope_head_dim, qk_rope_head_dim, v_head_dim; /* MLA */
    double sliding_window;                                                            /* tokens */
    double n_full_layers, n_sliding_layers, n_linear_layers;
    double linear_state_elements; /* per sequence, in each layer that has no KV cache; 0 if
                                   * unknown */
    double n_all_reduces;         /* per layer; 1 if attention and FFN run in parallel, else 2 */
    double kv_bytes_per_token_bf16;
    /* As published: the format of most weights, and bytes per weight of each part, without scales
     * ("" and NAN if unknown, or if there is no such part). Router and norms have at least 16
     * bits. */
    const char *native_dtype; /* bf16, fp16, fp8, fp4, int4 */
    double native_attention_bytes, native_ffn_bytes, native_expert_bytes, native_embedding_bytes;
    double scale_block_size, scale_bytes; /* weights per scale, and the scale's size in bytes; 0 if
                                           * none */
    double n_index_heads, index_head_dim, index_top_k; /* sparse attention (DSA); 0 if none */
    bool encoder;    /* each token attends to all others, and nothing is cached */
    bool reads_only; /* writes nothing, without an output layer: embeddings, rerankers */
    const char *recurrent_state_dtype; /* fp32, bf16, fp16; "" if the config does not say */
};

static inline bool model_is_mla(const struct model *model)
{
    return model->kv_lora_rank > 0;
}

static inline bool model_is_moe(const struct model *model)
{
    return model->n_experts > 0;
}

#endif
