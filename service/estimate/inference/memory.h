/* memory.h - what the weights and the KV cache of one replica take, and how many requests
 * find room alongside the weights. Bytes throughout. */
#ifndef ESTIMATE_INFERENCE_MEMORY_H
#define ESTIMATE_INFERENCE_MEMORY_H

#include "catalog/gpu.h"
#include "estimate/inference/workspace.h"
#include "estimate/figures/model_shape.h"

/* How weights or cache elements are stored; from NF4 on, weights alone. The K formats and Q8_0 are
 * those of GGUF files. */
enum number {
    NUMBER_FP32,
    NUMBER_FP16,
    NUMBER_BF16,
    NUMBER_FP8,
    NUMBER_INT8,
    NUMBER_INT4,
    NUMBER_FP4,
    NUMBER_NF4,
    NUMBER_Q8_0,
    NUMBER_Q6_K,
    NUMBER_Q5_K_M,
    NUMBER_Q4_K_M,
    NUMBER_Q3_K_M,
    NUMBER_Q2_K,
    NUMBER_COUNT
};

/* Assumptions of the catalogue. */
struct memory_constants {
    double bytes[NUMBER_COUNT]; /* per weight, with scales; of a GGUF file, over all its weights */
    double bytes_gguf_low, bytes_gguf_high; /* Q4_K_M checkpoints, as llama.cpp reads */
    double bytes_head;                      /* output head and embedding of a quantised model */
    double bytes_attention_fp4_moe;         /* fp4 MoE checkpoints keep attention wider */
    double kv_bytes_16bit, kv_bytes_8bit;
    double state_bytes;   /* per element of the state that stands in for a cache */
    double reserve_bytes; /* per GPU, alongside weights and cache: engine, driver and workspace */
    double context_gib, context_split_gib; /* of it what is no tensor: driver, collectives; on one
                                              GPU, on each of several */
};

/* Bytes per weight, by part of the model. */
struct weight_bytes {
    double body, attention, head; /* [beta, beta_A, beta_h] */
    double fixed;                 /* read in every step [W_f] */
    double expert;                /* one expert in every MoE layer [W_e] */
    double all_layers;            /* every layer with every expert */
    double embeddings;            /* embedding and head as stored */
    double host;                  /* of these what stays in the host's memory */
    double small;                 /* norms, biases and routers, which the formulas leave out */
    double frozen;                /* vision tower and projector, 16 bit */
};

/* `checkpoint` is the bytes per weight of the whole checkpoint, NAN where unknown; `gguf` says that
 * llama.cpp reads it: int4 and int8 are its Q4_K_M and Q8_0, and it looks embeddings up on the
 * host. */
struct weight_bytes memory_weight_bytes(const struct memory_constants *constants,
                                        const struct model_shape *shape, enum number format,
                                        bool gguf, double checkpoint);

/* The whole model as stored. */
double memory_weights_total(const struct weight_bytes *weights);

/* Bytes of one cached element. */
double memory_kv_bytes(const struct memory_constants *constants, enum number format);
/* What people mean by the format, without scales: 4, 2, 1 or 0.5 bytes. */
double memory_nominal_bytes(enum number format);
/* The format whose kernels multiply such weights alike: int8 for Q8_0, int4 for the narrower ones
 * that are widened on the way. */
enum number memory_kernel_format(enum number format);

/* What one replica is to hold. */
struct memory_job {
    const struct model_shape *shape;
    const struct gpu *gpu;
    const struct memory_engine *engine;
    const struct weight_bytes *weights;
    double kv_bytes; /* of a cached element */
    double tensor, pipeline;
    double attention_data; /* groups of the GPUs of a layer that attend on their own */
    double gathered;       /* groups whose tokens share one buffer of experts; 0: 1 */
    double draft_share;    /* weights of a draft that guesses ahead, over the model's; 0: none */
    double adapter_bytes;  /* of all LoRA adapters together */
    double request_tokens; /* prompt and answer */
    double longest_tokens; /* the longest of a mix whose mean is above; 0: all are alike */
    double utilization;    /* share of what weights and reserve leave that the cache takes */
    double pass_tokens;    /* most tokens of one pass; 0: as the engine does */
};

struct kv_pool {
    double capacity;           /* of a GPU [M] */
    double weights;            /* per GPU, a draft's and adapters' too [W_gpu] */
    double adapters;           /* the part of weights that adapters are */
    double reserve;            /* per GPU, what is set aside */
    double rest;               /* per GPU, what is known of its use: norms and biases, driver and
                                  collectives, workspace of a pass; may be more than the reserve */
    double workspace;          /* of these the workspace */
    double bytes;              /* per GPU, for the cache; below 0: the weights do not fit */
    double shards;             /* GPUs the cache of a layer is split over [t_kv] */
    double bytes_per_token;    /* per GPU, one stage's share: grows without bound [kv_tok / pp] */
    double bytes_per_request;  /* per GPU, one request at full length, windows and state included */
    double bytes_paged;        /* the same in whole blocks of the cache */
    double bytes_longest;      /* the same of the longest request; 0 where all are alike */
    double state;              /* of these the state of layers without a cache */
    double block_tokens;       /* the cache is allocated in blocks of this many tokens */
    double tokens;             /* of the replica, sliding layers left out [pool] */
    double requests_unbounded; /* tokens over request length: sliding layers left out [B_kv] */
    double requests;           /* that find room, windows included; infinite without any cache */
    double held;               /* whole requests, each rounded up to whole blocks */
};

/* The cache takes its share of what weights and reserve leave, and no more than is there alongside
 * all that is known to be needed. */
struct kv_pool memory_kv_pool(const struct memory_constants *constants,
                              const struct memory_job *job);
/* What a GPU must have for n requests of the replica. */
double memory_needed(const struct kv_pool *pool, double requests, double utilization);

/* Bytes of the cache of a whole model per token, layers with unbounded cache only. */
double memory_kv_bytes_per_token(const struct model_shape *shape, double kv_bytes);
/* Bytes of the cache of a whole model for one request of that length. */
double memory_kv_bytes_per_request(const struct model_shape *shape, double kv_bytes, double tokens);
/* The part of those that layers with a sliding window take. */
double memory_kv_window_bytes(const struct model_shape *shape, double kv_bytes, double tokens);
/* The state a request has in the layers that keep one instead of a cache, whatever its length. */
double memory_state_bytes(const struct memory_constants *constants,
                          const struct model_shape *shape);
/* The longest request that finds room alone, no longer than the model's own limit; NAN: no limit
 * is known. */
double memory_max_context(const struct kv_pool *pool, const struct model_shape *shape,
                          double kv_bytes, double pipeline);

#endif
