/* inference_memory.h - what the weights and the KV cache of one replica take, and how many requests
 * find room beside the weights. Bytes throughout. */
#ifndef ESTIMATE_INFERENCE_MEMORY_H
#define ESTIMATE_INFERENCE_MEMORY_H

#include "catalog/gpu.h"
#include "estimate/shape.h"

/* How weights or cache elements are stored. */
enum number {
    NUMBER_FP32,
    NUMBER_FP16,
    NUMBER_BF16,
    NUMBER_FP8,
    NUMBER_INT8,
    NUMBER_INT4,
    NUMBER_FP4,
    NUMBER_COUNT
};

/* Assumptions of the catalogue. */
struct memory_constants {
    double bytes_16bit, bytes_fp8, bytes_int8, bytes_int4, bytes_fp4; /* per weight, with scales */
    double bytes_gguf_low, bytes_gguf_high; /* Q4_K_M checkpoints, as llama.cpp reads */
    double bytes_head;                      /* output head and embedding of a quantised model */
    double bytes_attention_fp4_moe;         /* fp4 MoE checkpoints keep attention wider */
    double kv_bytes_16bit, kv_bytes_8bit;
    double reserve_bytes; /* per GPU, beside weights and cache */
};

/* Bytes per weight, by part of the model. */
struct weight_bytes {
    double body, attention, head; /* [beta, beta_A, beta_h] */
    double fixed;                 /* read in every step [W_f] */
    double expert;                /* one expert in every MoE layer [W_e] */
    double all_layers;            /* every layer with every expert */
    double embeddings;            /* embedding and head as stored */
};

/* `checkpoint` is the bytes per weight of the whole checkpoint, NAN where unknown; `gguf` says that
 * int4 means a GGUF file. */
struct weight_bytes memory_weight_bytes(const struct memory_constants *constants,
                                        const struct shape *shape, enum number format, bool gguf,
                                        double checkpoint);

/* The whole model as stored. */
double memory_weights_total(const struct weight_bytes *weights);

/* Bytes of one cached element. */
double memory_kv_bytes(const struct memory_constants *constants, enum number format);
/* What people mean by the format, without scales: 4, 2, 1 or 0.5 bytes. */
double memory_nominal_bytes(enum number format);

struct kv_pool {
    double capacity;           /* of a GPU [M] */
    double weights;            /* per GPU [W_gpu] */
    double reserve;            /* per GPU */
    double bytes;              /* per GPU, for the cache; below 0: the weights do not fit */
    double shards;             /* GPUs the cache of a layer is split over [t_kv] */
    double bytes_per_token;    /* per GPU, one stage's share: grows without bound [kv_tok / pp] */
    double bytes_per_request;  /* per GPU, one request at full length, sliding windows included */
    double tokens;             /* of the replica, sliding layers left out [pool] */
    double requests_unbounded; /* tokens over request length: sliding layers left out [B_kv] */
    double requests;           /* that find room, windows included; infinite without any cache */
};

struct kv_pool memory_kv_pool(const struct memory_constants *constants, const struct shape *shape,
                              const struct gpu *gpu, const struct weight_bytes *weights,
                              double kv_bytes, double tensor, double pipeline,
                              double request_tokens, double utilization);

/* Bytes of the cache of a whole model per token, layers with unbounded cache only. */
double memory_kv_bytes_per_token(const struct shape *shape, double kv_bytes);
/* Bytes of the cache of a whole model for one request of that length. */
double memory_kv_bytes_per_request(const struct shape *shape, double kv_bytes, double tokens);
/* Of those, what the layers with a sliding window take. */
double memory_kv_window_bytes(const struct shape *shape, double kv_bytes, double tokens);
/* The longest request that finds room alone, no longer than the model's own limit; NAN: no limit
 * is known. */
double memory_max_context(const struct kv_pool *pool, const struct shape *shape, double kv_bytes,
                          double pipeline);

#endif
