/* What the release of an engine changes, its kernels for experts and norms, and SGLang's own time.
 */
#include "estimate/inference/release.h"

#include "fixture.h"
#include "serving_fixture.h"
#include "tap.h"

#include <string.h>

static struct catalog *catalog;
static struct inference_constants constants;

/* Relative, also below one. */
static void near(double got, double want, const char *what)
{
    is_near(got / want, 1, 1e-6, "%s is %.9g", what, want);
}

static struct inference_job job_of(const char *model, const char *gpu, double tensor,
                                   enum number weights, enum engine engine)
{
    struct inference_job job = fixture_serving(catalog, &constants, model, gpu, weights).job;

    job.tensor = tensor;
    job.pipeline = 1;
    job.engine = engine;
    return job;
}

static void versions(void)
{
    ok(release_is_version("0.6") && release_is_version("v1.2.0rc6"), "two numbers or more");
    ok(!release_is_version("2026") && !release_is_version("0.") &&
           !release_is_version("May 2024") && !release_is_version("99999999999.1") &&
           !release_is_version(""),
       "other text is none");
    ok(release_matters(ENGINE_VLLM) && release_matters(ENGINE_TENSORRT_LLM) &&
           !release_matters(ENGINE_SGLANG),
       "of two engines");
}

/* vLLM before V1 plans each step while the GPU waits. */
static void before_v1(void)
{
    struct inference_job job =
        job_of("llama-3.1-8b", "h100-sxm5-80gb", 1, NUMBER_BF16, ENGINE_VLLM);
    struct inference i = inference_of(&constants, &job);
    double today = inference_step(&i, 32, 1000).total,
           u = inference_interval(&i, INTERVAL_SERVED_DENSE);

    release_apply(&job, "0.8.0");
    release_apply(&job, "2026");
    release_apply(&job, "");
    ok(!job.host_between_steps, "V1 from 0.8 on, and where no release is said");
    release_apply(&job, "v0.7.3");
    i = inference_of(&constants, &job);
    near(inference_step(&i, 32, 1000).total - today,
         1e-6 * (constants.o_before_v1_us + 32 * constants.b_before_v1_us),
         "before that the host's time of the step and of each request");
    near(inference_interval(&i, INTERVAL_SERVED_DENSE), u * u, "whose processor is not known");
    job.receive_interval = 8;
    i = inference_of(&constants, &job);
    near(inference_step(&i, 32, 1000).total - today, 1e-6 * constants.o_before_v1_us / 8,
         "eight steps planned at once: requests' tokens are taken while the GPU runs");
    job = job_of("llama-3.1-8b", "h100-sxm5-80gb", 1, NUMBER_BF16, ENGINE_SGLANG);
    release_apply(&job, "0.4");
    ok(!job.host_between_steps && !job.built_engine && !job.early_experts, "of vLLM alone");
}

static void compiled(void)
{
    struct inference_job job =
        job_of("llama-3.1-8b", "h100-sxm5-80gb", 1, NUMBER_FP8, ENGINE_TENSORRT_LLM);

    release_apply(&job, "1.0.0rc3");
    ok(!job.built_engine, "TensorRT-LLM runs PyTorch from 0.20 on");
    release_apply(&job, "0.17");
    ok(job.built_engine, "and compiled engines before");
}

static double experts_of(const char *model, enum number weights, const char *release)
{
    struct inference_job job = job_of(model, "b200-sxm", 8, weights, ENGINE_TENSORRT_LLM);

    release_apply(&job, release);
    return inference_of(&constants, &job).moe_launch_seconds;
}

/* In FP8 TensorRT-LLM's fused kernel is chosen on Blackwell for blocks with a scale each. */
static void experts(void)
{
    double apart = constants.o_shared_apart_us - constants.o_shared_us;

    near(experts_of("deepseek-r1", NUMBER_FP8, "1.1.0rc2") -
             experts_of("deepseek-r1", NUMBER_FP8, ""),
         58e-6 * apart, "by DeepGEMM before 1.2, 58 layers");
    near(experts_of("deepseek-r1", NUMBER_FP8, "1.2.0rc6"),
         experts_of("deepseek-r1", NUMBER_FP8, ""), "fused since");
    near(experts_of("deepseek-r1", NUMBER_FP4, "1.1"), experts_of("deepseek-r1", NUMBER_FP4, ""),
         "in FP4 always");
    struct inference_job groups =
        job_of("deepseek-r1", "b200-sxm", 8, NUMBER_FP8, ENGINE_TENSORRT_LLM);
    groups.attention_data = 8;
    near(inference_of(&constants, &groups).moe_launch_seconds,
         experts_of("deepseek-r1", NUMBER_FP8, "1.1"), "nor with data-parallel attention");
    struct inference_job job = job_of("glm-4.6", "b200-sxm", 8, NUMBER_FP8, ENGINE_TENSORRT_LLM);
    double b200 = inference_of(&constants, &job).moe_launch_seconds;
    ok(!job.shape.blocks_published, "GLM-4.6 is not published in blocks");
    job.gpu = catalog_gpu(catalog, "h200-sxm5-141gb");
    near(b200, inference_of(&constants, &job).moe_launch_seconds, "so launched as on Hopper");
}

/* Which kernels of experts TensorRT-LLM chose in FP4 its runs do not state. */
static void intervals(void)
{
    struct inference_job job =
        job_of("gpt-oss-120b", "h100-sxm5-80gb", 4, NUMBER_FP4, ENGINE_TENSORRT_LLM);
    struct inference fp4 = inference_of(&constants, &job);
    double u = constants.interval[INTERVAL_SERVED_MOE_TENSORRT_LLM_FP4];

    near(inference_load_interval(&fp4, 16), u, "so that they vary more");
    near(inference_load_interval(&fp4, 1), u, "alone too");
    job.engine = ENGINE_VLLM;
    struct inference vllm = inference_of(&constants, &job);
    near(inference_load_interval(&vllm, 16), constants.interval[INTERVAL_SERVED_MOE],
         "than vLLM's");
}

static const char *kernel_of(const char *model, const char *gpu, enum number weights,
                             enum engine engine, const char *release)
{
    struct inference_job job = job_of(model, gpu, 8, weights, engine);

    release_apply(&job, release);
    const char *key = inference_expert_kernel(&constants, &job).key;
    return key ? key : "";
}

static void is_kernel(const char *key, const char *expected, const char *what)
{
    ok(strcmp(key, expected) == 0, "%s", what);
}

/* On GPUs without FP4 arithmetic engines multiply experts with Triton's and Marlin's kernels. */
static void expert_kernels(void)
{
    const char *hopper = "h200-sxm5-141gb", *ampere = "a100-sxm4-80gb", *many = "qwen3-235b-a22b";
    enum engine vllm = ENGINE_VLLM, sglang = ENGINE_SGLANG;

    is_kernel(kernel_of(many, hopper, NUMBER_BF16, vllm, "0.16.1"), "f_untuned", "until 0.16");
    is_kernel(kernel_of(many, hopper, NUMBER_BF16, vllm, "0.17.0"), "", "tuned since");
    is_kernel(kernel_of(many, hopper, NUMBER_BF16, vllm, ""), "", "as without a release");
    is_kernel(kernel_of("mixtral-8x7b-v0.1", hopper, NUMBER_BF16, vllm, "0.11"), "",
              "eight experts were tuned before");
    is_kernel(kernel_of(many, hopper, NUMBER_BF16, sglang, "0.5.3"), "", "vLLM's alone");
    is_kernel(kernel_of(many, "b200-sxm", NUMBER_BF16, vllm, "0.11"), "", "not with FP4");
    is_kernel(kernel_of(many, "mi300x", NUMBER_BF16, vllm, "0.11"), "", "NVIDIA's alone");
    is_kernel(kernel_of(many, hopper, NUMBER_FP8, vllm, ""), "f_block_triton", "FP8 in blocks");
    is_kernel(kernel_of(many, hopper, NUMBER_FP8, sglang, ""), "", "SGLang has DeepGEMM");
    is_kernel(kernel_of(many, ampere, NUMBER_FP8, sglang, ""), "f_marlin", "no FP8 arithmetic");
    is_kernel(kernel_of(many, hopper, NUMBER_INT4, vllm, ""), "f_marlin", "INT4");
    is_kernel(kernel_of("gpt-oss-120b", ampere, NUMBER_FP4, vllm, ""), "f_marlin", "MXFP4");
    is_kernel(kernel_of("gpt-oss-120b", hopper, NUMBER_FP4, vllm, ""), "", "was measured");
    is_kernel(kernel_of(many, ampere, NUMBER_INT4, ENGINE_LLAMA_CPP, ""), "", "not llama.cpp");
    is_kernel(kernel_of("llama-3.1-70b", ampere, NUMBER_INT4, vllm, ""), "", "not dense models");
    struct inference_job job = job_of(many, hopper, 8, NUMBER_BF16, vllm);
    const struct model_shape *s = &job.shape;
    double experts = 94 * 8 * s->expert_weights,
           part = experts / (94 * s->attention_weights + experts);
    release_apply(&job, "0.11");
    near(inference_of(&constants, &job).gemm_share,
         constants.e_gemm / (1 - part + part / constants.f_untuned), "their part is as slow");
}

/* Under TensorRT-LLM a GPU that holds whole experts sorts their tokens alone. */
static void whole_experts(enum engine engine, bool divided)
{
    struct inference_job job = job_of("qwen3-235b-a22b", "h200-sxm5-141gb", 8, NUMBER_FP8, engine);
    struct inference all = inference_of(&constants, &job);

    job.whole_experts = true;
    struct inference whole = inference_of(&constants, &job);
    near(inference_step(&whole, 64, 1000).routing / inference_step(&all, 64, 1000).routing,
         divided ? whole.busiest / 8 : 1, "copies of a step over those of undivided experts");
    near(whole.prefill.routing / all.prefill.routing, divided ? whole.busiest / 8 : 1,
         "of a prompt");
    ok((whole.busiest > 1) == divided, "the GPU with the most tokens decides");
    job.tensor = 1;
    near(inference_of(&constants, &job).busiest, 1, "one GPU has them all");
}

/* The residual passes through memory whole on each GPU, in 16 bit whatever the weights. */
static void norms(void)
{
    struct inference_job job =
        job_of("llama-3.1-70b", "h100-sxm5-80gb", 8, NUMBER_FP8, ENGINE_VLLM);
    struct inference one = inference_of(&constants, &job), other;
    double bytes = 2 * 2 * 2.0 * 80 * 8192 * job.input_tokens, norms = one.prefill.norms;

    near(norms, bytes / (one.memory_share * job.gpu->memory_bandwidth), "two norms a layer");
    near(one.prefill.marginal,
         one.prefill.gemm + norms + one.prefill.attention + one.prefill.all_reduce, "and counted");
    job.tensor = 1;
    job.weight_format = NUMBER_BF16;
    other = inference_of(&constants, &job);
    near(other.prefill.norms, norms, "tensor parallelism divides none, the format changes none");
    job.tensor = job.attention_data = 8;
    other = inference_of(&constants, &job);
    near(other.prefill.norms, norms / 8, "groups that attend on their own have each its prompts");
    near(other.prefill.shared, other.prefill.gemm + other.prefill.norms + other.prefill.attention,
         "of the group's GPUs");
    job.attention_data = 1;
    job.engine = ENGINE_LLAMA_CPP;
    ok(inference_of(&constants, &job).prefill.norms == 0, "llama.cpp's passes stay in the cache");
}

static double request_of(const char *model, const char *gpu, enum engine engine)
{
    struct inference_job job = job_of(model, gpu, 8, NUMBER_FP8, engine);

    return inference_of(&constants, &job).request_seconds;
}

/* Dense models hide the host under SGLang; on AMD's GPUs little is known of it. */
static void under_sglang(void)
{
    const char *dense = "llama-3.1-70b", *mixture = "qwen3-235b-a22b", *h200 = "h200-sxm5-141gb";
    struct inference_job job = job_of(dense, "mi300x", 8, NUMBER_FP8, ENGINE_SGLANG);

    near(request_of(dense, h200, ENGINE_SGLANG), request_of(dense, h200, ENGINE_VLLM), "dense");
    near(request_of(mixture, h200, ENGINE_SGLANG) - request_of(mixture, h200, ENGINE_VLLM),
         constants.b_sglang_us * 1e-6, "a request of a mixture");
    double layer = constants.o_engine_us[ENGINE_SGLANG] + constants.o_sglang_amd_us;

    near(inference_doubt(&job), 4, "an interval for a factor of two");
    near(inference_of(&constants, &job).launch_seconds, 80e-6 * layer, "and kernels of each layer");
    job.engine = ENGINE_VLLM;
    near(inference_doubt(&job), 2, "AMD under vLLM");
    job = job_of(dense, h200, 8, NUMBER_FP8, ENGINE_SGLANG);
    near(inference_doubt(&job), 1, "NVIDIA under SGLang");
}

int main(void)
{
    struct err err = {0};

    catalog = fixture_catalog();
    fixture_need(inference_constants_load(catalog, &constants, &err), &err);
    versions();
    before_v1();
    compiled();
    experts();
    intervals();
    expert_kernels();
    whole_experts(ENGINE_TENSORRT_LLM, true);
    whole_experts(ENGINE_SGLANG, false);
    norms();
    under_sglang();
    catalog_free(catalog);
    return tap_done();
}
