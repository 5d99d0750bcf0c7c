#include "estimate/inference/inference.h"

#include "base/units.h"

#include <math.h>
#include <string.h>

double inference_native_peak(const struct gpu *gpu, enum number format)
{
    switch (format) {
    case NUMBER_FP8:
        return gpu->peak[PEAK_FP8];
    case NUMBER_FP4:
        return gpu->peak[PEAK_FP4];
    case NUMBER_FP32:
        return gpu->peak[PEAK_FP32];
    default: /* int4 and int8 only store weights: products are in 16 bit */
        return gpu_peak_16bit(gpu);
    }
}

bool inference_native(const struct gpu *gpu, enum number format)
{
    if (format == NUMBER_BF16)
        return isfinite(gpu->peak[PEAK_BF16]);
    if (format == NUMBER_FP16)
        return isfinite(gpu->peak[PEAK_FP16]);
    return isfinite(inference_native_peak(gpu, format));
}

/* The Gaudi fork of vLLM can widen FP8 weights (HabanaAI/vllm-fork#1837, dequant_fp8_weight). */
bool inference_multiplies(const struct gpu *gpu, enum number format)
{
    bool narrow = format == NUMBER_FP8 || format == NUMBER_FP4;

    return inference_native(gpu, format) &&
           !(narrow && inference_native_peak(gpu, format) <= gpu_peak_16bit(gpu));
}

bool inference_block_scaled(const struct inference_job *job)
{
    return job->shape.block_scaled && job->weight_format == NUMBER_FP8 &&
           inference_multiplies(job->gpu, NUMBER_FP8);
}

bool inference_latent_blocks(const struct inference_job *job)
{
    return job->shape.mla && inference_block_scaled(job) && gpu_is_nvidia(job->gpu);
}

bool inference_power_bounds_amd(const struct inference_job *job)
{
    const struct gpu *gpu = job->gpu;

    return gpu_is_amd(gpu) && gpu_is_hbm(gpu) && inference_native(gpu, NUMBER_FP8) &&
           isfinite(gpu->tdp) && job->engine != ENGINE_LLAMA_CPP;
}

bool inference_launches_on_grace(const struct inference_job *job)
{
    const struct gpu *gpu = job->gpu;
    bool superchip = strncmp(gpu->form_factor, "superchip", 9) == 0;

    return superchip && gpu->architecture && strncmp(gpu->architecture, "Rubin", 5) != 0 &&
           job->engine == ENGINE_SGLANG;
}

double inference_host_moe_us(const struct inference_constants *c, const struct inference_job *job)
{
    return c->ttft_moe_layer_us[job->engine] * (inference_launches_on_grace(job) ? c->f_grace : 1);
}

static double tera_per_watt(const struct gpu *gpu)
{
    return gpu_peak_16bit(gpu) / TERA / gpu->tdp;
}

bool inference_power_bounds_hopper(const struct inference *inference)
{
    const struct inference_job *job = &inference->job;
    const struct gpu *gpu = job->gpu;
    bool hopper = gpu_is_nvidia(gpu) && gpu_is_hbm(gpu) && inference_native(gpu, NUMBER_FP8) &&
                  !inference_native(gpu, NUMBER_FP4);

    return hopper && job->engine != ENGINE_LLAMA_CPP &&
           tera_per_watt(gpu) > inference->constants->hopper_per_watt;
}

double inference_vendor_share(const struct inference *inference)
{
    const struct inference_constants *c = inference->constants;
    const struct inference_job *job = &inference->job;
    double share = c->f_amd;

    if (inference_power_bounds_hopper(inference))
        return pow(tera_per_watt(job->gpu) / c->hopper_per_watt, -c->amd_power);
    if (!gpu_is_amd(job->gpu))
        return 1;
    if (job->engine == ENGINE_LLAMA_CPP)
        share *= c->l_amd;
    if (inference_power_bounds_amd(job))
        share *= pow(tera_per_watt(job->gpu) / c->amd_per_watt, -c->amd_power);
    return share;
}

static bool linked(const struct gpu *gpu, bool bridged)
{
    return isfinite(gpu->link_rate) && gpu->scale_up_domain > 1 &&
           (bridged || !gpu_has_bridge(gpu));
}

double inference_link_domain(const struct gpu *gpu, bool bridged)
{
    return linked(gpu, bridged) ? gpu->scale_up_domain : 1;
}

double inference_link_rate(const struct gpu *gpu, bool bridged)
{
    return linked(gpu, bridged) ? gpu->link_rate : gpu->pcie_rate;
}

void inference_override(struct gpu *gpu, double bandwidth, double peak_16bit, double link_rate,
                        bool bridged)
{
    double scale = peak_16bit / gpu_peak_16bit(gpu);

    if (!isnan(bandwidth))
        gpu->memory_bandwidth = bandwidth;
    if (!isnan(peak_16bit) && scale != 1)
        for (int i = 0; i < PEAK_COUNT; i++)
            gpu->peak[i] *= scale;
    if (!isnan(link_rate) && linked(gpu, bridged))
        gpu->link_rate = link_rate;
    else if (!isnan(link_rate))
        gpu->pcie_rate = link_rate;
}

/* TensorRT-LLM has one fused kernel for routing, products and sums of experts (TRTLLM-Gen), built
 * for GPUs with FP4 arithmetic; on others it launches separate kernels. In FP8 the recipes choose
 * it for blocks with a scale each, since 1.2 and without data-parallel attention; otherwise they
 * choose DeepGEMM (SemiAnalysisAI/InferenceX, benchmarks, dsr1_fp8_b200_trt*.sh), and models
 * converted with a scale per matrix run under CUTLASS, its default. */
bool inference_experts_fused(const struct inference_job *job)
{
    bool chosen = job->shape.blocks_published && !job->early_experts && !(job->attention_data > 1);

    return job->engine == ENGINE_TENSORRT_LLM && inference_native(job->gpu, NUMBER_FP4) &&
           (job->weight_format != NUMBER_FP8 || chosen);
}

/* On NVIDIA's GPUs that multiply FP4, a latent cached in FP8 is multiplied with queries in FP8
 * (sgl-project/sglang#8638; NVIDIA/TensorRT-LLM, examples/deepseek_v3, "FP8 KV Cache and MLA").
 * Other kernels widen a cache to 16 bit as they read it. */
bool inference_attends_in_fp8(const struct inference_job *job)
{
    return job->shape.mla && job->kv_format == NUMBER_FP8 && job->engine != ENGINE_LLAMA_CPP &&
           gpu_is_nvidia(job->gpu) && inference_native(job->gpu, NUMBER_FP4) &&
           isfinite(job->gpu->peak[PEAK_FP8]);
}

/* With data-parallel attention copies are sent to the expert's GPU. Where all GPUs attend together
 * each has all tokens, and TensorRT-LLM's kernels sort those of its own experts: timed alone, eight
 * whole shares of DeepSeek-R1's experts take 2.1 ms where eighths of all take 5.4 (H200, 8,192
 * tokens in FP8), SGLang's 1.8 either way (tests/accuracy/README.md). */
bool inference_divides_copies(const struct inference_job *job)
{
    bool whole = job->whole_experts && job->engine == ENGINE_TENSORRT_LLM && job->tensor > 1;

    return job->attention_data > 1 || whole;
}

double inference_largest_of(double n)
{
    const double two_ln_2 = 1.3863, offset = 0.61;

    return sqrt(two_ln_2 * log2(n)) - offset;
}

/* Hopper and newer, for which DeepEP and NVIDIA's kernels are published. */
bool inference_exchanges_widely(const struct inference_job *job)
{
    return job->shape.moe && job->attention_data > 1 && job->tensor > job->gpus_per_node &&
           gpu_is_nvidia(job->gpu) && inference_native(job->gpu, NUMBER_FP8);
}

/* From 32 GPUs on, as SGLang and DeepSeek do (lm-sys/lm-sys.github.io,
 * blog/2025-05-05-large-scale-ep.md; deepseek-ai/EPLB, README.md). TensorRT-LLM can (its tech_blog/
 * blog04_Scaling_Expert_Parallelism_in_TensorRT-LLM.md), but NVIDIA's recipes for DeepSeek-R1 in
 * FP8 leave it off (NVIDIA/srt-slurm, recipes/trtllm/gb300-fp8: eplb0). */
bool inference_places_experts(const struct inference_job *job)
{
    const double fewest_gpus = 32;

    return inference_exchanges_widely(job) && job->tensor >= fewest_gpus &&
           job->engine != ENGINE_TENSORRT_LLM;
}

double inference_unevenness(const struct inference *inference)
{
    const struct inference_constants *c = inference->constants;

    return inference_places_experts(&inference->job) ? c->placed : c->uneven;
}

/* Experts are used unevenly, each GPU has the sum of its own, and all wait for the one with the
 * most; a sum of m experts deviates by 1 / sqrt(m) of that of one. expert_unevenness was measured
 * on 32 GPUs with eight experts each. */
double inference_busiest_gpu(const struct inference *inference)
{
    const struct inference_job *job = &inference->job;
    const double source_gpus = 32, source_experts = 8;
    double gpus = job->tensor, experts = job->shape.experts / gpus;

    if (!job->shape.moe || !inference_divides_copies(job))
        return 1;
    double over = inference_largest_of(gpus) / inference_largest_of(source_gpus);
    return 1 + (inference_unevenness(inference) - 1) * over * sqrt(source_experts / experts);
}

double inference_prompt_busiest(const struct inference *inference)
{
    return inference->job.separate_prefill ? 1 : inference->busiest;
}

double inference_products_of_busiest(const struct inference *inference, double busiest)
{
    return 1 + model_shape_expert_fraction(&inference->job.shape) * (busiest - 1);
}
