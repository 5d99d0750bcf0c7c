#include "estimate/inference/inference.h"
#include "estimate/inference/prefill.h"
#include "estimate/inference/communication.h"

#include "base/units.h"

#include <math.h>
#include <string.h>

static const double US = 1e-6;

/* Weights without native arithmetic are widened and multiplied in 16 bit; in llama.cpp always,
 * whatever the GPU supports. */
static double peak_of(const struct inference_job *job)
{
    const struct gpu *gpu = job->gpu;
    bool multiplies = inference_multiplies(gpu, job->weight_format);
    bool llama = job->engine == ENGINE_LLAMA_CPP;

    if ((llama || job->engine == ENGINE_COMPILED) && isfinite(gpu->peak[PEAK_FP16_ACC16]))
        return gpu->peak[PEAK_FP16_ACC16]; /* their kernels accumulate in FP16 */
    return multiplies && !llama ? inference_native_peak(gpu, job->weight_format)
                                : gpu_peak_16bit(gpu);
}

/* For small batches llama.cpp's efficiency is bounded by power: it falls with the datasheet's
 * TFLOP/s per watt, as in training. */
static double share_of_llama(const struct inference_constants *c, const struct inference *inference)
{
    double per_watt = inference->peak / TERA / inference->job.gpu->tdp;

    return isfinite(per_watt) ? c->l_gemm * pow(per_watt, -c->l_power) : c->l_gemm;
}

/* The fraction of bandwidth achieved for weights that are widened as they are read. */
static double widening(const struct inference_constants *c, const struct inference_job *job)
{
    enum number kernels = memory_kernel_format(job->weight_format);

    if (!gpu_is_hbm(job->gpu)) /* slow enough for widening to keep up */
        return 1;
    if (job->engine == ENGINE_LLAMA_CPP || kernels == NUMBER_INT4)
        return c->f_wo;
    if (kernels == NUMBER_INT8 ||
        (kernels == NUMBER_FP4 && !inference_native(job->gpu, NUMBER_FP4)))
        return sqrt(c->f_wo);
    return 1;
}

static void set_shares(struct inference *inference)
{
    const struct inference_constants *c = inference->constants;
    const struct inference_job *job = &inference->job;
    bool llama = job->engine == ENGINE_LLAMA_CPP, gddr = gpu_is_gddr(job->gpu);
    double share = c->e_gemm;
    bool native = inference_multiplies(job->gpu, job->weight_format) && !llama;

    inference->peak = peak_of(job);
    inference->memory_share = c->e_mem * (gddr ? c->f_gddr : 1);
    inference->weight_share = inference->memory_share * widening(c, job);
    inference->expert_reads =
        inference->bytes.expert / (inference_early_amd_experts(job) ? c->f_experts_amd : 1);
    if (native && job->weight_format == NUMBER_FP8)
        share *= c->f_fp8;
    else if (native && job->weight_format == NUMBER_FP4)
        share *= c->f_fp4;
    inference->dense_share = fmin(1, share * inference_vendor_share(inference));
    share /= 1 + model_shape_expert_fraction(&job->shape) *
                     (1 / inference_expert_kernel(c, job).share - 1);
    share *= llama ? share_of_llama(c, inference) : 1;
    inference->gemm_share = fmin(1, share * inference_vendor_share(inference));
    inference->peak_16bit = gpu_peak_16bit(job->gpu);
}

/* GPUs without FP4 arithmetic, to which engines bring no kernels of NVIDIA's own for experts.
 * Models of up to eight experts have tuned Triton kernels in every release of vLLM. */
static struct expert_kernel kernel_before_fp4(const struct inference_constants *c,
                                              const struct inference_job *job)
{
    enum { TUNED_EXPERTS = 8 };
    enum number format = job->weight_format;
    bool vllm = job->engine == ENGINE_VLLM, fp8 = inference_native(job->gpu, NUMBER_FP8),
         marlin = format == NUMBER_INT4 || (!fp8 && (format == NUMBER_FP8 || format == NUMBER_FP4));

    if (marlin && (vllm || job->engine == ENGINE_SGLANG))
        return (struct expert_kernel){"f_marlin", c->f_marlin};
    if (vllm && inference_block_scaled(job))
        return (struct expert_kernel){"f_block_triton", c->f_block_triton};
    if (vllm && job->untuned_experts && job->shape.experts > TUNED_EXPERTS &&
        format != NUMBER_FP4 && format != NUMBER_INT4 && format != NUMBER_INT8)
        return (struct expert_kernel){"f_untuned", c->f_untuned};
    return (struct expert_kernel){NULL, 1};
}

/* The products of experts timed alone, over those of other weights (tests/accuracy/README.md). */
struct expert_kernel inference_expert_kernel(const struct inference_constants *c,
                                             const struct inference_job *job)
{
    bool others = job->engine != ENGINE_TENSORRT_LLM && job->engine != ENGINE_LLAMA_CPP;

    if (!job->shape.moe || !gpu_is_nvidia(job->gpu) || !others)
        return (struct expert_kernel){NULL, 1};
    if (!inference_native(job->gpu, NUMBER_FP4))
        return kernel_before_fp4(c, job);
    if (inference_block_scaled(job) && gpu_is_hbm(job->gpu))
        return (struct expert_kernel){"f_block", c->f_block};
    return (struct expert_kernel){NULL, 1};
}

bool inference_multiplies_fp4(const struct inference_job *job)
{
    return job->weight_format == NUMBER_FP4 && inference_native(job->gpu, NUMBER_FP4);
}

bool inference_widens_experts(const struct inference_job *job)
{
    return job->shape.moe && job->engine == ENGINE_TENSORRT_LLM &&
           job->weight_format == NUMBER_FP4 && !inference_multiplies_fp4(job);
}

bool inference_early_amd_experts(const struct inference_job *job)
{
    return job->shape.moe && gpu_is_amd(job->gpu) && !inference_native(job->gpu, NUMBER_FP4) &&
           job->engine != ENGINE_LLAMA_CPP;
}

bool inference_quantises_layers(const struct inference_job *job)
{
    return !job->shape.moe && (inference_block_scaled(job) || inference_multiplies_fp4(job));
}

/* On Hopper; Blackwell has one kernel for most of it (TRTLLM-Gen: TensorRT-LLM, tech_blog 9). */
double inference_shared_us(const struct inference_constants *c, const struct inference_job *job)
{
    bool apart = job->engine == ENGINE_TENSORRT_LLM && job->weight_format == NUMBER_FP8 &&
                 inference_native(job->gpu, NUMBER_FP8) && !inference_experts_fused(job);

    if (job->shape.shared_width <= 0)
        return 0;
    return apart ? c->o_shared_apart_us : c->o_shared_us;
}

enum engine inference_launches_as(const struct inference_job *job)
{
    bool graphs = job->engine == ENGINE_LLAMA_CPP && !job->early_kernels;

    return graphs ? ENGINE_COMPILED : job->engine;
}

static void set_launches(struct inference *inference)
{
    const struct inference_constants *c = inference->constants;
    const struct inference_job *job = &inference->job;
    const struct model_shape *shape = &job->shape;
    bool fp4 = inference_multiplies_fp4(job);
    double layer = c->o_engine_us[inference_launches_as(job)],
           experts = c->o_moe_us * (fp4 ? c->f_experts : 1);

    layer += shape->mla ? c->o_mla_us : 0;
    layer += shape->indexed ? c->o_index_us : 0;
    layer += inference_quantises_layers(job) ? c->o_quant_us : 0;
    layer += inference_sglang_on_amd(job) ? c->o_sglang_amd_us : 0;
    experts += inference_shared_us(c, job);
    experts += inference_block_scaled(job) ? c->o_block_us : 0;
    experts += inference_widens_experts(job) ? c->o_widen_us : 0;
    experts += inference_early_amd_experts(job) ? c->o_experts_amd_us : 0;
    inference->launch_seconds = shape->layers * layer * US;
    inference->moe_launch_seconds = shape->moe_layers * experts * US;
}

/* With several steps planned at a time vLLM takes the tokens of all earlier steps while the GPU
 * runs the next ones (vllm-project/vllm#8050, September 2024: TPOT 44 to 32 ms). */
static bool output_between_steps(const struct inference_job *job)
{
    return job->host_between_steps && !(job->receive_interval > 1);
}

bool inference_pays_sglang(const struct inference_job *job)
{
    return job->engine == ENGINE_SGLANG && job->shape.moe;
}

static void set_work(struct inference *inference)
{
    const struct inference_constants *c = inference->constants;
    const struct inference_job *job = &inference->job;
    const struct model_shape *shape = &job->shape;

    inference->body_weights = model_shape_body_weights(shape);
    inference->active_weights = inference->body_weights + shape->vocab * shape->hidden;
    adapters_set(inference);
    inference->request_seconds =
        (c->b_req_us + (inference_pays_sglang(job) ? c->b_sglang_us : 0)) * US;
    if (job->host_between_steps) {
        double planned = fmax(1, job->receive_interval); /* steps at once: --num-scheduler-steps */
        inference->request_seconds += output_between_steps(job) ? c->b_before_v1_us * US : 0;
        inference->host_seconds = c->o_before_v1_us / planned * US;
    }
    if (job->sharing > 1) /* one host serves all of them */
        inference->request_seconds *= job->sharing;
}

/* A draft's fraction of the model's weights is taken to equal its fraction of the time. */
static double draft_share(const struct inference_job *job)
{
    return job->speculation.tokens > 0 ? job->speculation.draft_cost : 0;
}

static void set_lengths(struct inference *inference)
{
    const struct inference_job *job = &inference->job;
    double most = job->shape.max_tokens > 0 ? job->shape.max_tokens : (double)INFINITY;

    if (!job->open_arrivals)
        return;
    inference->prompts = lengths_of(job->input_tokens, job->input_cv, most);
    /* Embeddings, rerankers and classifiers always write exactly one token. */
    inference->answers =
        lengths_of(fmax(1, job->output_tokens), job->output_tokens > 1 ? job->output_cv : 0, most);
}

/* A key in FP8 and its scale in FP32: DeepseekV32IndexerCache of vLLM, the caches of SGLang and
 * TensorRT-LLM alike (vllm-project/vllm, vllm/model_executor/models/deepseek_v2.py). */
static double index_key_bytes(const struct inference_job *job)
{
    const double scale = 4;

    return inference_indexes(job) ? job->shape.index_dim + scale : 0;
}

struct inference inference_unsharded(const struct inference_constants *constants,
                                     const struct inference_job *job)
{
    const struct memory_constants *memory = &constants->memory;
    struct inference inference = {.constants = constants, .job = *job};

    inference.job.shape.index_key_bytes = index_key_bytes(job);
    inference.bytes = memory_weight_bytes(memory, &job->shape, job->weight_format,
                                          job->engine == ENGINE_LLAMA_CPP, job->bytes_per_weight);
    inference.kv_bytes = memory_kv_bytes(memory, job->kv_format);
    inference.has_link =
        isfinite(job->gpu->link_rate) && (job->bridged || !gpu_has_bridge(job->gpu));
    set_shares(&inference);
    set_work(&inference);
    set_lengths(&inference);
    return inference;
}

/* The buffers hold max_num_tokens times the groups (tensorrt_llm/_torch/modules/fused_moe). */
double inference_gathered_groups(const struct inference_job *job)
{
    bool gathers = job->engine == ENGINE_TENSORRT_LLM && job->shape.moe;

    return gathers && job->tensor <= job->gpus_per_node ? fmax(1, job->attention_data) : 1;
}

/* Prompt tokens in a pass; a replica that only writes has as many tokens in a pass as slots. */
static double pass_of_memory(const struct inference_job *job)
{
    return job->separate_prefill && job->slots > 0 ? job->slots / job->attention_data
                                                   : job->pass_tokens;
}

void inference_shard(struct inference *inference, double tensor, double attention_data,
                     double pipeline)
{
    struct inference_job *job = &inference->job;

    job->tensor = tensor;
    job->pipeline = pipeline;
    job->attention_data = fmax(1, attention_data);
    set_launches(inference);
    inference->attention_gpus = tensor / job->attention_data;
    inference->busiest = inference_busiest_gpu(inference);
    inference->expert_copies =
        1 + (inference_places_experts(job) ? inference->constants->redundant : 0);
    inference->pool = memory_kv_pool(
        &inference->constants->memory,
        &(struct memory_job){.shape = &job->shape,
                             .gpu = job->gpu,
                             .engine = &inference->constants->engine_memory[job->engine],
                             .weights = &inference->bytes,
                             .kv_bytes = inference->kv_bytes,
                             .tensor = tensor,
                             .pipeline = pipeline,
                             .attention_data = job->attention_data,
                             .expert_copies = inference->expert_copies,
                             .gathered = inference_gathered_groups(job),
                             .draft_share = draft_share(job),
                             .adapter_bytes = job->adapters * inference->adapter_bytes,
                             .request_tokens = job->input_tokens + job->output_tokens,
                             .longest_tokens = job->longest_tokens,
                             .utilization = job->memory_utilization,
                             .pass_tokens = pass_of_memory(job),
                             .seen = job->seen});
    communication_set(inference);
    prefill_set(inference);
    inference_set_reader(inference);
}

struct inference inference_of(const struct inference_constants *constants,
                              const struct inference_job *job)
{
    struct inference inference = inference_unsharded(constants, job);

    inference_shard(&inference, job->tensor, job->attention_data, job->pipeline);
    if (job->reading_tensor > 0) {
        struct inference reader = inference;
        reader.job.all_to_all = job->reading_all_to_all;
        inference_shard(&reader, job->reading_tensor, job->reading_groups, 1);
        inference.prefill = reader.prefill;
        inference.reader = reader.reader;
    }
    return inference;
}

/* vLLM keeps the interval of all engines. Its own would be narrower, as one benchmark measured most
 * of its runs: 38 % of 16 runs of other sources are inside it, and 56 % inside that of all. */
static enum interval served_dense(const struct inference_job *job)
{
    return job->engine == ENGINE_TENSORRT_LLM ? INTERVAL_SERVED_DENSE_TENSORRT_LLM
           : job->engine == ENGINE_SGLANG     ? INTERVAL_SERVED_DENSE_SGLANG
                                              : INTERVAL_SERVED_DENSE;
}

/* Those of TensorRT-LLM in FP4 err more than others: engines of one release differ by the kernels
 * of experts that are chosen (moe_config), which runs do not state. */
static enum interval served_mixture(const struct inference_job *job)
{
    bool fp4 = job->engine == ENGINE_TENSORRT_LLM && job->weight_format == NUMBER_FP4;

    return fp4 ? INTERVAL_SERVED_MOE_TENSORRT_LLM_FP4 : INTERVAL_SERVED_MOE;
}

enum interval inference_interval_kind(const struct inference *inference, double batch)
{
    const struct inference_job *job = &inference->job;

    if (job->static_batching && batch > 1)
        return INTERVAL_STATIC;
    if (batch <= 1 && job->engine == ENGINE_LLAMA_CPP && gpu_is_hbm(job->gpu))
        return INTERVAL_ONE_STREAM_LLAMA_CPP_HBM;
    if (job->shape.moe) /* also alone: 355 of 362 runs of one stream are of dense models */
        return served_mixture(job);
    return batch > 1 ? served_dense(job) : INTERVAL_ONE_STREAM;
}

enum interval inference_prefill_interval(const struct inference *inference)
{
    return inference->job.engine == ENGINE_LLAMA_CPP ? INTERVAL_PREFILL_LLAMA_CPP
                                                     : INTERVAL_PREFILL;
}

/* Engines, GPUs and releases without a run in the fit. It has mixtures under vLLM in FP4 only: of
 * 11 runs in other formats, published elsewhere, 6 are in the interval and 9 in its square. */
static bool is_unfitted(const struct inference_job *job)
{
    bool shared_memory = !gpu_is_hbm(job->gpu) && !gpu_is_gddr(job->gpu),
         mixture_of_vllm =
             job->shape.moe && job->engine == ENGINE_VLLM && job->weight_format != NUMBER_FP4;

    return job->engine == ENGINE_UNSPECIFIED || !gpu_is_nvidia(job->gpu) || shared_memory ||
           job->host_between_steps || mixture_of_vllm;
}

/* Mixtures in FP8, or under SGLang in any format, on GPUs that multiply FP4: their kernels change
 * from release to release. Of 314 runs left out 73 % are in the interval, 88 % in its power of 1.5;
 * of 83 of separate pools, never fitted, 88 % in that power (tests/accuracy/README.md). */
static bool is_changing(const struct inference_job *job)
{
    return job->shape.moe && inference_native(job->gpu, NUMBER_FP4) &&
           (job->weight_format == NUMBER_FP8 || job->engine == ENGINE_SGLANG);
}

/* llama.cpp on Intel's cards, whose backends differ threefold: answers of 7B to 35B in four bits on
 * A770, B580 and B70 came at 0.5 to 1.25 times the estimated rate (intel/ipex-llm#12190 and #12991,
 * ggml-org/llama.cpp#17628 and #19918). */
static bool is_arc_of_llama_cpp(const struct inference_job *job)
{
    return strcmp(job->gpu->vendor, "Intel") == 0 && !gpu_is_gaudi(job->gpu) &&
           job->engine == ENGINE_LLAMA_CPP;
}

bool inference_sglang_on_amd(const struct inference_job *job)
{
    return gpu_is_amd(job->gpu) && job->engine == ENGINE_SGLANG;
}

double inference_doubt(const struct inference_job *job)
{
    if (is_arc_of_llama_cpp(job) || inference_sglang_on_amd(job))
        return 4;
    return is_unfitted(job) ? 2 : is_changing(job) ? 1.5 : 1;
}

bool inference_is_weak(const struct inference_job *job)
{
    return inference_doubt(job) > 1;
}

double inference_interval(const struct inference *inference, enum interval kind)
{
    const struct inference_job *job = &inference->job;
    double u = pow(inference->constants->interval[kind], inference_doubt(job));
    bool ahead = job->speculation.tokens > 0 && kind != INTERVAL_PREFILL &&
                 kind != INTERVAL_PREFILL_LLAMA_CPP;

    return ahead || job->adapters > 0 ? u * u : u; /* no run in the fit used speculation or
                                                    * adapters */
}

/* No prefill-only server is in the fit. Published runs that write 4 tokens per 128 read reach 0.6
 * (vLLM) to 1.07 (TensorRT-LLM) of the estimate (Qwen3-14B on an A100,
 * docs.gpustack.ai/2.3/zh/performance-lab/qwen3-14b/a100); none exceeds its peak. */
static double prompts_alone(const struct inference *inference)
{
    double u = inference_interval(inference, inference_prefill_interval(inference));

    return fmax(u, fmin(u * u, 1 / inference->gemm_share));
}

double inference_load_interval(const struct inference *inference, double batch)
{
    if (inference->job.output_tokens < 2)
        return prompts_alone(inference);
    return inference_interval(inference, inference_interval_kind(inference, batch));
}

double inference_offline_interval(const struct inference *inference)
{
    bool moe = inference->job.shape.moe;

    if (inference->job.output_tokens < 2)
        return prompts_alone(inference);
    return inference_interval(inference, moe ? INTERVAL_OFFLINE_MOE : INTERVAL_OFFLINE_DENSE);
}

void inference_ttft_range(const struct inference *inference, double *low, double *high)
{
    enum engine engine = inference->job.engine;

    *low = inference->constants->ttft_low[engine];
    *high = inference->constants->ttft_high[engine];
}

double inference_intensity(const struct inference *inference, double batch)
{
    const struct model_shape *s = &inference->job.shape;
    double context = inference_context(&inference->job);
    double flop = 2 * batch *
                  (inference->active_weights +
                   (inference->job.adapters > 0 ? inference->adapter_weights : 0) +
                   s->heads * s->decode_head_work * inference_attended(&inference->job, context));
    double bytes = inference->bytes.fixed +
                   inference_distinct_experts(s, batch) * inference->bytes.expert +
                   adapters_distinct(inference, batch) * inference->adapter_bytes +
                   batch * (inference_cache_read(inference, context) +
                            2 * memory_state_bytes(&inference->constants->memory, s));

    return flop / bytes;
}

double inference_ridge_point(const struct inference *inference)
{
    return inference->peak_16bit / inference->job.gpu->memory_bandwidth;
}

double inference_ridge_batch(const struct inference *inference)
{
    const struct inference_job *job = &inference->job;
    double per_weight = inference->bytes.body; /* two FLOP per weight read */

    return inference->peak / job->gpu->memory_bandwidth * per_weight / 2;
}

static const char *largest(double memory, double compute, double network, double overhead)
{
    double most = fmax(fmax(memory, compute), fmax(network, overhead));

    return most == memory    ? "memory"
           : most == compute ? "compute"
           : most == network ? "network"
                             : "overhead";
}

const char *inference_bound(const struct inference *inference, const struct step *step)
{
    const struct prefill *p = &inference->prefill;

    if (isnan(step->total))
        return NULL;
    if (inference->job.output_tokens < 2) /* embeddings, rerankers: only the prompt counts */
        return largest(p->weights + p->norms,
                       p->gemm + p->routing + p->attention + p->scan + p->tower,
                       p->all_reduce + p->transfer, p->launch);
    return largest(step->weights + step->kv_cache + step->state, step->gemm + step->attention,
                   inference_communication(step) + step->transfer, step->launch + step->requests);
}
