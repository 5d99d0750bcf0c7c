/* What a model's or an engine's description adds to a step: kernels of its layers, copies for
 * experts, arithmetic of a format, messages. */
#include "estimate/inference/inference.h"

#include "fixture.h"
#include "serving_fixture.h"
#include "tap.h"

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

static double launch_of(const char *model, enum number weights)
{
    struct inference_job job = job_of(model, "b200-sxm", 8, weights, ENGINE_VLLM);
    struct inference i = inference_of(&constants, &job);

    return inference_step(&i, 1, 1).launch;
}

static void launches(void)
{
    double block = *inference_constant(&constants, "o_block", "") * 1e-6,
           index = *inference_constant(&constants, "o_index", "") * 1e-6,
           *shared = inference_constant(&constants, "o_shared", "");

    ok(block > 0 && index > 0, "both take time");
    near(launch_of("deepseek-v3", NUMBER_FP8) - launch_of("deepseek-v3", NUMBER_BF16), 58 * block,
         "a scale per block of experts in FP8");
    near(launch_of("qwen3-235b-a22b", NUMBER_FP8) - launch_of("qwen3-235b-a22b", NUMBER_FP4),
         94 * block, "also where FP8 is a conversion");
    ok(launch_of("llama-3.1-70b", NUMBER_FP8) == launch_of("llama-3.1-70b", NUMBER_BF16),
       "no experts, no grouped products");
    near(launch_of("deepseek-v3.2", NUMBER_BF16) - launch_of("deepseek-v3", NUMBER_BF16),
         61 * index, "an indexer in each layer");
    double deepseek = launch_of("deepseek-v3", NUMBER_BF16),
           qwen = launch_of("qwen3-235b-a22b", NUMBER_BF16);
    *shared += 10;
    near(launch_of("deepseek-v3", NUMBER_BF16) - deepseek, 58 * 10e-6, "a shared expert a layer");
    ok(launch_of("qwen3-235b-a22b", NUMBER_BF16) == qwen, "none is shared");
    *shared -= 10;
}

/* Copies of tokens are sorted and added up, on every GPU that holds a part of each expert. */
static void routing(void)
{
    double *passes = inference_constant(&constants, "c_route", ""), was = *passes;
    struct inference_job job =
        job_of("qwen3-235b-a22b", "h100-sxm5-80gb", 8, NUMBER_FP8, ENGINE_VLLM);
    *passes = 0;
    double none = inference_of(&constants, &job).prefill.marginal;
    *passes = 4;
    struct inference i = inference_of(&constants, &job);
    double one = 94.0 * 8 * 4096 * 2 * 4 / (constants.e_mem * job.gpu->memory_bandwidth);

    near(inference_step(&i, 16, 512).routing, 16 * one, "94 layers, 8 copies, 4096 wide, 4 passes");
    near(i.prefill.marginal - none, 512 * one, "of a prompt too");
    job.tensor = 4;
    i = inference_of(&constants, &job);
    near(inference_step(&i, 16, 512).routing, 16 * one, "however many GPUs share each expert");
    job.attention_data = 4;
    i = inference_of(&constants, &job);
    near(inference_step(&i, 16, 512).routing, 4 * one, "but where each expert is on one GPU");
    job = job_of("llama-3.1-70b", "h100-sxm5-80gb", 8, NUMBER_FP8, ENGINE_VLLM);
    i = inference_of(&constants, &job);
    ok(inference_step(&i, 16, 512).routing == 0, "no experts, no copies");
    *passes = was;
}

/* Arithmetic of the weights' own format has a share of its own; widened weights have that of 16
 * bit. */
static void shares(void)
{
    struct inference_job job = job_of("gpt-oss-120b", "h100-sxm5-80gb", 2, NUMBER_FP4, ENGINE_VLLM);

    near(inference_of(&constants, &job).gemm_share, constants.e_gemm, "H100 widens FP4");
    job.gpu = catalog_gpu(catalog, "b200-sxm");
    near(inference_of(&constants, &job).gemm_share, constants.e_gemm * constants.f_fp4,
         "B200 multiplies FP4");
}

/* One kernel reduces, adds and norms under TensorRT-LLM; what goes to experts is not reduced. */
static void fused(void)
{
    double *fused = inference_constant(&constants, "f_fused", ""), was = *fused;
    struct inference_job job =
        job_of("qwen3-235b-a22b", "h100-sxm5-80gb", 8, NUMBER_FP8, ENGINE_TENSORRT_LLM);
    *fused = 0.5;
    near(inference_of(&constants, &job).all_reduce_seconds, 0.5 * 3 * constants.a_nv_us * 1e-6,
         "fused");
    job.attention_data = 2;
    near(inference_of(&constants, &job).exchange_seconds, 3 * constants.a_nv_us * 1e-6,
         "no sum to fuse");
    job.attention_data = 1;
    job.engine = ENGINE_VLLM;
    near(inference_of(&constants, &job).all_reduce_seconds, 3 * constants.a_nv_us * 1e-6,
         "a kernel of its own");
    *fused = was;
}

/* Within a node all tokens go to all GPUs; beyond it a token goes to those of its experts. */
static void exchanges(void)
{
    struct inference_job job =
        job_of("qwen3-235b-a22b", "gb200-nvl72", 16, NUMBER_FP8, ENGINE_VLLM);

    job.attention_data = 16;
    job.gpus_per_node = 16;
    double all = inference_of(&constants, &job).prefill.all_reduce;
    job.gpus_per_node = 4;
    near(inference_of(&constants, &job).prefill.all_reduce * 2, all, "8 of 16 GPUs");
}

int main(void)
{
    struct err err = {0};

    catalog = fixture_catalog();
    fixture_need(inference_constants_load(catalog, &constants, &err), &err);
    launches();
    routing();
    shares();
    fused();
    exchanges();
    catalog_free(catalog);
    return tap_done();
}
