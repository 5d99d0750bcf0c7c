/* Attention through a latent (MLA), and to tokens that an indexer selects (DSA): prompts and steps.
 */
#include "estimate/inference/inference.h"

#include "fixture.h"
#include "serving_fixture.h"
#include "tap.h"

#include <math.h>

static struct catalog *catalog;
static struct inference_constants constants;

/* Of DeepSeek-V3.2: layers, heads of a GPU of eight as padded, elements of keys and values of a
 * latent, tokens selected, heads and width of the indexer. */
static const double LAYERS = 61, PADDED = 64, WORK = 2 * 512 + 64, MOST = 2048, INDEX = 64,
                    DIM = 128;

static void near(double got, double want, const char *what)
{
    is_near(got / want, 1, 1e-6, "%s is %.9g", what, want);
}

static struct inference_job job_of(const char *model, const char *gpu, enum engine engine,
                                   double tokens)
{
    struct inference_job job = fixture_serving(catalog, &constants, model, gpu, NUMBER_FP8).job;

    job.tensor = 8;
    job.pipeline = 1;
    job.engine = engine;
    job.input_tokens = tokens;
    return job;
}

static double prompt_of(const struct inference_job *job)
{
    struct inference i = inference_of(&constants, job);

    return i.prefill.attention - i.prefill.latent;
}

static void prompts(void)
{
    struct inference_job job = job_of("deepseek-v3.2", "h200-sxm5-141gb", ENGINE_VLLM, 8192);
    struct inference i = inference_of(&constants, &job);
    double peak = i.peak_16bit, peak_fp8 = job.gpu->peak[PEAK_FP8];
    double pairs = MOST * MOST / 2 + (8192 - MOST) * MOST;
    double selected = LAYERS * 2 * PADDED * WORK * pairs / (constants.e_sparse * peak);
    double scores = LAYERS * INDEX * DIM * 8192 * 8192 / (constants.e_index * peak_fp8);
    double each = LAYERS * 8192 * constants.c_index_us * 1e-6;

    near(prompt_of(&job), selected + scores + each, "a prompt on eight GPUs");
    near(i.prefill.square, scores, "only scores grow with the square");
    job.cached_ratio = 0.5;
    double rest = LAYERS * 2 * PADDED * WORK * 4096 * MOST / (constants.e_sparse * peak);
    near(prompt_of(&job), rest + 0.75 * scores + each / 2, "with half of it cached");
    job.cached_ratio = 0;
    job.attention_data = 8;
    near(prompt_of(&job), (2 * selected + scores + each) / 8, "all heads, one of eight prompts");
}

static void few_tokens(void)
{
    struct inference_job job = job_of("deepseek-v3.2", "h200-sxm5-141gb", ENGINE_VLLM, 2048),
                         dense = job_of("deepseek-v3", "h200-sxm5-141gb", ENGINE_SGLANG, 2048);
    double all = prompt_of(&dense), selected = prompt_of(&job);

    ok(selected > 4 * all, "vLLM selects however few there are");
    job.engine = ENGINE_SGLANG;
    near(prompt_of(&job), all, "SGLang attends to all of 2,048");
    job.input_tokens = 2049;
    ok(prompt_of(&job) > 4 * all, "but not of one more");
}

static void without_kernels(void)
{
    struct inference_job job = job_of("deepseek-v3.2", "a100-sxm4-80gb", ENGINE_VLLM, 8192),
                         dense = job_of("deepseek-v3", "a100-sxm4-80gb", ENGINE_VLLM, 8192);

    near(prompt_of(&job), prompt_of(&dense), "an A100 has none");
    job = job_of("deepseek-v3.2", "h200-sxm5-141gb", ENGINE_LLAMA_CPP, 8192);
    dense = job_of("deepseek-v3", "h200-sxm5-141gb", ENGINE_LLAMA_CPP, 8192);
    near(prompt_of(&job), prompt_of(&dense), "nor has llama.cpp");
    job = job_of("deepseek-v3.2", "b200-sxm", ENGINE_VLLM, 8192);
    struct inference i = inference_of(&constants, &job);
    near(inference_sparse_heads(&i), 128, "Blackwell's take 128 heads");
}

static void steps(void)
{
    struct inference_job job = job_of("deepseek-v3.2", "h200-sxm5-141gb", ENGINE_VLLM, 8192);
    struct inference i = inference_of(&constants, &job);
    double bytes = LAYERS * (512 + 64) * i.kv_bytes, keys = LAYERS * (DIM + 4);

    near(inference_cache_read(&i, 1000), 1000 * (bytes + keys), "all of a short context");
    near(inference_cache_read(&i, 100000), MOST * bytes + 100000 * keys, "and keys of a long one");
    near(inference_step(&i, 32, 100000).attention,
         2 * 32 * PADDED * WORK * LAYERS * MOST / (constants.e_attn * i.peak_16bit),
         "no more than 2,048 tokens are attended to");
    job = job_of("deepseek-v3", "h200-sxm5-141gb", ENGINE_VLLM, 8192);
    i = inference_of(&constants, &job);
    near(inference_cache_read(&i, 100000), 100000 * LAYERS * (512 + 64) * i.kv_bytes,
         "without an indexer all is read");
}

/* Engines keep a key of 132 bytes for each token and layer besides the latent, on every GPU. */
static void cached(void)
{
    struct inference_job job = job_of("deepseek-v3.2", "h200-sxm5-141gb", ENGINE_VLLM, 8192);
    struct inference i = inference_of(&constants, &job);
    double token = LAYERS * ((512 + 64) * i.kv_bytes + DIM + 4);
    const struct model_shape *shape = &i.job.shape;

    near(memory_kv_bytes_per_token(shape, i.kv_bytes), token, "a token's latent and key");
    near(i.pool.bytes_per_token, token, "on each GPU");
    near(i.pool.tokens, i.pool.bytes / token, "so the cache holds fewer tokens");
    near(memory_max_context(&i.pool, shape, i.kv_bytes, 1),
         fmin(floor(i.pool.bytes / token / i.pool.block_tokens) * i.pool.block_tokens,
              shape->max_tokens),
         "and a shorter context");
    job = job_of("deepseek-v3", "h200-sxm5-141gb", ENGINE_VLLM, 8192);
    i = inference_of(&constants, &job);
    near(i.pool.bytes_per_token, LAYERS * (512 + 64) * i.kv_bytes, "no keys without an indexer");
    job = job_of("deepseek-v3.2", "a100-sxm4-80gb", ENGINE_VLLM, 8192);
    i = inference_of(&constants, &job);
    near(i.pool.bytes_per_token, LAYERS * (512 + 64) * i.kv_bytes,
         "nor where no kernels select tokens");
}

/* Seconds that products of `weights` more take in each layer of a prompt of 8,192 tokens, over what
 * all take at the rate of others. */
static double products(const struct inference *i, double weights)
{
    return 2 * LAYERS * 8192 * weights / (i->dense_share * i->peak);
}

static void latents(void)
{
    const double down = 7168.0 * (1536 + 512 + 64);
    const double all = down + 1536.0 * 128 * 192 + 512.0 * 128 * 256 + 128.0 * 128 * 7168;
    struct inference_job job = job_of("deepseek-v3", "h200-sxm5-141gb", ENGINE_VLLM, 8192);
    struct inference i = inference_of(&constants, &job);
    double divided = (all - down) / 8 + down, slower = 1 / constants.f_latent;

    ok(constants.f_latent < 1, "narrow products are slower");
    near(i.prefill.latent, products(&i, divided * slower - all / 8), "in FP8 blocks");
    job.attention_data = 8;
    i = inference_of(&constants, &job);
    near(i.prefill.latent, products(&i, all * (slower - 1)) / 8, "each group has all heads");
    job.attention_data = 1;
    job.weight_format = NUMBER_BF16;
    i = inference_of(&constants, &job);
    near(i.prefill.latent, products(&i, down * 7 / 8), "in 16 bit: each GPU projects down");
    job.engine = ENGINE_LLAMA_CPP;
    ok(inference_of(&constants, &job).prefill.latent == 0, "llama.cpp divides layers");
    job = job_of("qwen3-235b-a22b", "h200-sxm5-141gb", ENGINE_VLLM, 8192);
    ok(inference_of(&constants, &job).prefill.latent == 0, "no latent");
}

static double host_of(const char *gpu, enum engine engine)
{
    struct inference_job job = job_of("deepseek-v3", gpu, engine, 1024);
    struct inference i = inference_of(&constants, &job);

    return inference_host_seconds(&i);
}

/* All heads share a latent: on many servers their products hide its reading, or the other way
 * round.
 */
static void while_reading(void)
{
    struct inference_job job = job_of("deepseek-v3", "h200-sxm5-141gb", ENGINE_VLLM, 4000);
    job.tensor = 32;
    job.attention_data = 4;
    struct inference i = inference_of(&constants, &job);
    struct step step = inference_step(&i, 64, 4000);

    ok(inference_attention_seconds(&i, 64, 4000) > 0 && step.attention == 0,
       "16 heads a GPU are multiplied while the latent is read");
    job.attention_data = 32;
    i = inference_of(&constants, &job);
    step = inference_step(&i, 64, 4000);
    near(step.attention + step.kv_cache, inference_attention_seconds(&i, 64, 4000),
         "all 128: their products decide");
    job.tensor = job.attention_data = 8;
    i = inference_of(&constants, &job);
    near(inference_step(&i, 64, 4000).attention, inference_attention_seconds(&i, 64, 4000),
         "on one server both are counted, as they were fitted");
}

static void grace(void)
{
    double layers = 58e-6 * constants.ttft_moe_layer_us[ENGINE_SGLANG];

    ok(constants.f_grace > 1, "Grace takes longer to launch");
    near(host_of("gb200-nvl72", ENGINE_SGLANG) - host_of("b200-sxm", ENGINE_SGLANG),
         (constants.f_grace - 1) * layers, "the kernels of each mixture layer");
    near(host_of("gh200-96gb", ENGINE_SGLANG), host_of("gb200-nvl72", ENGINE_SGLANG),
         "a GH200 too");
    near(host_of("gb200-nvl72", ENGINE_TENSORRT_LLM), host_of("b200-sxm", ENGINE_TENSORRT_LLM),
         "TensorRT-LLM is not known to");
}

int main(void)
{
    struct err err = {0};

    catalog = fixture_catalog();
    fixture_need(inference_constants_load(catalog, &constants, &err), &err);
    prompts();
    few_tokens();
    without_kernels();
    steps();
    cached();
    latents();
    while_reading();
    grace();
    catalog_free(catalog);
    return tap_done();
}
