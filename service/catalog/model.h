/* model.h - the shape of a language model, as its configuration states it. */
#ifndef CATALOG_MODEL_H
#define CATALOG_MODEL_H

#include <stdbool.h>

/* Counts are whole numbers held in doubles; 0 where the model has no such part. */
struct model {
    const char *slug;    /* name in lower case, spaces and underscores as hyphens */
    const char *aliases; /* other slugs it goes by, comma-separated, or NULL */
    const char *name, *hf_id, *model_type, *attention, *note, *source, *source_date,
        *sliding_pattern;
    double params_total, params_active; /* unique weights; with embeddings and head */
    double params_frozen; /* vision tower and projector: in memory, alongside params_total,
                             untrained */
    double n_layers, hidden, n_heads, n_kv_heads, head_dim;
    double intermediate; /* FFN width of a dense layer */
    bool gated;          /* three FFN matrices instead of two */
    double vocab;
    bool tied; /* input and output embeddings are one matrix */
    double max_position;
    double n_experts, top_k, n_shared_experts, moe_intermediate, first_dense_layers, n_moe_layers;
    double moe_latent;     /* width experts read and write where it is not the model's, else 0 */
    double n_dense_layers; /* with a dense FFN, where layers are attention, state or FFN alone; 0:
                              every layer without experts has one */
    double q_lora_rank, kv_lora_rank, qk_nope_head_dim, qk_rope_head_dim, v_head_dim; /* MLA */
    double sliding_window;                                                            /* tokens */
    double n_full_layers, n_sliding_layers, n_linear_layers;
    double linear_state_elements; /* kept of a sequence in each layer without a cache, 0 unknown */
    double n_all_reduces;         /* per layer; 1 where attention and FFN run in parallel, else 2 */
    double kv_bytes_per_token_bf16;
    /* As published: the format of most weights, and the bytes of one by what it is of, scales apart
     * ("" and NAN: unknown, or no such part). Router and norms have 16 bits or more. */
    const char *native_dtype; /* bf16, fp16, fp8, fp4, int4 */
    double native_attention_bytes, native_ffn_bytes, native_expert_bytes, native_embedding_bytes;
    double scale_block_size, scale_bytes; /* weights that share a scale, and its size; 0: none */
    double n_index_heads, index_head_dim, index_top_k; /* sparse attention (DSA); 0: none */
    const char *recurrent_state_dtype; /* fp32, bf16, fp16; "": the config does not say */
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
