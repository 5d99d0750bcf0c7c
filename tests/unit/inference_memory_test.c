/* Memory of serving: formats, layers with other caches, paging, sharding and workspace, by hand. */
#include "estimate/inference/inference.h"

#include "fixture.h"
#include "tap.h"

#include <math.h>
#include <stdlib.h>

static struct catalog *catalog;
static struct inference_constants constants;

static const double LLAMA_7B_LINEAR = 6476005376; /* 32 (4 x 4096^2 + 3 x 4096 x 11008) */
static const double LLAMA_7B_TABLE = 131072000;   /* 32000 x 4096, twice */
static const double LLAMA_7B_NORMS = 266240;      /* 65 x 4096 */

static struct model_shape shape(const char *slug)
{
    const struct model *model = catalog_model(catalog, slug);

    if (!model) {
        printf("Bail out! no %s\n", slug);
        exit(1);
    }
    return model_shape_of(model);
}

static struct weight_bytes weights(const struct model_shape *of, enum number format, bool gguf)
{
    return memory_weight_bytes(&constants.memory, of, format, gguf, (double)NAN);
}

static double total(const struct model_shape *of, enum number format, bool gguf)
{
    struct weight_bytes bytes = weights(of, format, gguf);

    return memory_weights_total(&bytes);
}

static void formats(void)
{
    static const struct {
        enum number format;
        double body;
    } wide_head[] = {{NUMBER_BF16, 2},    {NUMBER_FP8, 1},      {NUMBER_INT8, 1},
                     {NUMBER_INT4, 0.53}, {NUMBER_FP4, 0.5625}, {NUMBER_NF4, 0.5159}};
    struct model_shape of = shape("llama-2-7b");

    for (size_t i = 0; i < sizeof(wide_head) / sizeof(wide_head[0]); i++)
        is_near(total(&of, wide_head[i].format, false),
                LLAMA_7B_LINEAR * wide_head[i].body + 2 * (2 * LLAMA_7B_TABLE + LLAMA_7B_NORMS),
                1e-9, "matrices at %g bytes, embedding, head and norms at 2", wide_head[i].body);
    is_near(total(&of, NUMBER_Q8_0, true), 6738415616 * 1.0626, 1e-9, "all of a GGUF file at 8.5");
    is_near(total(&of, NUMBER_FP32, false), 6738415616 * 4, 1e-9, "32 bit is 32 bit everywhere");
    is_near(total(&of, NUMBER_INT4, true), total(&of, NUMBER_Q4_K_M, true), 0,
            "int4 means Q4_K_M to llama.cpp");
    is_near(total(&of, NUMBER_INT8, true), total(&of, NUMBER_Q8_0, true), 0, "and int8 Q8_0");
    ok(memory_kernel_format(NUMBER_NF4) == NUMBER_INT4 &&
           memory_kernel_format(NUMBER_Q8_0) == NUMBER_INT8 &&
           memory_kernel_format(NUMBER_Q2_K) == NUMBER_INT4 &&
           memory_kernel_format(NUMBER_FP8) == NUMBER_FP8,
       "what is widened on the way is multiplied as int4 or int8");
}

/* Sizes of published files, GB: bits per weight in llama.cpp's README at ffe88a36a9 (Llama 2) and
 * tools/quantize/README.md at 311c2c9f0e (Llama 3.1), and the cards of bartowski's
 * gemma-3-4b-it-GGUF and DeepSeek-R1-0528-GGUF. GLM-4.5-Air: dexiio.pages.dev, less the layer that
 * guesses ahead, 110.47 of 106.85 billion parameters. */
static void mixed_files(void)
{
    static const struct {
        const char *slug;
        enum number format;
        double gb;
    } files[] = {
        {"llama-2-7b", NUMBER_Q3_K_M, 6.738 * 3.91 / 8},
        {"llama-2-7b", NUMBER_Q4_K_M, 6.738 * 4.84 / 8},
        {"llama-2-7b", NUMBER_Q5_K_M, 6.738 * 5.68 / 8},
        {"llama-2-70b", NUMBER_Q3_K_M, 68.977 * 3.85 / 8},
        {"llama-2-70b", NUMBER_Q4_K_M, 68.977 * 4.80 / 8},
        {"llama-2-70b", NUMBER_Q6_K, 68.977 * 6.56 / 8},
        {"llama-3.1-8b", NUMBER_Q2_K, 8.030 * 0.3949},
        {"llama-3.1-8b", NUMBER_Q5_K_M, 8.030 * 0.7130},
        {"gemma-3-4b-it", NUMBER_Q4_K_M, 2.49},
        {"gemma-3-4b-it", NUMBER_Q5_K_M, 2.83},
        {"gemma-3-4b-it", NUMBER_Q6_K, 3.19},
        {"deepseek-r1", NUMBER_Q5_K_M, 478.34},
        {"deepseek-r1", NUMBER_Q6_K, 552.45},
        {"glm-4.5-air", NUMBER_Q4_K_M, 68.0 * 1.073741824 * 106.85 / 110.47},
        {"glm-4.5-air", NUMBER_Q3_K_M, 53.3 * 1.073741824 * 106.85 / 110.47},
    };

    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        struct model_shape of = shape(files[i].slug);
        struct weight_bytes bytes = weights(&of, files[i].format, true);
        is_near((memory_weights_total(&bytes) - bytes.frozen) / 1e9, files[i].gb, 0.015,
                "%s in format %d", files[i].slug, (int)files[i].format);
    }
}

/* What llama-bench prints of ggml-org's files: ggml-org/llama.cpp#16991 and #19922. */
static void mixtures_as_gguf(void)
{
    static const struct {
        const char *slug;
        double gib;
    } files[] = {{"gpt-oss-20b", 11.27}, {"gpt-oss-120b", 59.02}};

    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        struct model_shape of = shape(files[i].slug);
        is_near(total(&of, NUMBER_FP4, true), files[i].gib * 1073741824, 0.004,
                "%s as GGUF: experts of 4 bits, all else of 8", files[i].slug);
        ok(total(&of, NUMBER_FP4, false) > 1.05 * total(&of, NUMBER_FP4, true),
           "other engines keep its attention and tables wide");
    }
}

static void parts(void)
{
    struct model_shape of = shape("mixtral-8x7b-v0.1"), tied = shape("gemma-2b");
    struct weight_bytes bytes = weights(&of, NUMBER_INT4, false);

    is_near(bytes.small, 2 * (65 * 4096 + 32 * 4096 * 8), 0, "norms and routers stay wide");
    of.frozen_weights = 4e8;
    bytes = weights(&of, NUMBER_INT4, false);
    is_near(bytes.frozen, 8e8, 0, "and so does a vision tower");
    of = shape("llama-2-7b");
    bytes = weights(&of, NUMBER_FP16, true);
    is_near(bytes.host, 2 * LLAMA_7B_TABLE, 0, "llama.cpp looks embeddings up on the host");
    bytes = weights(&of, NUMBER_FP16, false);
    is_near(bytes.host, 0, 0, "others do not");
    bytes = weights(&tied, NUMBER_FP16, true);
    is_near(bytes.host, 0, 0, "nor where the head needs the same matrix");
}

static void workspace(void)
{
    const struct memory_engine *fused = &constants.engine_memory[ENGINE_VLLM];
    const struct memory_engine *plain = &constants.engine_memory[ENGINE_LLAMA_CPP];
    struct model_shape of = shape("llama-2-70b");

    /* 2 x 2 x 8192 of stream, 2 x 3 x 28672 of FFN, which is more than 2 x (2 x 8192 + 2048). */
    is_near(workspace_needed(&of, fused, 8192, 1e5, 1, 1), 8192 * (32768 + 172032.0), 0,
            "a pass holds its stream and its FFN, however long the context");
    is_near(workspace_needed(&of, fused, 8192, 1e5, 4, 1), 8192 * (32768 + 172032.0 / 4), 0,
            "of which the FFN is split");
    of = shape("llama-3.1-8b");
    /* 16384 of stream; queries, keys, values, outputs and keys and values repeated:
     * 2 x (4096 + 2048 + 4096 + 8192); 4 x 32 x 8192 of scores. */
    is_near(workspace_needed(&of, plain, 512, 8192, 1, 1), 512 * (16384 + 36864 + 1048576.0), 0,
            "scores that are written down grow with the context");
    is_near(workspace_needed(&of, plain, 512, 128, 1, 1), 512 * 128256 * 4, 0,
            "where it is short, logits of every token are more");
    of = shape("mixtral-8x7b-v0.1");
    /* Two experts: 3 x 14336 of FFN and 4096 there and back, 16384 of stream. */
    is_near(workspace_needed(&of, fused, 1024, 1024, 1, 1),
            1024 * (16384 + 2 * 2 * (3 * 14336 + 2 * 4096.0)), 0, "each token goes to two experts");
    is_near(workspace_needed(&of, fused, 1024, 1024, 1, 4),
            1024 * (16384 + 4 * 2 * 2 * (3 * 14336 + 2 * 4096.0)), 0,
            "those of four groups are gathered");
}

static struct kv_pool pool_of(const struct model_shape *of, const char *gpu, enum engine engine,
                              double tensor, double tokens)
{
    struct weight_bytes bytes = weights(of, NUMBER_BF16, engine == ENGINE_LLAMA_CPP);
    struct memory_job job = {.shape = of,
                             .gpu = catalog_gpu(catalog, gpu),
                             .engine = &constants.engine_memory[engine],
                             .weights = &bytes,
                             .kv_bytes = 2,
                             .tensor = tensor,
                             .pipeline = 1,
                             .attention_data = 1,
                             .request_tokens = tokens,
                             .utilization = 0.9};

    return memory_kv_pool(&constants.memory, &job);
}

static void sharding(void)
{
    struct model_shape of = shape("llama-3.1-70b"), latent = shape("deepseek-v3");

    is_near(pool_of(&of, "h200-sxm5-141gb", ENGINE_VLLM, 16, 1024).shards, 8, 0,
            "eight KV heads are not split over sixteen");
    is_near(pool_of(&of, "h200-sxm5-141gb", ENGINE_VLLM, 4, 1024).bytes_per_token, 327680 / 4.0, 0,
            "but over four");
    is_near(pool_of(&latent, "b200-sxm", ENGINE_SGLANG, 8, 1024).bytes_per_token, 70272, 0,
            "a latent is whole on each of eight");
}

static void paging(void)
{
    struct model_shape of = shape("llama-3.1-8b"); /* 131072 bytes a token */
    struct kv_pool v = pool_of(&of, "h100-sxm5-80gb", ENGINE_VLLM, 1, 1001);
    struct kv_pool t = pool_of(&of, "h100-sxm5-80gb", ENGINE_TENSORRT_LLM, 1, 1001);
    struct kv_pool s = pool_of(&of, "h100-sxm5-80gb", ENGINE_SGLANG, 1, 1001);

    is_near(v.bytes_paged, 1008 * 131072.0, 0, "vLLM: 63 blocks of 16");
    is_near(t.bytes_paged, 1024 * 131072.0, 0, "TensorRT-LLM: 32 of 32");
    is_near(s.bytes_paged, 1001 * 131072.0, 0, "SGLang: every token by itself");
    is_near(v.held, floor(v.bytes / (1008 * 131072.0)), 0, "whole requests in whole blocks");
    is_near(v.requests, v.bytes / (1001 * 131072.0), 1e-9, "the formulas know no blocks");
    is_near(memory_max_context(&v, &of, 2, 1), fmin(floor(v.bytes / 131072 / 16) * 16, 131072), 0,
            "the longest context is of whole blocks too");
}

/* 0.9 of what weights and reserve leave, unless what is known to be needed leaves less. */
static void room(void)
{
    struct model_shape of = shape("llama-2-13b"); /* 13015864320 weights, 414720 of them norms */
    struct kv_pool wide = pool_of(&of, "a100-sxm4-80gb", ENGINE_VLLM, 1, 1024);
    struct kv_pool host = pool_of(&of, "a100-sxm4-80gb", ENGINE_LLAMA_CPP, 1, 1024);
    double w = 2 * (13015864320 - 81 * 5120.0);

    is_near(wide.weights, w, 1e-9, "matrices");
    is_near(wide.bytes, 0.9 * (wide.capacity - w - 1.5e9), 1e-9, "0.9 of what is left");
    is_near(host.weights, w - 2 * 32000 * 5120.0, 1e-9, "without the table that stays on the host");
    of.frozen_weights = 3e8;
    wide = pool_of(&of, "a100-sxm4-80gb", ENGINE_VLLM, 2, 1024);
    is_near(wide.weights, w / 2 + 6e8, 1e-9, "a vision tower is whole on each of two");
    of = shape("llama-2-70b");
    wide = pool_of(&of, "b200-sxm", ENGINE_VLLM, 1, 1024);
    is_near(wide.rest, 8192 * (32768 + 172032.0) + 161 * 8192 * 2 + 0.15 * 1073741824, 1e-9,
            "what is needed in addition to matrices and cache");
    is_near(memory_needed(&wide, 2, 0.9),
            wide.weights + fmax(1.5e9 + 2 * 1024 * 327680 / 0.9, wide.rest + 2 * 1024 * 327680.0),
            1e-9, "the larger of what is set aside and what is known of it");
    /* A pass of 65536 tokens of 4 x 4096 and 6 x 14336 bytes; 65 norms. */
    constants.engine_memory[ENGINE_VLLM].pass_tokens = 65536;
    of = shape("llama-3.1-8b");
    wide = pool_of(&of, "rtx-4090", ENGINE_VLLM, 1, 1024);
    is_near(wide.bytes,
            wide.capacity - 2 * 8030261248 - 65536 * (16384 + 86016.0) - 0.15 * 1073741824, 1e-9,
            "the cache gets no more than is there");
    constants.engine_memory[ENGINE_VLLM].pass_tokens = 8192;
}

static void other_caches(void)
{
    struct model_shape chunked = shape("llama-4-scout-17b-16e-instruct");
    struct model_shape hybrid = shape("qwen3-next-80b-a3b");
    double state = 36 * 548864 * 4.0; /* (32 x 128 x 128 + 3 x (2 x 16 + 32) x 128) a layer */

    /* 4096 bytes a token and layer; three of four layers look back 8192 at most. */
    is_near(memory_kv_bytes_per_request(&chunked, 2, 1e5), 4096 * (12 * 1e5 + 36 * 8192.0), 0,
            "chunked attention counts as a window");
    is_near(memory_state_bytes(&constants.memory, &hybrid), state, 0,
            "layers without a cache keep a state");
    struct kv_pool pool = pool_of(&hybrid, "h200-sxm5-141gb", ENGINE_VLLM, 2, 1024);
    is_near(pool.bytes_per_request, 1024 * 24576 / 2.0 + state / 2, 0,
            "which is part of a request, and split by heads as the cache is");
    hybrid.max_tokens = 0; /* no limit of its own */
    is_near(memory_max_context(&pool, &hybrid, 2, 1),
            floor((pool.bytes - state / 2) / (24576 / 2.0) / 16) * 16, 0,
            "and takes its room from the longest context");
    struct model borrowing = *catalog_model(catalog, "llama-2-7b"); /* 32 layers of 16384 bytes */
    borrowing.kv_bytes_per_token_bf16 /= 2;
    chunked = model_shape_of(&borrowing);
    is_near(memory_kv_bytes_per_token(&chunked, 2), 16 * 16384, 0,
            "layers that use another's keys and values cache none");
    hybrid.recurrent_state_elements = 0;
    is_near(memory_state_bytes(&constants.memory, &hybrid), 0, 0, "where it is known");
}

int main(void)
{
    struct err err = {0};

    catalog = fixture_catalog();
    fixture_need(inference_constants_load(catalog, &constants, &err), &err);
    formats();
    mixed_files();
    mixtures_as_gguf();
    parts();
    workspace();
    sharding();
    paging();
    room();
    other_caches();
    catalog_free(catalog);
    return tap_done();
}
