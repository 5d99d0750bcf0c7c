/* model_shape.h - what a model's shape implies for memory and time: weights and work per layer.
 *
 * Matrices are counted without norms and biases, as the time formulas need them; small_weights
 * holds the difference to the exact parameter count of struct model. Symbols of the formulas are
 * given in brackets.
 */
#ifndef ESTIMATE_FIGURES_MODEL_SHAPE_H
#define ESTIMATE_FIGURES_MODEL_SHAPE_H

#include "base/err.h"
#include "catalog/model.h"

struct model_shape {
    bool mla, moe, tied;
    bool uneven; /* layers differ in attention: attention_weights is their mean, head sizes are
                  * those of full attention */
    double layers, hidden, heads, kv_heads, head_dim, vocab; /* [L h a k d V]; if blocks are
                                                              * attention, state or FFN only, a pair
                                                              * of blocks counts as one layer */
    double value_dim;         /* value size per head [d_v]; head_dim unless MLA */
    double ffn_matrices;      /* 3 gated, 2 plain [n] */
    double ffn_width;         /* of a dense layer [f]; the mean if some layers have none */
    double dense_layers;      /* layers with a dense FFN and without experts */
    double moe_layers;        /* [L_m] */
    double experts, top_k;    /* [E K]; 0 for a dense model */
    double expert_width;      /* [f_e] */
    double expert_hidden;     /* input and output width of experts: hidden, or a narrower latent
                               * width [h_e] */
    double shared_width;      /* all shared experts of a layer together [f_s] */
    double attention_weights; /* per layer [A] */
    double dense_ffn_weights; /* whole model: dense layers, shared experts, down- and up-projection
                                 of latent experts [F] */
    double expert_weights;    /* one expert in one layer [x] */
    bool expert_bias;         /* the products of experts have biases */
    bool block_scaled;        /* in FP8, weights have one scale per block */
    bool blocks_published;    /* its maker publishes it so; others are converted, for some engines
                               * with one scale per matrix */
    bool encoder;             /* each token attends to all others, and nothing is written */
    bool headless;            /* no output layer over the vocabulary */
    double router_weights;    /* whole model */
    double small_weights;     /* norms, biases, learned positions: params_total minus all
                               * matrices */
    double frozen_weights;    /* in addition to params_total: vision tower and projector, never
                               * trained */
    double adapter_width; /* sum of inputs and outputs of the matrices that LoRA adapts: attention,
                           * dense FFNs and shared experts, over the whole model */
    double kv_elements;   /* cached elements per token and layer [kappa] */
    double prefill_key_dim, prefill_value_dim; /* per head in prefill [q_k q_v] */
    double decode_head_work;                   /* per head in decode [delta] */
    bool indexed;                              /* an indexer selects the tokens attended to (DSA) */
    /* The indexer's heads, the width of a head, and the most tokens that it selects; 0 without an
     * indexer. */
    double index_heads, index_dim, index_top_k;
    double index_key_bytes; /* cached by an indexer per token and layer; 0 where the engine attends
                             * to all tokens */
    double full_layers, sliding_layers; /* layers with an unbounded cache, with the cache of a
                                         * window [L_f L_w] */
    double window;                      /* tokens [w] */
    double linear_layers, recurrent_state_elements; /* layers with a state instead of a cache, and
                                                     * the size of the state in each; 0 if
                                                     * unknown */
    double all_reduces;                             /* per layer [n_ar] */
    double kv_lora_rank;                            /* MLA; otherwise 0 */
    double latent_weights;  /* MLA: those of attention_weights that project down to the latents,
                             * which each GPU has whole; otherwise 0 */
    double max_tokens;      /* longest sequence; 0 if unknown */
    double published_bytes; /* bytes per weight as published, without scales; 2 if unknown */
    double params_total, params_active; /* exact, from the model */
};

/* Tokens attended to by one token after `context` earlier tokens, summed over the layers. */
double model_shape_attended(const struct model_shape *shape, double context);

/* The shape of a model, from the catalogue or from a config.json. */
struct model_shape model_shape_of(const struct model *model);

/* Without its output layer, as a model of embeddings. */
void model_shape_drop_head(struct model_shape *shape);

/* A typical dense shape of about `parameters` weights, for callers who know only the count;
 * params_total is exactly `parameters`. The model borrows nothing. */
void model_shape_typical(double parameters, struct model *model);

/* Weights of the layers that one token meets, and the fraction of them which are experts'. */
double model_shape_body_weights(const struct model_shape *shape);
double model_shape_expert_fraction(const struct model_shape *shape);

#endif
