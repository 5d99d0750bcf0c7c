/* Attention to tokens that an indexer selects (DSA): prompts and steps. */
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
    return inference_of(&constants, job).prefill.attention;
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

    near(i.prefill.attention, selected + scores + each, "a prompt on eight GPUs");
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

int main(void)
{
    struct err err = {0};

    catalog = fixture_catalog();
    fixture_need(inference_constants_load(catalog, &constants, &err), &err);
    prompts();
    few_tokens();
    without_kernels();
    steps();
    catalog_free(catalog);
    return tap_done();
}
