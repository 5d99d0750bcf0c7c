/* memory.h - memory of one replica: weights, KV cache, and how many requests fit. All sizes in
 * bytes. */
#ifndef ESTIMATE_INFERENCE_MEMORY_H
#define ESTIMATE_INFERENCE_MEMORY_H

#include "catalog/gpu.h"
#include "estimate/inference/workspace.h"
#include "estimate/figures/model_shape.h"

#include <math.h>

/* Storage formats of weights or cache elements; from NF4 on only for weights. The K formats and
 * Q8_0 are those of GGUF files. */
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
    double bytes[NUMBER_COUNT];     /* per weight, with scales; see gguf.h for Q6_K to Q2_K */
    double bytes_head;              /* output head and embedding of a quantised model */
    double bytes_attention_fp4_moe; /* fp4 MoE checkpoints keep attention wider */
    double bytes_gguf_mxfp4;        /* experts of an fp4 MoE checkpoint as GGUF */
    double kv_bytes_16bit, kv_bytes_8bit;
    double state_bytes;   /* per element of the recurrent state that replaces a cache */
    double reserve_bytes; /* per GPU, besides weights and cache: engine, driver and workspace */
    double context_gib, context_split_gib; /* the part of the reserve that is not tensors (driver,
                                            * collectives): on a single GPU, and on each of
                                            * several */
};

/* Bytes per weight, by part of the model. */
struct weight_bytes {
    double body, attention, head; /* [beta, beta_A, beta_h] */
    double table;                 /* embedding, where it is not the head too */
    double rest;                  /* norms, biases and routers */
    double fixed;                 /* read in every step [W_f] */
    double expert;                /* one expert, over all MoE layers [W_e] */
    double all_layers;            /* all layers with all experts */
    double embeddings;            /* embedding and head as stored */
    double host;                  /* the part of those that stays in host memory */
    double small;                 /* norms, biases and routers, which the formulas omit */
    double frozen;                /* vision tower and projector, 16 bit */
};

/* `checkpoint` is the average bytes per weight of the checkpoint; NAN if unknown. `gguf` means
 * llama.cpp reads it: int4 and int8 are then Q4_K_M and Q8_0, and embeddings are looked up on the
 * host. */
struct weight_bytes memory_weight_bytes(const struct memory_constants *constants,
                                        const struct model_shape *shape, enum number format,
                                        bool gguf, double checkpoint);

/* Bytes of the whole model as stored. */
double memory_weights_total(const struct weight_bytes *weights);

/* Bytes of one cached element. */
double memory_kv_bytes(const struct memory_constants *constants, enum number format);
/* Nominal bytes per weight, without scales: 4, 2, 1 or 0.5. */
double memory_nominal_bytes(enum number format);
/* The format whose kernels multiply such weights: int8 for Q8_0, int4 for narrower formats, which
 * are widened on the fly. */
enum number memory_kernel_format(enum number format);

/* What a measured engine held on each GPU beyond the estimate for it; zeros: nothing measured. */
struct memory_seen {
    double weights; /* measured over estimated memory of the weights, less 1 */
    double cache;   /* measured less estimated room for the KV cache, in bytes */
};

static inline bool memory_is_seen(const struct memory_seen *seen)
{
    return fabs(seen->weights) > 0 || fabs(seen->cache) > 0;
}

/* What one replica has to hold. */
struct memory_job {
    const struct model_shape *shape;
    const struct gpu *gpu;
    const struct memory_engine *engine;
    const struct weight_bytes *weights;
    double kv_bytes; /* per cached element */
    double tensor, pipeline;
    double attention_data; /* number of groups in data-parallel attention */
    double expert_copies;  /* experts held over those of the model; 0 means 1 */
    double gathered;       /* groups whose tokens share one expert buffer; 0 means 1 */
    double draft_share;    /* weights of a draft model relative to the model's; 0 for none */
    double adapter_bytes;  /* all LoRA adapters together */
    double request_tokens; /* prompt plus answer */
    double longest_tokens; /* maximum length if request_tokens is a mean; 0 if all are alike */
    double utilization;    /* fraction of the memory left by weights and reserve that the cache
                            * uses */
    double pass_tokens;    /* maximum tokens per pass; 0: the engine's default */
    struct memory_seen seen;
};

struct kv_pool {
    double capacity;           /* per GPU [M] */
    double weights;            /* per GPU, including draft and adapters [W_gpu] */
    double adapters;           /* the adapters' part of `weights` */
    double reserve;            /* per GPU */
    double rest;               /* per GPU, the known needs besides weights and cache: norms and
                                * biases, driver and collectives, workspace of a pass; may exceed
                                * the reserve */
    double workspace;          /* the workspace part of `rest` */
    double bytes;              /* per GPU, for the cache; negative if the weights do not fit */
    double seen;               /* the part of `bytes` that only a measurement shows */
    double shards;             /* GPUs over which the cache is sharded [t_kv] */
    double bytes_per_token;    /* per GPU, one stage's share: the part that grows without bound
                                * [kv_tok / pp] */
    double bytes_per_request;  /* per GPU, one request at full length, including windows and
                                * state */
    double bytes_paged;        /* the same in whole cache blocks */
    double bytes_longest;      /* the same for the longest request; 0 if all are alike */
    double state;              /* the part of those for the state of layers without a cache */
    double block_tokens;       /* allocation block size of the cache, in tokens */
    double tokens;             /* that a replica holds, without sliding layers [pool] */
    double requests_unbounded; /* tokens over request length, without sliding layers [B_kv] */
    double requests;           /* number of requests that fit, windows included; infinite without a
                                * cache */
    double held;               /* whole requests, each in whole blocks */
};

/* The cache uses its fraction of what weights and reserve leave, but no more than fits besides all
 * known needs. */
struct kv_pool memory_kv_pool(const struct memory_constants *constants,
                              const struct memory_job *job);
/* Memory per GPU needed for n requests of the replica. */
double memory_needed(const struct kv_pool *pool, double requests, double utilization);

/* Cache bytes per token of the whole model, layers with unbounded cache only, with an indexer's
 * keys. */
double memory_kv_bytes_per_token(const struct model_shape *shape, double kv_bytes);
/* Cache bytes of the whole model for one request of that length. */
double memory_kv_bytes_per_request(const struct model_shape *shape, double kv_bytes, double tokens);
/* The part of those in layers with a sliding window. */
double memory_kv_window_bytes(const struct model_shape *shape, double kv_bytes, double tokens);
/* State bytes per request in layers that keep a state instead of a cache, regardless of its
 * length. */
double memory_state_bytes(const struct memory_constants *constants,
                          const struct model_shape *shape);
/* The longest request that fits alone, up to the model's own limit; NAN if no limit is known. */
double memory_max_context(const struct kv_pool *pool, const struct model_shape *shape,
                          double kv_bytes, double pipeline);

#endif
