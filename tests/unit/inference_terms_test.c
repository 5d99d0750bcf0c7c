/* What a model's or an engine's description adds to a step: kernels of its layers, copies for
 * experts, arithmetic of a format, messages. */
#include "estimate/inference/inference.h"

#include "fixture.h"
#include "serving_fixture.h"
#include "tap.h"

#include <math.h>

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
    near(launch_of("qwen3-235b-a22b", NUMBER_FP8) - launch_of("qwen3-235b-a22b", NUMBER_BF16),
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

/* TensorRT-LLM in FP8 launches each kernel of router and shared experts where the GPU has no FP4.
 */
static void shared_apart(void)
{
    struct inference_job job =
        job_of("deepseek-r1", "h200-sxm5-141gb", 8, NUMBER_FP8, ENGINE_TENSORRT_LLM);
    double more = 58e-6 * (constants.o_shared_apart_us - constants.o_shared_us),
           apart = inference_of(&constants, &job).moe_launch_seconds;

    ok(more > 0, "they take longer than one by one");
    job.engine = ENGINE_SGLANG;
    near(apart - inference_of(&constants, &job).moe_launch_seconds, more, "58 layers of kernels");
    job.engine = ENGINE_TENSORRT_LLM;
    job.gpu = catalog_gpu(catalog, "b200-sxm");
    near(apart - inference_of(&constants, &job).moe_launch_seconds, more,
         "one kernel on Blackwell");
    job = job_of("qwen3-235b-a22b", "h200-sxm5-141gb", 8, NUMBER_FP8, ENGINE_TENSORRT_LLM);
    near(inference_of(&constants, &job).moe_launch_seconds,
         94e-6 * (constants.o_moe_us + constants.o_block_us), "no expert is shared");
}

/* Of mixtures under vLLM only those in FP4 are in the fit. */
static void unfitted_mixtures(void)
{
    struct inference_job job =
        job_of("qwen3-235b-a22b", "h100-sxm5-80gb", 4, NUMBER_FP8, ENGINE_VLLM);
    struct inference wide = inference_of(&constants, &job);
    double u = constants.interval[INTERVAL_SERVED_MOE];

    near(inference_load_interval(&wide, 16), u * u, "a mixture in FP8 under vLLM");
    near(inference_load_interval(&wide, 1), u * u, "alone too");
    job.engine = ENGINE_SGLANG;
    struct inference sglang = inference_of(&constants, &job);
    near(inference_load_interval(&sglang, 16), u, "under SGLang there are such runs");
    near(inference_load_interval(&sglang, 1), u, "a mixture alone, not one dense stream");
    job = job_of("gpt-oss-120b", "h100-sxm5-80gb", 4, NUMBER_FP4, ENGINE_VLLM);
    struct inference fitted = inference_of(&constants, &job);
    near(inference_load_interval(&fitted, 16), u, "and in FP4 under vLLM");
    job = job_of("llama-3.1-70b", "h100-sxm5-80gb", 4, NUMBER_FP8, ENGINE_VLLM);
    struct inference dense = inference_of(&constants, &job);
    near(inference_load_interval(&dense, 16), constants.interval[INTERVAL_SERVED_DENSE],
         "and dense models");
    near(inference_load_interval(&dense, 1), constants.interval[INTERVAL_ONE_STREAM],
         "a dense model alone");
    job.engine = ENGINE_SGLANG;
    struct inference of_sglang = inference_of(&constants, &job);
    near(inference_load_interval(&of_sglang, 16), constants.interval[INTERVAL_SERVED_DENSE_SGLANG],
         "SGLang has its own");
    job.engine = ENGINE_TENSORRT_LLM;
    struct inference of_tensorrt = inference_of(&constants, &job);
    near(inference_load_interval(&of_tensorrt, 16),
         constants.interval[INTERVAL_SERVED_DENSE_TENSORRT_LLM], "and so has TensorRT-LLM");
    near(inference_load_interval(&of_tensorrt, 1), constants.interval[INTERVAL_ONE_STREAM],
         "but not alone");
}

/* A latent cached in FP8 is multiplied so on Blackwell. */
static void attention(void)
{
    struct inference_job job =
        job_of("deepseek-r1", "b200-sxm", 8, NUMBER_FP4, ENGINE_TENSORRT_LLM);
    struct inference wide = inference_of(&constants, &job);
    double peaks = job.gpu->peak[PEAK_FP8] / wide.peak_16bit;

    job.kv_format = NUMBER_FP8;
    struct inference narrow = inference_of(&constants, &job);
    near(inference_attention_seconds(&wide, 64, 1000),
         peaks * inference_attention_seconds(&narrow, 64, 1000), "at the peak of FP8");
    job.gpu = catalog_gpu(catalog, "h200-sxm5-141gb");
    ok(!inference_attends_in_fp8(&job), "not on Hopper");
    job = job_of("gpt-oss-120b", "b200-sxm", 8, NUMBER_FP4, ENGINE_VLLM);
    job.kv_format = NUMBER_FP8;
    ok(!inference_attends_in_fp8(&job), "nor without a latent");
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
    near(inference_step(&i, 16, 512).routing, 4 * one * i.busiest,
         "but where each expert is on one GPU, and the busiest decides");
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

/* FP4 that the GPU multiplies: dense layers quantise what goes in, experts take one kernel. */
static void fp4(void)
{
    double quantise = *inference_constant(&constants, "o_quant", "") * 1e-6,
           experts = *inference_constant(&constants, "o_moe", "") * 1e-6,
           fused = *inference_constant(&constants, "f_experts", "");
    struct inference_job widened =
                             job_of("gpt-oss-120b", "h100-sxm5-80gb", 8, NUMBER_FP4, ENGINE_VLLM),
                         multiplied = widened;

    multiplied.gpu = catalog_gpu(catalog, "b200-sxm");
    near(launch_of("llama-3.1-70b", NUMBER_FP4) - launch_of("llama-3.1-70b", NUMBER_BF16),
         80 * quantise, "each dense layer quantises");
    near(launch_of("qwen3-32b", NUMBER_FP8) - launch_of("qwen3-32b", NUMBER_BF16), 64 * quantise,
         "so it does in FP8 with a scale per block");
    near(launch_of("llama-3.1-70b", NUMBER_FP8), launch_of("llama-3.1-70b", NUMBER_BF16),
         "but not with a scale per matrix");
    near(launch_of("gpt-oss-120b", NUMBER_BF16) - launch_of("gpt-oss-120b", NUMBER_FP4),
         36 * experts * (1 - fused), "one kernel for the experts of a layer");
    struct inference_job triton = widened;
    triton.engine = ENGINE_TENSORRT_LLM;
    near(inference_of(&constants, &triton).moe_launch_seconds -
             inference_of(&constants, &widened).moe_launch_seconds,
         36e-6 * constants.o_widen_us, "Triton's kernels under TensorRT-LLM");
    near(inference_of(&constants, &widened).moe_launch_seconds -
             inference_of(&constants, &multiplied).moe_launch_seconds,
         36 * experts * (1 - fused), "where FP4 is widened there are more");
}

/* Layers that keep a state pass it on from chunk to chunk of a prompt, at the rate of vector units.
 */
static void scan(void)
{
    struct inference_job job = job_of("qwen3.6-27b", "h200-sxm5-141gb", 1, NUMBER_BF16,
                                      ENGINE_SGLANG),
                         fp8 = job, on_tpu = job,
                         dense =
                             job_of("qwen3-32b", "h200-sxm5-141gb", 1, NUMBER_BF16, ENGINE_SGLANG);
    double work = 48.0 * job.shape.recurrent_state_elements * constants.c_scan;

    job.input_tokens = fp8.input_tokens = on_tpu.input_tokens = dense.input_tokens = 8192;
    fp8.weight_format = NUMBER_FP8;
    on_tpu.gpu = catalog_gpu(catalog, "tpu-v6e");
    struct inference one = inference_of(&constants, &job);
    const struct prefill *p = &one.prefill;
    near(p->scan, work * 8192 / job.gpu->peak[PEAK_FP32], "one GPU");
    near(p->marginal - p->norms - p->gemm - p->attention, p->scan, "and counted: nothing else");
    near(inference_of(&constants, &fp8).prefill.scan, p->scan, "as long in FP8");
    ok(!(inference_of(&constants, &dense).prefill.scan > 0), "no state, no scan");
    ok(isfinite(inference_of(&constants, &on_tpu).prefill.one), "left out where FP32 is not known");
    job.tensor = 4;
    near(inference_of(&constants, &job).prefill.scan, p->scan / 4,
         "each GPU has a part of the heads");
    job.cached_ratio = 0.5;
    near(inference_of(&constants, &job).prefill.scan, p->scan / 8,
         "cached tokens keep their state");
}

/* Kernels of experts for AMD GPUs without FP4 arithmetic are launched more and read more slowly. */
static void early_amd_experts(void)
{
    struct inference_job job = job_of("gpt-oss-120b", "mi300x", 8, NUMBER_FP4, ENGINE_VLLM),
                         later = job,
                         dense = job_of("llama-3.1-70b", "mi300x", 8, NUMBER_FP8, ENGINE_VLLM);
    struct inference early = inference_of(&constants, &job);
    double layer = 36e-6 * (constants.o_moe_us + constants.o_experts_amd_us),
           met = inference_distinct_experts(&job.shape, 64),
           bytes = early.bytes.fixed + met * early.bytes.expert / constants.f_experts_amd;

    near(early.moe_launch_seconds, layer, "kernels of a layer of experts");
    near(inference_step(&early, 64, 1024).weights,
         bytes / (8 * early.weight_share * job.gpu->memory_bandwidth), "experts are read at less");
    ok(!(inference_of(&constants, &dense).expert_reads > 0), "a dense model has none");
    later.gpu = catalog_gpu(catalog, "mi355x");
    struct inference with_fp4 = inference_of(&constants, &later);
    near(with_fp4.expert_reads, with_fp4.bytes.expert, "MI355X multiplies FP4");
    job.engine = ENGINE_LLAMA_CPP;
    struct inference own = inference_of(&constants, &job);
    near(own.expert_reads, own.bytes.expert, "llama.cpp has kernels of its own");
}

/* With equal peaks, the GPU with more power multiplies faster; AMD measured 1.19. */
static void power_bounds_amd(void)
{
    struct inference_job job = job_of("llama-2-70b", "mi300x", 1, NUMBER_FP8, ENGINE_VLLM);
    double less = inference_of(&constants, &job).gemm_share;

    near(less, constants.e_gemm * constants.f_fp8 * constants.f_amd, "f_amd rests on the MI300X");
    job.gpu = catalog_gpu(catalog, "mi325x");
    is_near(inference_of(&constants, &job).gemm_share / less, 1.19, 0.005, "MI325X, 1,000 W");
    job.engine = ENGINE_LLAMA_CPP;
    ok(!inference_power_bounds_amd(&job), "llama.cpp was fitted to other cards");
}

/* A PCIe card of 350 W keeps its clock less than the SXM5 of 700 W. */
static void power_bounds_hopper(void)
{
    struct inference_job job = job_of("llama-2-70b", "h100-sxm5-80gb", 2, NUMBER_FP8, ENGINE_VLLM);
    double whole = inference_of(&constants, &job).gemm_share;

    near(whole, constants.e_gemm * constants.f_fp8, "e_gemm rests on the H100 SXM5");
    job.gpu = catalog_gpu(catalog, "h100-pcie-80gb");
    is_near(inference_of(&constants, &job).gemm_share / whole, 0.771, 0.002, "H100 PCIe, 350 W");
    job.gpu = catalog_gpu(catalog, "h200-nvl-141gb");
    near(inference_of(&constants, &job).gemm_share, whole, "H200 NVL, 600 W");
    job.gpu = catalog_gpu(catalog, "b200-sxm");
    near(inference_of(&constants, &job).gemm_share, whole,
         "not Blackwell, which is made in a different process");
}

/* Experts spread over GPUs wait for the busiest, which has the more the fewer experts it holds. */
static void busiest_gpu(void)
{
    struct inference_job job =
        job_of("qwen3-235b-a22b", "h200-sxm5-141gb", 8, NUMBER_FP8, ENGINE_TENSORRT_LLM);
    struct inference even = inference_of(&constants, &job);

    near(even.busiest, 1, "each GPU holds a slice of every expert");
    job.attention_data = 8;
    struct inference i = inference_of(&constants, &job);
    is_near(i.busiest, 1 + (constants.uneven - 1) * 1.427 / 2.0226 / sqrt(2), 0.001,
            "eight GPUs with 16 experts each");
    double part = model_shape_expert_fraction(&job.shape);
    near(inference_step(&i, 64, 1000).gemm,
         inference_step(&even, 64, 1000).gemm * (1 + part * (i.busiest - 1)),
         "their products wait");
    job.separate_prefill = true;
    i = inference_of(&constants, &job);
    ok(i.busiest > 1 && inference_prompt_busiest(&i) == 1,
       "replicas that write wait too, those that read have a factor of their own");
}

/* Popular experts are met again, so fewer are read than by even routing; one token meets its own.
 */
static void distinct(void)
{
    struct model_shape shape = model_shape_of(catalog_model(catalog, "qwen3-235b-a22b"));

    near(inference_distinct_experts(&shape, 1), 8, "of one token, of 128");
    near(inference_distinct_experts(&shape, 17), 128 - 120 / 2.0, "one in each expert on average");
    ok(inference_distinct_experts(&shape, 1e6) > 127.9, "all in the end");
    for (double tokens = 2; tokens < 1000; tokens *= 2) {
        double met = inference_distinct_experts(&shape, tokens);
        ok(met > inference_distinct_experts(&shape, tokens / 2), "more with more");
        ok(met < 128 * (1 - pow(1 - 8.0 / 128, tokens)), "fewer than by even routing");
    }
}

/* A layer with a window attends to no more than it holds, one with a state to nothing. */
static void attended(void)
{
    struct model_shape sliding = model_shape_of(catalog_model(catalog, "gpt-oss-120b")),
                       linear = model_shape_of(catalog_model(catalog, "qwen3.5-397b-a17b"));

    near(model_shape_attended(&sliding, 10000), 18 * 10000.0 + 18 * 128, "18 of 36 layers slide");
    near(model_shape_attended(&sliding, 100), 36 * 100.0, "a context that the window holds");
    near(model_shape_attended(&linear, 10000), 15 * 10000.0, "45 of 60 layers keep a state");
    struct inference_job job = job_of("gpt-oss-120b", "b200-sxm", 8, NUMBER_FP4, ENGINE_VLLM);
    struct inference i = inference_of(&constants, &job);
    near(inference_step(&i, 1, 1e6).attention,
         2 * sliding.heads * sliding.decode_head_work * (18e6 + 18 * 128) /
             (8 * constants.e_attn * i.peak_16bit),
         "what a step multiplies");
}

/* Blackwell's tensor cores know no scale per block of FP8: experts' products are slower. */
static void block_experts(void)
{
    struct inference_job job = job_of("qwen3-235b-a22b", "b200-sxm", 8, NUMBER_FP8, ENGINE_SGLANG);
    const struct model_shape *s = &job.shape;
    double whole = constants.e_gemm * constants.f_fp8, f = constants.f_block,
           experts = 94 * 8 * s->expert_weights,
           part = experts / (94 * s->attention_weights + experts);
    struct inference i = inference_of(&constants, &job);

    near(i.gemm_share, whole / (1 - part + part / f), "block-scaled experts under SGLang");
    ok(inference_is_weak(&job), "their interval is squared");
    job.engine = ENGINE_TENSORRT_LLM;
    i = inference_of(&constants, &job);
    near(i.gemm_share, whole, "TensorRT-LLM converts the scales");
    ok(inference_is_weak(&job), "but its kernels change too");
    job.engine = ENGINE_SGLANG;
    job.gpu = catalog_gpu(catalog, "h200-sxm5-141gb");
    i = inference_of(&constants, &job);
    near(i.gemm_share, whole, "Hopper adds such products in FP32 anyway");
    ok(!inference_is_weak(&job), "and was measured");
    job.gpu = catalog_gpu(catalog, "b200-sxm");
    job.weight_format = NUMBER_FP4;
    ok(inference_is_weak(&job), "SGLang's kernels for Blackwell change in any format");
    job.engine = ENGINE_TENSORRT_LLM;
    ok(!inference_is_weak(&job), "TensorRT-LLM's in FP4 were measured");
    job = job_of("llama-3.1-70b", "b200-sxm", 8, NUMBER_FP8, ENGINE_SGLANG);
    i = inference_of(&constants, &job);
    ok(fabs(i.gemm_share / whole - 1) < 1e-9 && !inference_is_weak(&job), "no experts, no doubt");
    job = job_of("qwen3-235b-a22b", "rtx-pro-6000-blackwell-server", 8, NUMBER_FP8, ENGINE_SGLANG);
    i = inference_of(&constants, &job);
    near(i.gemm_share, whole, "cards with GDDR multiply blocks as fast as other weights");
}

/* Groups that attend on their own read prompts together, after timeout_iters steps at the latest.
 */
static void balanced(void)
{
    struct inference_job job =
        job_of("deepseek-r1", "b200-sxm", 8, NUMBER_FP4, ENGINE_TENSORRT_LLM);

    job.open_arrivals = false;
    job.output_tokens = 1000;
    struct inference i = inference_of(&constants, &job);
    near(inference_balance_interval(&i, 256), 1, "all attend together");
    inference_shard(&i, 8, 8, 1);
    near(inference_balance_interval(&i, 256), 8 * 1000.0 / 256, "as long as eight prompts take");
    near(inference_balance_interval(&i, 16), constants.balance_steps, "not longer than the limit");
    i.job.engine = ENGINE_VLLM;
    near(inference_balance_interval(&i, 256), 1, "only TensorRT-LLM");
    i.job.engine = ENGINE_TENSORRT_LLM;
    i.job.open_arrivals = true;
    near(inference_balance_interval(&i, 256), 1, "and only as it is benchmarked");
}

/* llama.cpp has a share that falls with the FLOP/s per watt, never uses FP4 arithmetic, and
 * launches a step at once. Its build of May 2024 moved scores and widened weights through memory.
 */
static void llama_cpp(void)
{
    struct inference_job job = job_of("llama-3.1-8b", "rtx-4090", 1, NUMBER_INT4, ENGINE_LLAMA_CPP);
    struct inference now = inference_of(&constants, &job);
    double bandwidth = job.gpu->memory_bandwidth, tokens = job.input_tokens;

    near(now.gemm_share,
         constants.e_gemm * constants.l_gemm /
             pow(now.peak / 1e12 / job.gpu->tdp, constants.l_power),
         "330 TFLOP/s of 450 W");
    near(now.launch_seconds, 32e-6 * constants.o_engine_us[ENGINE_COMPILED], "CUDA graphs");
    job.early_kernels = true;
    struct inference then = inference_of(&constants, &job);
    double passes = ceil(tokens / 512), moved = 4 * now.body_weights * passes;
    near(then.launch_seconds, 32e-6 * constants.o_engine_us[ENGINE_LLAMA_CPP], "none then");
    near(then.prefill.weights - now.prefill.weights, moved / (now.memory_share * bandwidth),
         "weights were written in 16 bit and read again");
    near(then.prefill.attention,
         32 * 32 * tokens * (tokens + fmin(tokens, 512)) / 2 * constants.l_score /
             (now.memory_share * bandwidth),
         "and scores too");
    job = job_of("gpt-oss-20b", "dgx-spark", 1, NUMBER_FP4, ENGINE_LLAMA_CPP);
    now = inference_of(&constants, &job);
    near(now.peak, now.peak_16bit, "widened, though the GPU multiplies FP4");
    near(now.memory_share, constants.e_mem, "LPDDR is no GDDR");
}

/* Passes that read prompts are launched kernel by kernel under TensorRT-LLM: one for each request
 * that comes while steps are enough, or as many as hold its prompt. */
static void eager(void)
{
    struct inference_job job =
        job_of("qwen3-235b-a22b", "h200-sxm5-141gb", 8, NUMBER_FP8, ENGINE_TENSORRT_LLM);
    double layers = 94e-6 * constants.o_eager_us, batch;

    job.input_tokens = 2048;
    job.output_tokens = 1000;
    struct inference i = inference_of(&constants, &job);
    near(inference_eager_seconds(&i, 500), layers, "a pass of its own");
    near(inference_eager_seconds(&i, 2000), layers / 2, "1,000 steps let 2,000 in");
    near(inference_eager_seconds(&i, 8000), layers / 4, "a pass of 8,192 tokens holds 4");
    double shown = inference_offline(&i, &batch), each = inference_eager_seconds(&i, batch);
    i.job.built_engine = true;
    ok(inference_eager_seconds(&i, 500) == 0, "compiled engines launch no kernel from Python");
    near(job.output_tokens / shown - job.output_tokens / inference_offline(&i, &batch), each,
         "each request takes so much longer with everything queued");
    job.attention_data = 8;
    i = inference_of(&constants, &job);
    near(inference_eager_seconds(&i, 500), layers / 8, "eight groups read at once");
    job.engine = ENGINE_VLLM;
    i = inference_of(&constants, &job);
    ok(inference_eager_seconds(&i, 500) == 0, "vLLM");
    job = job_of("llama-3.1-70b", "h200-sxm5-141gb", 8, NUMBER_FP8, ENGINE_TENSORRT_LLM);
    i = inference_of(&constants, &job);
    ok(inference_eager_seconds(&i, 500) == 0, "no experts");
}

/* TensorRT-LLM gathers the tokens of all groups of a server for their experts. */
static void gathered(void)
{
    struct inference_job job =
        job_of("qwen3-235b-a22b", "h100-sxm5-80gb", 8, NUMBER_FP8, ENGINE_TENSORRT_LLM);

    job.attention_data = 8;
    double eight = inference_of(&constants, &job).pool.workspace;
    job.engine = ENGINE_VLLM;
    double own = inference_of(&constants, &job).pool.workspace;
    /* Of 8,192 tokens, 8 experts of 3 x 1,536 wide, 4,096 there and back. */
    near(eight - own, 8192 * 7 * 8 * 2 * (3 * 1536 + 2 * 4096.0), "seven more groups");
    job.engine = ENGINE_TENSORRT_LLM;
    job.gpus_per_node = 4;
    near(inference_of(&constants, &job).pool.workspace, own, "beyond a server experts get theirs");
}

int main(void)
{
    struct err err = {0};

    catalog = fixture_catalog();
    fixture_need(inference_constants_load(catalog, &constants, &err), &err);
    launches();
    shared_apart();
    unfitted_mixtures();
    attention();
    routing();
    shares();
    fp4();
    scan();
    early_amd_experts();
    power_bounds_amd();
    power_bounds_hopper();
    busiest_gpu();
    distinct();
    attended();
    block_experts();
    eager();
    gathered();
    balanced();
    llama_cpp();
    catalog_free(catalog);
    return tap_done();
}
