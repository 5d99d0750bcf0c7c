/* inference.h - the time one replica takes to read a prompt and to write tokens, and what bounds
 * it.
 *
 * The model is additive: every term is a count (bytes, FLOP, messages, layers, requests) over a
 * datasheet rate times a calibrated efficiency, or times a calibrated time. Units: seconds, bytes,
 * FLOP. Symbols of the formulas are given in brackets.
 */
#ifndef ESTIMATE_INFERENCE_INFERENCE_H
#define ESTIMATE_INFERENCE_INFERENCE_H

#include "base/err.h"
#include "catalog/catalog.h"
#include "estimate/inference/adapters.h"
#include "estimate/inference/lengths.h"
#include "estimate/inference/memory.h"
#include "estimate/inference/moments.h"
#include "estimate/inference/vision.h"
#include "estimate/figures/network.h"
#include "estimate/figures/model_shape.h"

enum engine {
    ENGINE_UNSPECIFIED,
    ENGINE_VLLM,
    ENGINE_TENSORRT_LLM,
    ENGINE_SGLANG,
    ENGINE_LLAMA_CPP,
    ENGINE_COMPILED, /* single-stream: gpt-fast, ExLlama, TurboMind, TinyChat, MLC */
    ENGINE_COUNT
};

/* Spread of the residuals, by type of figure: the 80 % interval is [T / u, T u]. */
enum interval {
    INTERVAL_SERVED_DENSE,
    INTERVAL_SERVED_DENSE_TENSORRT_LLM,
    INTERVAL_SERVED_DENSE_SGLANG,
    INTERVAL_SERVED_MOE,
    INTERVAL_SERVED_MOE_TENSORRT_LLM_FP4,
    INTERVAL_ONE_STREAM,
    INTERVAL_ONE_STREAM_LLAMA_CPP_HBM,
    INTERVAL_OFFLINE_DENSE,
    INTERVAL_OFFLINE_MOE,
    INTERVAL_STATIC,
    INTERVAL_PREFILL,
    INTERVAL_PREFILL_LLAMA_CPP,
    INTERVAL_COUNT
};

/* Assumptions of the catalogue, in its units: times in us. */
struct inference_constants {
    double e_mem, f_gddr, f_wo;         /* fraction of memory bandwidth achieved; factors on it */
    double e_gemm, f_fp8, f_fp4;        /* fraction of dense peak achieved; factors on it */
    double e_exchange, e_exchange_link; /* fraction of the rate of the network, and of a link over
                                         * several servers, achieved to and from experts */
    double e_attn, e_link, l_gemm, l_attn, f_amd, l_amd;
    double l_power; /* exponent by which l_gemm falls with peak over power */
    /* The same for f_amd on Instinct GPUs with FP8, and the 16-bit TFLOP/s per watt of the GPU that
     * f_amd was fitted on. */
    double amd_power, amd_per_watt, hopper_per_watt;
    double l_score; /* bytes of memory traffic per attention score, llama.cpp of May 2024 */
    double a_nv_us, a_pcie_us;        /* per all-reduce: a round over a link; at PCIE_GEN4_RATE */
    double one_round_tokens;          /* up to which TensorRT-LLM sums in one round */
    double o_engine_us[ENGINE_COUNT]; /* per layer and step */
    double o_mla_us;                  /* per layer with MLA attention, in addition to o_engine */
    double o_index_us;                /* per layer with an indexer (DSA) */
    /* Prompts of models with an indexer: attention to the selected latents reaches this fraction of
     * the 16-bit peak, the indexer's scores this fraction of the FP8 peak, and selecting takes this
     * many us per layer and token. */
    double e_sparse, e_index, c_index_us;
    double o_block_us; /* per layer of experts in FP8: quantise, permute, grouped products */
    double o_widen_us; /* per layer of FP4 experts on a GPU without FP4 arithmetic, TensorRT-LLM */
    /* Per layer of experts in a prefill pass of TensorRT-LLM with everything queued: until the host
     * has launched its kernels. */
    double o_eager_us;
    double o_moe_us, b_req_us, b_sglang_us, c_pre;
    double o_before_v1_us, b_before_v1_us; /* vLLM before V1, in addition: per step; per request and
                                            * step */
    double o_shared_us;                    /* per layer with shared experts, in addition to o_moe */
    /* The same in FP8 under TensorRT-LLM, which launches each kernel of router and shared experts.
     */
    double o_shared_apart_us;
    double o_quant_us;   /* per dense layer: block quantization of its input */
    double o_adapter_us; /* per layer with LoRA adapters: gathering, two products per matrix */
    double f_experts;    /* factor on o_moe with native FP4: one fused kernel */
    /* AMD GPUs without FP4 arithmetic (MI300X): per layer of experts, in addition to o_moe; factor
     * on the bandwidth achieved in reading experts. */
    double o_experts_amd_us, f_experts_amd, o_sglang_amd_us;
    /* Factors on the share of peak in products of experts: FP8 in blocks on GPUs with HBM that
     * multiply FP4; under vLLM on GPUs that do not, FP8 in blocks, and others with Triton's kernels
     * before 0.17; weights widened by Marlin's kernels. */
    double f_block, f_block_triton, f_untuned, f_marlin;
    double f_latent; /* the same in products of attention through a latent, FP8 in blocks */
    double f_grace;  /* factor on ttft_moe_layer_us under SGLang where Grace CPUs launch kernels */
    double f_fused;  /* latency factor of an all-reduce fused with residual addition and norm
                      * (TensorRT-LLM) */
    double c_route;  /* memory passes per copy of a token, one copy for each of its experts */
    /* FLOP in FP32 per element of the recurrent state and prompt token: updates, reads, the
     * products inside a chunk of tokens, and the waits of each chunk for the one before. */
    double c_scan;
    /* Fraction of other prompts' prefill time that delays tokens; the rest delays first tokens.
     * Applies to clients in step under SGLang, which prefills all prompts before it decodes; it is
     * 1 for all others. */
    double interference_sglang;
    /* Steps between two polls for new requests in SGLang's launch recipes: below receive_requests
     * in flight, and from that number on. */
    double receive_few, receive_many, receive_requests;
    double balance_steps;       /* steps that TensorRT-LLM waits until each attention group has a
                                 * prompt */
    double image_patches;       /* patches that a vision tower merges into one token */
    double b_max;               /* requests in an offline batch */
    double prefill_utilization; /* maximum utilization of the prefill GPUs */
    double uneven;              /* time of experts whose tokens are divided unevenly over GPUs, over
                                 * that of an even division */
    double placed, redundant;   /* uneven where experts are placed by use; fraction held twice */
    double a_exchange_us;       /* a message to experts on other servers of a link, TensorRT-LLM */
    double exchange_slows;      /* of prompts: compute time lost in each second of exchange */
    /* A router that sends each request to the replica with the fewest: variance of those in flight
     * on a replica over their mean / replicas; share of a prompt's wait that is left, where the
     * lengths of answers deviate by that fraction of their mean or more. */
    double router_apart, router_wait_share, router_answers_vary;
    /* Minimum fraction of the prompt queue's capacity left with more requests in flight than usual;
     * factor on the probability that all slots are taken. */
    double queue_room_left;
    /* Exponent of 1 / (1 - gain) on the variance of prompts; what is added to it if prompts are
     * few, and if answers are alike. */
    double swell, swell_few, swell_alike;
    double ttft_request_us, ttft_token_us;  /* host time, per request; per prompt token of a
                                             * burst */
    double ttft_moe_layer_us[ENGINE_COUNT]; /* per prefill pass, in addition to what the prefill
                                             * terms count */
    double ttft_mla_layer_us;               /* the same per MLA layer, TensorRT-LLM */
    double ttft_turns[ENGINE_COUNT];        /* turns that a prompt waits if clients are in step */
    double ttft_steps;                   /* steps in progress that a prompt waits for, and shares */
    double handover_steps[ENGINE_COUNT]; /* steps that pass before a replica that only writes
                                          * notices a request and its cache, in addition to the
                                          * step that follows */
    double ttft_pass_tokens;             /* prompt tokens in one pass */
    double compile_seconds[2];           /* compile time of kernels for a pass that splits a prompt:
                                          * FP4, others */
    double ttft_requests;                /* requests per client in a closed loop */
    double ttft_low[ENGINE_COUNT], ttft_high[ENGINE_COUNT];
    double interval[INTERVAL_COUNT]; /* [u] */
    double prefill_chunk_tokens;     /* llama.cpp reads the weights again for each chunk */
    /* Corrections by measured runs; 1 without any. */
    double clock;       /* factor on all times; see inference_constants_slow() */
    double first_token; /* additional factor on the time to the first token */
    struct network_rates network;
    struct memory_constants memory;
    struct memory_engine engine_memory[ENGINE_COUNT];
};

/* Fill them once for all requests; see constants_memoize(). */
void inference_constants_memoize(struct catalog *catalog);
bool inference_constants_load(const struct catalog *catalog, struct inference_constants *constants,
                              struct err *err) MUST_CHECK;

/* Multiply every time by the factor: achieved fractions are divided by it, but not above the data
 * sheet, and fitted times multiplied. */
void inference_constants_slow(struct inference_constants *constants, double factor);
/* Raise the interval factors, for times per token and to the first token, to a power; powers below
 * 1 narrow them. */
void inference_constants_widen(struct inference_constants *constants, double token, double first);

/* The member with that name in the catalogue, for calibration; NULL if there is none. */
double *inference_constant(struct inference_constants *constants, const char *key,
                           const char *scope);

/* Speculative decoding or multi-token prediction: a draft guesses tokens, which one pass verifies
 * together: Leviathan et al., arXiv 2211.17192. */
struct speculation {
    double tokens;     /* guessed per pass; 0 for none [gamma] */
    double acceptance; /* probability that a guess is right, independently of others [alpha] */
    double draft_cost; /* cost of guessing one token, relative to a pass of the model [c] */
};

/* The load and configuration of one replica. */
struct inference_job {
    struct model_shape shape;
    const struct gpu *gpu;
    enum number weight_format, kv_format;
    double bytes_per_weight; /* average over the checkpoint; NAN: as implied by the format */
    enum engine engine;
    bool early_kernels;      /* llama.cpp of May 2024: no CUDA graphs, quantised weights widened for
                              * prompts, attention scores written to memory */
    bool built_engine;       /* TensorRT-LLM up to 0.19, with compiled engines: kernels are not
                              * launched from Python */
    bool host_between_steps; /* vLLM before V1 (0.8): the GPU waits while the host takes the tokens
                              * of a step and plans the next one */
    bool untuned_experts;    /* vLLM before 0.17: experts in Triton's kernels with tiles that do not
                              * fit the number of tokens, unless tuned for the model and GPU */
    bool early_experts;      /* TensorRT-LLM before 1.2: experts in FP8 blocks by DeepGEMM on
                              * Blackwell too, a kernel for each part */
    bool static_batching;    /* all requests of a batch start and end together */
    bool bridged;            /* an optional link bridge is fitted */
    bool whole_experts;      /* each expert is on one GPU (expert parallelism), also where all GPUs
                              * attend together */
    bool least_requests; /* a router sends each request to the replica with the fewest; otherwise
                          * to any at random */
    double sharing;      /* replicas sharing one GPU; 0 if replicas have whole GPUs */
    double routed;       /* replicas that such a router chooses among; below 2: no choice */
    double tensor, pipeline;
    double attention_data; /* data-parallel attention: number of groups of a layer's GPUs, each with
                            * requests of its own; below 2: all GPUs together */
    double readers_each;   /* prefill replicas per other replica; 0: not known, they are as busy as
                            * they may be */
    double reading_tensor, reading_groups; /* GPUs of a prefill replica, and the groups among which
                                            * data-parallel attention divides them; 0: as the
                                            * other replicas */
    double slots;            /* most requests that the engine decodes at once; 0: as the cache has
                              * room for */
    double pools_gpus;       /* GPUs of both kinds of replica; 0: not known, one of each */
    bool separate_prefill;   /* other GPUs read the prompts (disaggregated prefill) */
    bool open_arrivals;      /* requests arrive at random; otherwise a closed loop: clients start
                              * together, and each sends the next request when the last is answered,
                              * as in benchmarks */
    bool slots_as_estimated; /* the limit on first tokens is kept without doubt of how many requests
                              * wait for a slot: to know what that doubt costs */
    bool in_step;    /* closed-loop clients request answers of one length: they end together,
                      * so their next prompts arrive together */
    bool all_to_all; /* SGLang sends tokens to experts by an all-to-all (DeepEP) within a
                      * server too; that of a prefill replica is reading_all_to_all */
    bool reading_all_to_all;
    bool roomy; /* weights and reserve may take no more than memory_utilization of a GPU: with more,
                 * vLLM and SGLang do not start as they are */
    struct speculation speculation;
    double gpus_per_node, network_rate; /* between nodes, bytes/s per GPU */
    double input_tokens, output_tokens;
    bool writes_nothing; /* prefill only: the result counts as one output token */
    double images,
        image_tokens;      /* images per prompt; tokens per image, which input_tokens includes */
    double longest_tokens; /* maximum of prompt plus answer if the lengths above are means of a mix;
                            * else 0 */
    double input_cv, output_cv; /* standard deviation over mean of lengths, for random arrivals */
    double cached_ratio;        /* share of the input found in the prefix cache */
    double memory_utilization;  /* fraction of the memory left by weights and reserve that the KV
                                 * pool uses */
    struct memory_seen seen;    /* what an engine of the caller's own was seen to hold */
    double adapters, adapter_rank; /* LoRA adapters served together, 0 for none; rank of each */
    double pass_tokens;            /* maximum prompt tokens per pass; 0: the engine's default */
    double receive_interval; /* steps between two polls for new requests; 0: as in launch recipes */
    bool cold;               /* first requests after a start: kernels must be compiled */
};

/* A job with the values derived from it once. */
struct inference {
    const struct inference_constants *constants;
    struct inference_job job;
    struct lengths prompts, answers; /* for random arrivals */
    struct weight_bytes bytes;
    double kv_bytes; /* per cached element */
    struct kv_pool pool;
    double memory_share, weight_share; /* achieved fractions of the bandwidth, for KV and weights
                                        * [e_m e_w] */
    double expert_copies;    /* experts in memory over those of the model, as some are held twice */
    double expert_reads;     /* bytes of an expert, more where kernels read it slowly */
    double busiest;          /* tokens of the GPU whose experts have the most, over the mean [u] */
    double peak, peak_16bit; /* FLOP/s [P P16] */
    double gemm_share;       /* [e_g] */
    bool has_link;           /* scale-up link, except an optional bridge that is not
                              * fitted */
    bool over_link;          /* all-reduces use the scale-up link [NV] */
    double link_rate;        /* bytes/s, one direction [link] */
    double all_reduce_seconds;              /* latency of a round of an all-reduce [a_ar] */
    double all_reduces;                     /* per pass [n] */
    double attention_gpus;                  /* GPUs that share a layer's attention [t over
                                             * attention_data] */
    double exchange_rate, exchange_seconds; /* to experts on other GPUs: bytes/s, latency per
                                             * exchange */
    double exchanges;                       /* per pass */
    double stage_seconds;                   /* through all stages, per byte */
    double body_weights;                    /* active weights without the head [N_b] */
    double active_weights;                  /* including the head [N_a] */
    double adapter_weights, adapter_bytes;  /* per LoRA adapter */
    double launch_seconds;                  /* of a pass over all layers [L o] */
    double moe_launch_seconds;              /* in addition, routing and experts [L_m o_moe] */
    double request_seconds;                 /* per request and step [b] */
    double host_seconds;                    /* per step, while the GPU waits */
    double dense_share; /* fraction of the peak that products of weights reach, except experts' */
    struct prefill {
        double gemm, routing, norms, attention, all_reduce;
        double latent;   /* included in attention: how much longer MLA's projections take than
                          * products of as many other weights */
        double scan;     /* layers with a recurrent state */
        double square;   /* the part of attention that is quadratic in the prompt length */
        double marginal; /* per prompt [m] */
        double shared;   /* the part of that on the GPUs of the prompt's attention group */
        double weights, launch;
        double fixed;    /* per pass [f] */
        double transfer; /* between pipeline stages, per prompt */
        double tower;    /* images of a prompt, on the first stage */
        double one;      /* a single prompt [t_pre(1)] */
        double uncached; /* per prompt if the prefix cache held nothing */
        double stages;   /* inference_stages_gained() of a full replica */
    } prefill;
    /* A pass of a replica that only reads prompts; those that wait share the next one. */
    struct reader {
        double host;          /* seconds of the host, of a request and its pass */
        double fixed, each;   /* seconds of its launch and weights, and of a prompt among many */
        double groups, apart; /* attention groups; seconds that each has to read more than the
                               * others' experts, which it waits for if it has no prompt */
        double most;          /* prompts that it takes */
        double hidden, again; /* if a pass is halved: seconds per prompt that overlap, and
                               * extra seconds per pass */
        double first, full;   /* seconds with one prompt, and with as many as it takes */
        double share;         /* seconds of a reader per prompt where many wait */
    } reader;
};

struct inference inference_of(const struct inference_constants *constants,
                              const struct inference_job *job);
/* The same in two parts: first what does not depend on tensor and pipeline degrees, then what does,
 * which can be repeated for other degrees. */
struct inference inference_unsharded(const struct inference_constants *constants,
                                     const struct inference_job *job);
void inference_shard(struct inference *inference, double tensor, double attention_data,
                     double pipeline);

/* Sets the member `reader` from `prefill`: a pass of a replica that only reads prompts. */
void inference_set_reader(struct inference *inference);

/* One decode step with `batch` requests in flight, each with `context` tokens. Expert exchanges
 * count as all-reduces; draft is the time of speculation; LoRA adapters are included in weights,
 * gemm and launch. */
struct step {
    /* Where attention is computed while the cache is read, `attention` is only the excess. */
    double weights, kv_cache, state, gemm, routing, attention;
    double all_reduce_latency, all_reduce_volume;
    double hidden; /* seconds of all-reduce that overlap the other half's computation */
    double launch, requests, transfer, draft;
    double total;
};

struct step inference_step(const struct inference *inference, double batch, double context);

/* Seconds of the products of attention of a pass, also while the cache is read. */
double inference_attention_seconds(const struct inference *inference, double tokens,
                                   double context);
/* True if kernels multiply while they read the cache, for as long. All heads share a latent, so
 * that products may take as long as reading it; FlashMLA reaches 3000 GB/s where reading decides
 * and 660 TFLOP/s where products do (github.com/deepseek-ai/FlashMLA, README.md at 066b5ba6). On
 * fewer servers constants were fitted to the sum, which is left. */
bool inference_attends_while_reading(const struct inference_job *job);
/* The mean context while a request is decoded [s]. */
double inference_context(const struct inference_job *job);
/* Expected number of distinct experts among `tokens` [E_d]: top_k for the first token, plus those
 * added by the others. Expert popularity is assumed to be exponentially distributed, so tokens per
 * expert are geometric.
 */
double inference_distinct_experts(const struct model_shape *shape, double tokens);
/* Seconds to read `shared` bytes (held by each attention group) and the weights of n experts. */
double inference_read_seconds(const struct inference *inference, double shared, double experts);
/* True if a GPU handles the copies of tokens for its own experts only. */
bool inference_divides_copies(const struct inference_job *job);
/* The largest of n normal variables, in deviations over their mean: sqrt(2 ln n) - 0.61, within 0.1
 * for 2 to 72. */
double inference_largest_of(double n);
/* True if each token is sent to the GPUs of its experts alone, on other servers too. */
bool inference_exchanges_widely(const struct inference_job *job);
/* True if experts are placed by use, and the busiest held twice. */
bool inference_places_experts(const struct inference_job *job);
/* expert_unevenness, as experts are placed. */
double inference_unevenness(const struct inference *inference);
/* Tokens of the GPU whose experts have the most, over the mean. */
double inference_busiest_gpu(const struct inference *inference);
/* The same for prompts: 1 in separate pools, whose readers have all of expert_unevenness on the
 * whole prompt. */
double inference_prompt_busiest(const struct inference *inference);
/* Factor on matrix products, whose experts wait for the busiest GPU. */
double inference_products_of_busiest(const struct inference *inference, double busiest);
/* Seconds to sort the copies of `tokens` by expert and to sum them up again, over all layers. */
double inference_route_seconds(const struct inference *inference, double tokens);
/* True if a step attends to the tokens that an indexer selects (DSA): engines have kernels for GPUs
 * of NVIDIA with FP8. */
bool inference_indexes(const struct inference_job *job);
/* Heads that a GPU computes for selected tokens. FlashMLA's kernels take 64 at least, 128 on
 * Blackwell: fewer are padded (vllm-project/vllm,
 * vllm/v1/attention/backends/mla/flashmla_sparse.py).
 */
double inference_sparse_heads(const struct inference *inference);
/* Tokens attended to by one token after `context` earlier tokens, summed over the layers. */
double inference_attended(const struct inference_job *job, double context);
/* Bytes of a request's cache that a step reads. An indexer reads its key of every token, in FP8
 * with a scale, and the latents that it selects. */
double inference_cache_read(const struct inference *inference, double context);
/* True if a prompt attends only to the tokens that an indexer selects. */
bool inference_selects_tokens(const struct inference_job *job);
/* In such a prompt, the number of pairs of tokens in which one attends to the other. */
double inference_selected_pairs(const struct inference_job *job);
/* True if MLA's projections multiply in FP8 with a scale per block. */
bool inference_latent_blocks(const struct inference_job *job);
/* True if weights are multiplied in FP8 with a scale per block: inputs are quantised on the fly. */
bool inference_block_scaled(const struct inference_job *job);
/* How fast products of experts are over those of other weights, and the constant that says so. */
struct expert_kernel {
    const char *key; /* NULL: as fast */
    double share;
};

struct expert_kernel inference_expert_kernel(const struct inference_constants *constants,
                                             const struct inference_job *job);
/* True if the GPU multiplies FP4 weights by FP4 activations. */
bool inference_multiplies_fp4(const struct inference_job *job);
/* True if TensorRT-LLM runs experts with Triton's kernels: FP4 weights on GPUs without FP4
 * arithmetic. */
bool inference_widens_experts(const struct inference_job *job);
/* True where power, not the peak, limits products: Instinct GPUs with FP8, measured on MI300X and
 * MI325X, whose peaks are the same. */
bool inference_power_bounds_amd(const struct inference_job *job);
/* The same for Hopper cards with less power for their peak than the H100 SXM5: PCIe and NVL. */
bool inference_power_bounds_hopper(const struct inference *inference);
/* Fraction of peak reached by products on the vendor's GPUs, relative to NVIDIA's. */
double inference_vendor_share(const struct inference *inference);
/* us per layer with shared experts; 0 without any. */
double inference_shared_us(const struct inference_constants *constants,
                           const struct inference_job *job);
/* True if the inputs of a dense layer's products are block-quantised, in FP8 or FP4. */
bool inference_quantises_layers(const struct inference_job *job);
/* True if experts run on kernels written for AMD GPUs before those with FP4 arithmetic. */
bool inference_early_amd_experts(const struct inference_job *job);
/* us that the host takes to launch the kernels of a mixture layer of a prompt, in addition to what
 * the prefill terms count. */
double inference_host_moe_us(const struct inference_constants *constants,
                             const struct inference_job *job);
/* True if the host is NVIDIA's Grace CPU and launches each kernel of a prompt, as under SGLang:
 * timed alone, modules without CUDA graphs take 1.7 to 2.1 times as long as with x86
 * (tests/accuracy/README.md). */
bool inference_launches_on_grace(const struct inference_job *job);
/* The engine whose launch overhead a step has: llama.cpp captures a step as a CUDA graph, like the
 * single-stream engines. */
enum engine inference_launches_as(const struct inference_job *job);
/* Steps between two polls of the engine for new requests. */
double inference_receive_interval(const struct inference *inference, double concurrency);
/* Steps between two prefill passes with data-parallel attention. */
double inference_balance_interval(const struct inference *inference, double batch);
/* Maximum prompt tokens per pass (chunked prefill: Sarathi-Serve, arXiv 2403.02310), and per step,
 * in which each stage has a pass. */
double inference_pass_tokens(const struct inference *inference);
double inference_step_tokens(const struct inference *inference);
/* Prompts read in one pass together. */
double inference_prompts_together(const struct inference *inference, double batch);
/* Attention groups whose tokens TensorRT-LLM gathers on each GPU for its experts: all groups of a
 * server. */
double inference_gathered_groups(const struct inference_job *job);
/* True for mixtures under SGLang, whose steps grow more with the requests in them than those of
 * other engines; with dense models its overlap scheduler hides what the host does. */
bool inference_pays_sglang(const struct inference_job *job);
/* Steps of four sources in no fit took up to twice as long as estimated, and more with more
 * requests (DeepSeek-R1, MiniMax-M2.7, Gemma 4, GLM-5.1; tests/accuracy/unseen_served.csv). */
bool inference_sglang_on_amd(const struct inference_job *job);
/* True if the engine launches a mixture layer's experts as one kernel. */
bool inference_experts_fused(const struct inference_job *job);
/* Tokens per request and step: (1 - alpha^(gamma + 1)) / (1 - alpha), equation 1 of Leviathan et
 * al. */
double inference_tokens_per_step(const struct speculation *ahead);

/* Relative error of a figure of that kind: divide and multiply by it for the 80 % interval. */
double inference_interval(const struct inference *inference, enum interval kind);
/* The same for a design with `batch` requests in flight, and for one with everything queued. */
double inference_load_interval(const struct inference *inference, double batch);
double inference_offline_interval(const struct inference *inference);
/* The power to which the factors of the interval are raised: 2 where the estimate rests on few
 * runs, because the engine is not stated or its release is old, the GPU is not NVIDIA's, or it
 * shares memory with the CPU (DGX Spark), or for a mixture under vLLM that is not in FP4; 1.5 for
 * mixtures in FP8 or under SGLang on a GPU that multiplies FP4. */
double inference_doubt(const struct inference_job *job);
/* That power is over 1. */
bool inference_is_weak(const struct inference_job *job);
/* The interval kind of prefill times. */
enum interval inference_prefill_interval(const struct inference *inference);
/* The interval kind of decode times at that batch. */
enum interval inference_interval_kind(const struct inference *inference, double batch);
/* Factors on the middle of the time to first token. */
void inference_ttft_range(const struct inference *inference, double *low, double *high);

/* True if products of attention to cached tokens are in FP8, not 16 bit. */
bool inference_attends_in_fp8(const struct inference_job *job);
/* FLOP per byte of memory read and written in a step of `batch` requests. */
double inference_intensity(const struct inference *inference, double batch);
/* FLOP per byte at which the datasheet's 16-bit peak and bandwidth balance. */
double inference_ridge_point(const struct inference *inference);
/* Requests in flight at which multiplying takes as long as reading the weights, by datasheet. */
double inference_ridge_batch(const struct inference *inference);
/* The largest part of a step, or of a prompt if answers have one token: compute, memory, network or
 * overhead. */
const char *inference_bound(const struct inference *inference, const struct step *step);
/* Dense peak of the native arithmetic for such weights; NAN if the GPU has none. */
double inference_native_peak(const struct gpu *gpu, enum number format);
bool inference_native(const struct gpu *gpu, enum number format); /* whether it has such a peak */
/* True if there is such a peak, for FP8 and FP4 above 16 bit's; otherwise weights are widened. */
bool inference_multiplies(const struct gpu *gpu, enum number format);
/* GPUs connected by a link; 1 without a link (an optional bridge counts if `bridged`). */
double inference_link_domain(const struct gpu *gpu, bool bridged);
/* Rate between neighbouring GPUs, one direction: the link, or PCIe if there is none (an optional
 * bridge counts if `bridged`). */
double inference_link_rate(const struct gpu *gpu, bool bridged);
/* Replace the catalogue's figures by the caller's: bytes/s, FLOP/s (other peaks scale along),
 * bytes/s between GPUs. NAN leaves a figure unchanged. */
void inference_override(struct gpu *gpu, double bandwidth, double peak_16bit, double link_rate,
                        bool bridged);

#endif
