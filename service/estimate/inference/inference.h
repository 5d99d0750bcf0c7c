/* inference.h - how long one replica takes to read a prompt and to write tokens, and what bounds
 * it.
 *
 * One additive model: every term is a count (bytes, FLOP, messages, layers, requests) over a
 * datasheet rate times a calibrated share, or times a calibrated time. Seconds, bytes, FLOP.
 * Symbols of the formulas stand in brackets.
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

/* Spread of the residuals, by kind of answer: an 80 % interval is [T / u, T u]. */
enum interval {
    INTERVAL_SERVED_DENSE,
    INTERVAL_SERVED_MOE,
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
    double e_mem, f_gddr, f_wo;  /* share of memory bandwidth; factors on it */
    double e_gemm, f_fp8, f_fp4; /* share of dense peak; factors on it */
    double e_exchange; /* share of the network's rate, to and from experts on other servers */
    double e_attn, e_link, l_gemm, l_attn, f_amd, l_amd;
    double l_power; /* how l_gemm falls with the peak over the power, an exponent */
    double l_score; /* bytes of memory moved for a score of attention, llama.cpp of May 2024 */
    double a_nv_us, a_pcie_us;        /* per all-reduce: per log2(t); at PCIE_GEN4_RATE */
    double o_engine_us[ENGINE_COUNT]; /* per layer and step */
    double o_mla_us;   /* per layer that attends through a latent, alongside o_engine */
    double o_index_us; /* per layer with an indexer (DSA) */
    double o_block_us; /* per layer of experts in FP8: quantise, permute, grouped products */
    double o_widen_us; /* per layer of experts in FP4 that the GPU cannot multiply, TensorRT-LLM */
    /* Per layer of experts of a pass that reads prompts, TensorRT-LLM with everything queued: until
     * the host has launched its kernels. */
    double o_eager_us;
    double o_moe_us, b_req_us, b_sglang_us, c_pre;
    double o_shared_us;  /* per layer with shared experts, alongside o_moe */
    double o_quant_us;   /* per dense layer: quantising its input by blocks */
    double o_adapter_us; /* per layer with LoRA adapters: gathering, two products of each matrix */
    double f_experts;    /* factor on o_moe with native FP4: one fused kernel */
    double f_fused; /* latency of an all-reduce that adds residual and norm too (TensorRT-LLM) */
    double c_route; /* passes over memory of a token's copies, one for each of its experts */
    /* Share of the time to read other prompts that delays tokens; the rest delays first tokens.
     * Applies to clients in step under SGLang, which reads all prompts before it writes; it is 1
     * for all others. */
    double interference_sglang;
    /* Steps between two polls for new requests in SGLang's launch recipes: below receive_requests
     * in flight, and from there on. */
    double receive_few, receive_many, receive_requests;
    double balance_steps; /* that TensorRT-LLM waits until each attention group has a prompt */
    double image_patches; /* patches that a vision tower merges into one token */
    double b_max;         /* requests in an offline batch */
    double prefill_utilization;             /* highest utilization of the prefill GPUs */
    double ttft_request_us, ttft_token_us;  /* host, per request; per prompt token of a burst */
    double ttft_moe_layer_us[ENGINE_COUNT]; /* of a prefill pass, alongside what prefill counts */
    double ttft_mla_layer_us;        /* the same of attention through a latent, TensorRT-LLM */
    double ttft_turns[ENGINE_COUNT]; /* that a prompt waits where clients are in step */
    double ttft_steps;               /* of what runs: waited for, and shared */
    double ttft_pass_tokens;         /* of prompts in one pass */
    double compile_seconds[2];       /* of kernels for a pass that cuts a prompt: FP4, others */
    double ttft_requests;            /* of each client of a closed loop */
    double ttft_low[ENGINE_COUNT], ttft_high[ENGINE_COUNT];
    double interval[INTERVAL_COUNT]; /* [u] */
    double prefill_chunk_tokens;     /* llama.cpp reads the weights again for each chunk */
    /* What a measured run says beyond the catalogue: 1 without one. */
    double clock;       /* all times are multiplied by it; see inference_constants_slow() */
    double first_token; /* on top of it, the time to the first token */
    struct network_rates network;
    struct memory_constants memory;
    struct memory_engine engine_memory[ENGINE_COUNT];
};

/* Fill them once for all questions; constants_memoize(). */
void inference_constants_memoize(struct catalog *catalog);
bool inference_constants_load(const struct catalog *catalog, struct inference_constants *constants,
                              struct err *err) MUST_CHECK;

/* Multiply every time by the factor: achieved shares are divided by it, but never above the data
 * sheet, and fitted times multiplied. */
void inference_constants_slow(struct inference_constants *constants, double factor);
/* Raise the factors of the intervals, of tokens and of first tokens, to a power: below 1 they
 * narrow. */
void inference_constants_widen(struct inference_constants *constants, double token, double first);

/* The member that is called so in the catalogue; NULL where there is none. A fit sets it. */
double *inference_constant(struct inference_constants *constants, const char *key,
                           const char *scope);

/* Tokens guessed ahead by a draft and checked together in one pass (speculative decoding,
 * multi-token prediction): Leviathan et al., arXiv 2211.17192. */
struct speculation {
    double tokens;     /* guessed per pass, 0: none [gamma] */
    double acceptance; /* chance that a guess is right, each independent [alpha] */
    double draft_cost; /* of guessing one token, over a pass of the model [c] */
};

/* What is asked of one replica. */
struct inference_job {
    struct model_shape shape;
    const struct gpu *gpu;
    enum number weight_format, kv_format;
    double bytes_per_weight; /* of the checkpoint as a whole, NAN: as the format says */
    enum engine engine;
    bool early_kernels;   /* llama.cpp of May 2024: no CUDA graphs, quantised weights widened for
                             prompts, attention through memory */
    bool built_engine;    /* TensorRT-LLM up to 0.19, whose engines are compiled: no kernel is
                             launched from Python */
    bool static_batching; /* all requests of a batch start and end together */
    bool bridged;         /* an optional link bridge is fitted */
    double sharing; /* replicas on one GPU, each with its part of it; 0: replicas have whole GPUs */
    double tensor, pipeline;
    double attention_data; /* groups of the GPUs of a layer that attend on their own, each with
                              requests of its own; below 2: all together */
    bool separate_prefill; /* prompts are read by other GPUs (disaggregated) */
    bool open_arrivals;    /* requests come at random; else clients that all started at once each
                              send one as the last is answered, as benchmarks do */
    bool in_step;          /* such clients ask for answers of one length: they end together, and
                              their next prompts come together */
    struct speculation speculation;
    double gpus_per_node, network_rate; /* between nodes, bytes/s per GPU */
    double input_tokens, output_tokens;
    bool writes_nothing; /* prompts alone: their result counts as one output token */
    double images,
        image_tokens;      /* images in a prompt; tokens of an image, counted in input_tokens */
    double longest_tokens; /* prompt and answer, of a mix of lengths that are means above; else 0 */
    double input_cv, output_cv; /* of requests that come at random: standard deviation over mean */
    double cached_ratio;        /* share of the input found in the prefix cache */
    double memory_utilization;  /* share of what weights and reserve leave that the KV pool takes */
    double adapters, adapter_rank; /* LoRA adapters served together, 0: none; rank of each */
    double pass_tokens;      /* most prompt tokens read in one pass; 0: the engine's default */
    double receive_interval; /* steps between two polls for new requests; 0: as launch recipes */
    bool cold;               /* clients are the first the engine serves: kernels are compiled */
};

/* A job with what is derived of it once. */
struct inference {
    const struct inference_constants *constants;
    struct inference_job job;
    struct lengths prompts, answers; /* with random arrivals */
    struct weight_bytes bytes;
    double kv_bytes; /* of a cached element */
    struct kv_pool pool;
    double memory_share, weight_share; /* achieved of the bandwidth, for KV and weights [e_m e_w] */
    double peak, peak_16bit;           /* FLOP/s [P P16] */
    double gemm_share;                 /* [e_g] */
    bool has_link;                     /* scale-up, and no optional bridge that is not fitted */
    bool over_link;                    /* all-reduces go over the scale-up link [NV] */
    double link_rate;                  /* bytes/s, one direction [link] */
    double all_reduce_seconds;         /* latency of one [a_ar] */
    double all_reduces;                /* per pass [n] */
    double attention_gpus;             /* that share a layer's attention [t over attention_data] */
    double exchange_rate, exchange_seconds; /* to experts on other GPUs: bytes/s, latency of one */
    double exchanges;                       /* per pass */
    double stage_seconds;                   /* from stage to stage through all of them, per byte */
    double body_weights;                    /* active, without head [N_b] */
    double active_weights;                  /* with head [N_a] */
    double adapter_weights, adapter_bytes;  /* of one LoRA adapter */
    double launch_seconds;                  /* of a pass over all layers [L o] */
    double moe_launch_seconds;              /* alongside it, routing and experts [L_m o_moe] */
    double request_seconds;                 /* per request and step [b] */
    struct prefill {
        double gemm, routing, attention, all_reduce;
        double square;   /* of attention what grows with the square of the prompt */
        double marginal; /* per prompt [m] */
        double weights, launch;
        double fixed;    /* per pass [f] */
        double transfer; /* between pipeline stages, per prompt */
        double tower;    /* the images of a prompt, on the first stage */
        double one;      /* a single prompt [t_pre(1)] */
    } prefill;
};

struct inference inference_of(const struct inference_constants *constants,
                              const struct inference_job *job);
/* The same in two parts: what is the same for all tensor and pipeline, then what depends on them,
 * which may be set again and again. */
struct inference inference_unsharded(const struct inference_constants *constants,
                                     const struct inference_job *job);
void inference_shard(struct inference *inference, double tensor, double attention_data,
                     double pipeline);

/* One decode step with `batch` requests in flight, each with `context` tokens. Exchanges with
 * experts count as all-reduces; draft is guessing ahead; LoRA adapters are part of weights, gemm
 * and launch. */
struct step {
    double weights, kv_cache, state, gemm, routing, attention;
    double all_reduce_latency, all_reduce_volume;
    double launch, requests, transfer, draft;
    double total;
};

struct step inference_step(const struct inference *inference, double batch, double context);

/* The mean context while a request is written [s]. */
double inference_context(const struct inference_job *job);
/* Experts that at least one of `tokens` is routed to [E_d]: top_k by the first token, plus those
 * added by the others. The popularity of experts is taken as exponentially distributed, so tokens
 * per expert are geometric.
 */
double inference_distinct_experts(const struct model_shape *shape, double tokens);
/* Seconds to read `shared` bytes (held by each attention group) and the weights of n experts. */
double inference_read_seconds(const struct inference *inference, double shared, double experts);
/* Seconds to sort the copies of `tokens` by expert and add them up again, layers together. */
double inference_route_seconds(const struct inference *inference, double tokens);
/* Whether weights are FP8 with a scale per block: what they multiply is quantised as it comes. */
bool inference_block_scaled(const struct inference_job *job);
/* Whether the GPU multiplies FP4 weights by FP4 activations. */
bool inference_multiplies_fp4(const struct inference_job *job);
/* Whether TensorRT-LLM leaves experts to Triton's kernels: weights in FP4 on GPUs without it. */
bool inference_widens_experts(const struct inference_job *job);
/* Share of the peak that products reach on the vendor's GPUs, over that on NVIDIA's. */
double inference_vendor_share(const struct inference *inference);
/* Whether what goes into the products of a dense layer is quantised by blocks, in FP8 or FP4. */
bool inference_quantises_layers(const struct inference_job *job);
/* The engine whose launches a step has: llama.cpp records a step as a CUDA graph, as those do that
 * serve one stream. */
enum engine inference_launches_as(const struct inference_job *job);
/* Steps between two polls of the engine for new requests. */
double inference_receive_interval(const struct inference *inference, double concurrency);
/* Steps between two passes that read prompts, where groups attend on their own. */
double inference_balance_interval(const struct inference *inference, double batch);
/* Tokens of prompts that one pass reads at most (chunked prefill: Sarathi-Serve, arXiv 2403.02310).
 */
double inference_pass_tokens(const struct inference *inference);
/* Prompts that one pass reads together. */
double inference_prompts_together(const struct inference *inference, double batch);
/* Groups that attend on their own whose tokens TensorRT-LLM gathers on each GPU for its experts:
 * all of a server. */
double inference_gathered_groups(const struct inference_job *job);
/* Whether an engine launches a mixture layer's experts as one kernel. */
bool inference_experts_fused(const struct inference_job *job);
/* Tokens of a request that a step writes: (1 - alpha^(gamma + 1)) / (1 - alpha), equation 1 of
 * Leviathan et al. */
double inference_tokens_per_step(const struct speculation *ahead);

/* A replica kept at `concurrency` requests. */
struct served {
    double concurrency;
    double arrivals; /* at random, requests/s; 0 for clients of a fixed number */
    double batch;    /* of them in flight: what the KV pool holds [B] */
    struct step step;
    double interference; /* of other prompts in the time per token */
    double pause;        /* of other prompts in the time to the first token */
    double tpot, ttft;
    struct waiting {      /* for the first token, alongside reading the prompt; seconds */
        double host;      /* of the request, and of the pass's mixture layers */
        double running;   /* the step that runs, and the one written in the same pass */
        double unseen;    /* seconds until the engine polls for new requests */
        double turn;      /* of another prompt */
        double turns;     /* of those, a number */
        double busy;      /* share of the time that prompts are read */
        double found;     /* seconds of prompts queued at the first token; they delay the rest */
        double longer;    /* mean over all prompts, beyond one of the mean length */
        double opening;   /* share in the wait of clients that all started at once */
        double compiling; /* share in the time that kernels took to be compiled */
        double saturated; /* for the prompts and tokens of the others, beyond all of these */
    } waiting;
    double request_seconds;          /* ttft + (outputs - 1) tpot */
    double output_tokens_per_second; /* of the replica */
};

/* Random arrivals come at the rate that keeps `concurrency` in flight on average. */
struct served inference_serve(const struct inference *inference, double concurrency);
/* The same with random arrivals, `rate` per second, while `concurrency` are in flight. */
struct served inference_serve_arrivals(const struct inference *inference, double concurrency,
                                       double rate);
/* Whether requests arrive at random on GPUs that both read and write. */
bool inference_mixes_arrivals(const struct inference_job *job);
/* Of the seconds to read a prompt of random length. */
struct raw_moments inference_prompt_moments(const struct inference *inference);
/* Whether prompts take all of the time, so that each waits for all the others. */
bool inference_prompts_fill(const struct served *served);

/* Whether all prompts are read before anything is written: so SGLang does, and clients in step send
 * them together. */
bool inference_prompts_first(const struct inference_job *job);

/* Whether each prompt arrives while the previous one is read: so it is with clients in step on
 * engines that mix prompts and tokens, where answers begin and end one step apart. */
bool inference_prompts_follow(const struct inference_job *job);

/* Seconds the host takes for a request and for the mixture layers of the pass that reads its
 * prompt. */
double inference_host_seconds(const struct inference *inference);
/* Seconds that a request adds, with everything queued and `batch` in flight, until the host has
 * launched the passes that read its prompt. */
double inference_eager_seconds(const struct inference *inference, double batch);
/* Requests an engine admits at a time, whatever the cache holds: this many per group that attends
 * on its own. */
double inference_admitted(const struct inference *inference);
/* The most a replica can write with everything queued from the start: tokens/s at *batch. */
double inference_offline(const struct inference *inference, double *batch);

/* How far off an answer of that kind may be: divide and multiply by it for the 80 % interval. */
double inference_interval(const struct inference *inference, enum interval kind);
/* The same of a design at `batch` requests in flight, and of one with everything queued. */
double inference_load_interval(const struct inference *inference, double batch);
double inference_offline_interval(const struct inference *inference);
/* Whether few runs stand behind it, as the engine is not said, the GPU not NVIDIA's, or its memory
 * the CPU's too (DGX Spark): then the interval is squared. */
bool inference_is_weak(const struct inference_job *job);
/* The kind of the time to read prompts. */
enum interval inference_prefill_interval(const struct inference *inference);
/* The kind of a decode figure at that batch. */
enum interval inference_interval_kind(const struct inference *inference, double batch);
/* Multiply the middle of the time to first token by these. */
void inference_ttft_range(const struct inference *inference, double *low, double *high);

/* FLOP per byte of memory read and written in a step of `batch` requests. */
double inference_intensity(const struct inference *inference, double batch);
/* FLOP per byte at which the GPU's 16-bit peak and its bandwidth meet, by datasheet. */
double inference_ridge_point(const struct inference *inference);
/* Requests in flight at which multiplying takes as long as reading the weights, by datasheet. */
double inference_ridge_batch(const struct inference *inference);
/* What takes most of a step, or of a prompt where answers have one token: compute, memory, network
 * or overhead. */
const char *inference_bound(const struct inference *inference, const struct step *step);
/* The dense peak of the arithmetic made for such weights, NAN where the GPU has none. */
double inference_native_peak(const struct gpu *gpu, enum number format);
/* Whether the GPU has arithmetic of its own for the weights, or they are widened to 16 bit. */
bool inference_native(const struct gpu *gpu, enum number format);
/* GPUs that reach one another over a link, 1 without one (an optional bridge counts once it is
 * said to be there). */
double inference_link_domain(const struct gpu *gpu, bool bridged);
/* Between neighbouring GPUs, one direction: the link, or PCIe where there is none (an optional
 * bridge counts once it is said to be there). */
double inference_link_rate(const struct gpu *gpu, bool bridged);
/* Put figures of the caller in place of the catalogue's: bytes/s, FLOP/s (other peaks move along),
 * bytes/s between GPUs. NAN leaves a figure alone. */
void inference_override(struct gpu *gpu, double bandwidth, double peak_16bit, double link_rate,
                        bool bridged);

#endif
