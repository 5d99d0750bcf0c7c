#include "estimate/inference.h"

#include <math.h>

static const double US = 1e-6;
/* What a_pcie was measured over: x16 of generation 4, one direction, bytes/s. */
static const double PCIE_GEN4_RATE = 31.5e9;
/* Activations between GPUs travel in 16 bit. */
static const double ACTIVATION_BYTES = 2;

/* Weights without arithmetic of their own are widened and multiplied in 16 bit. */
static double peak_of(const struct inference_job *job)
{
    const struct gpu *gpu = job->gpu;
    double peak = inference_native_peak(gpu, job->weight_format);

    if (job->engine == ENGINE_LLAMA_CPP && isfinite(gpu->peak[PEAK_FP16_ACC16]))
        return gpu->peak[PEAK_FP16_ACC16]; /* its kernels accumulate in FP16 */
    return isfinite(peak) ? peak : gpu_peak_16bit(gpu);
}

static void set_shares(struct inference *inference)
{
    const struct inference_constants *c = inference->constants;
    const struct inference_job *job = &inference->job;
    bool llama = job->engine == ENGINE_LLAMA_CPP, hbm = gpu_is_hbm(job->gpu);
    double share = job->shape.moe ? c->e_moe : c->e_gemm, widen = 1;

    if (hbm && (llama || job->weight_format == NUMBER_INT4))
        widen = c->f_wo;
    else if (hbm && job->weight_format == NUMBER_INT8)
        widen = sqrt(c->f_wo);
    inference->memory_share = c->e_mem * (hbm ? 1 : c->f_gddr);
    inference->weight_share = inference->memory_share * widen;
    if (job->weight_format == NUMBER_FP8)
        share *= c->f_fp8;
    else if (job->weight_format == NUMBER_FP4)
        share *= c->f_fp4;
    share *= llama ? c->l_gemm : 1;
    inference->gemm_share = share * (gpu_is_amd(job->gpu) ? c->f_amd : 1);
    inference->peak = peak_of(job);
    inference->peak_16bit = gpu_peak_16bit(job->gpu);
}

/* Cards whose link is an optional bridge behave in published tables as if they had none. */
static void set_link(struct inference *inference)
{
    const struct inference_constants *c = inference->constants;
    const struct inference_job *job = &inference->job;
    const struct gpu *gpu = job->gpu;
    double t = job->tensor;

    inference->over_link = t <= gpu->scale_up_domain && isfinite(gpu->link_rate) &&
                           (job->bridged || !gpu_has_bridge(gpu));
    inference->link_rate = inference->over_link ? gpu->link_rate : gpu->pcie_rate;
    inference->all_reduces = t > 1 ? job->shape.all_reduces * job->shape.layers : 0;
    if (t <= 1)
        inference->all_reduce_seconds = 0;
    else if (inference->over_link)
        inference->all_reduce_seconds = c->a_nv_us * US * log2(t);
    else
        inference->all_reduce_seconds = c->a_pcie_us * US * PCIE_GEN4_RATE / gpu->pcie_rate;
}

static void set_work(struct inference *inference)
{
    const struct inference_constants *c = inference->constants;
    const struct inference_job *job = &inference->job;
    const struct shape *shape = &job->shape;

    inference->body_weights = shape->layers * shape->attention_weights + shape->dense_ffn_weights +
                              shape->moe_layers * shape->top_k * shape->expert_weights;
    inference->active_weights = inference->body_weights + shape->vocab * shape->hidden;
    inference->launch_seconds = c->o_engine_us[job->engine] * US;
    inference->request_seconds =
        (c->b_req_us + (job->engine == ENGINE_SGLANG ? c->b_sglang_us : 0)) * US;
}

/* Bytes that `tokens` move in all-reduces, over what the link achieves. */
static double all_reduce_volume(const struct inference *inference, double tokens)
{
    double t = inference->job.tensor;

    if (inference->all_reduces <= 0)
        return 0;
    return inference->all_reduces * 2 * (t - 1) / t * tokens * inference->job.shape.hidden *
           ACTIVATION_BYTES / (inference->constants->e_link * inference->link_rate);
}

/* Activations of `tokens` handed from stage to stage, over the slowest way between neighbours:
 * the link, PCIe within a node, the network where a replica spans nodes. */
static double stage_transfer(const struct inference *inference, double tokens)
{
    const struct inference_job *job = &inference->job;
    double gpus = job->tensor * job->pipeline, hops = job->pipeline - 1;
    bool linked = gpus <= job->gpu->scale_up_domain && isfinite(job->gpu->link_rate) &&
                  (job->bridged || !gpu_has_bridge(job->gpu));
    double inside = linked ? job->gpu->link_rate : job->gpu->pcie_rate;
    double crossings = linked ? 0 : fmin(hops, ceil(gpus / job->gpus_per_node) - 1);
    double bytes = tokens * job->shape.hidden * ACTIVATION_BYTES / inference->constants->e_link;

    if (hops <= 0)
        return 0;
    double between = crossings > 0 ? crossings / job->network_rate : 0;
    return bytes * (between + (hops > crossings ? (hops - crossings) / inside : 0));
}

/* Tokens attended to, over the layers: causal, so half of the square; what the prefix cache holds
 * is attended to but not computed. */
static double prefill_attention(const struct inference_job *job)
{
    const struct shape *shape = &job->shape;
    double i = job->input_tokens, cached = i * job->cached_ratio;
    double square = (i * i - cached * cached) * shape->full_layers;
    double window = 2 * (i - cached) * fmin(i, shape->window) * shape->sliding_layers;

    return shape->heads * (shape->prefill_key_dim + shape->prefill_value_dim) * (square + window);
}

static void set_prefill(struct inference *inference)
{
    const struct inference_constants *c = inference->constants;
    const struct inference_job *job = &inference->job;
    struct prefill *p = &inference->prefill;
    bool llama = job->engine == ENGINE_LLAMA_CPP;
    double t = job->tensor, tokens = job->input_tokens * (1 - job->cached_ratio);
    double passes = llama ? fmax(1, ceil(tokens / c->prefill_chunk_tokens)) : 1;

    p->gemm = 2 * inference->body_weights * tokens / (t * inference->gemm_share * inference->peak);
    p->attention =
        prefill_attention(job) / (t * (llama ? c->l_attn : c->e_attn) * inference->peak_16bit);
    p->all_reduce = all_reduce_volume(inference, tokens);
    p->marginal = p->gemm + p->attention + p->all_reduce;
    p->weights = inference->bytes.all_layers /
                 (t * inference->weight_share * job->gpu->memory_bandwidth) * passes;
    p->launch = c->c_pre * job->shape.layers * inference->launch_seconds +
                job->shape.moe_layers * c->o_moe_us * US;
    p->fixed = p->weights + p->launch;
    p->transfer = stage_transfer(inference, tokens);
    p->one = p->marginal + p->fixed + p->transfer;
}

struct inference inference_of(const struct inference_constants *constants,
                              const struct inference_job *job)
{
    const struct memory_constants *memory = &constants->memory;
    struct inference inference = {.constants = constants, .job = *job};

    inference.bytes = memory_weight_bytes(memory, &job->shape, job->weight_format,
                                          job->engine == ENGINE_LLAMA_CPP, job->bytes_per_weight);
    inference.pool =
        memory_kv_pool(memory, &job->shape, job->gpu, &inference.bytes,
                       memory_kv_bytes(memory, job->kv_format), job->tensor, job->pipeline,
                       job->input_tokens + job->output_tokens, job->memory_utilization);
    set_shares(&inference);
    set_link(&inference);
    set_work(&inference);
    set_prefill(&inference);
    return inference;
}

double inference_context(const struct inference_job *job)
{
    return job->input_tokens + job->output_tokens / 2;
}

/* Experts that at least one of `batch` requests is sent to. */
static double distinct_experts(const struct shape *shape, double batch)
{
    if (!shape->moe)
        return 0;
    return shape->experts * (1 - pow(1 - shape->top_k / shape->experts, batch));
}

struct step inference_step(const struct inference *inference, double batch, double context)
{
    const struct inference_constants *c = inference->constants;
    const struct inference_job *job = &inference->job;
    const struct shape *s = &job->shape;
    double t = job->tensor, bandwidth = job->gpu->memory_bandwidth;
    double weights = inference->bytes.fixed + distinct_experts(s, batch) * inference->bytes.expert;
    double cache = batch * memory_kv_bytes_per_request(
                               s, memory_kv_bytes(&c->memory, job->kv_format), context);
    struct step step = {0};

    step.weights = weights / (t * inference->weight_share * bandwidth);
    step.kv_cache = cache / (inference->pool.shards * inference->memory_share * bandwidth);
    step.gemm =
        2 * inference->active_weights * batch / (t * inference->gemm_share * inference->peak);
    step.attention = 2 * batch * s->heads * s->decode_head_work * context * s->layers /
                     (t * c->e_attn * inference->peak_16bit);
    step.all_reduce_latency = inference->all_reduces * inference->all_reduce_seconds;
    step.all_reduce_volume = all_reduce_volume(inference, batch);
    step.launch = s->layers * inference->launch_seconds + s->moe_layers * c->o_moe_us * US;
    step.requests = inference->request_seconds * batch;
    step.transfer = stage_transfer(inference, batch);
    step.total = step.weights + step.kv_cache + step.gemm + step.attention +
                 step.all_reduce_latency + step.all_reduce_volume + step.launch + step.requests +
                 step.transfer;
    return step;
}

static struct served serve_static(const struct inference *inference, double concurrency)
{
    const struct prefill *p = &inference->prefill;
    struct served served = {.concurrency = concurrency};

    served.batch = fmax(1, fmin(concurrency, floor(inference->pool.requests)));
    served.step = inference_step(inference, served.batch, inference_context(&inference->job));
    served.tpot = served.step.total;
    served.ttft = served.batch * p->marginal + p->fixed + p->transfer;
    return served;
}

/* Stages work in parallel on a share of the batch each; a prompt takes a stage 1/pp of its time. */
static struct served serve_continuous(const struct inference *inference, double concurrency)
{
    const struct inference_constants *c = inference->constants;
    const struct inference_job *job = &inference->job;
    const struct prefill *p = &inference->prefill;
    double held = inference->pool.requests, stages = job->pipeline;
    struct served served = {.concurrency = concurrency};

    served.batch = fmax(1, fmin(concurrency, held));
    served.step = inference_step(inference, fmax(1, served.batch / stages), inference_context(job));
    served.interference = (served.batch - 1) / job->output_tokens * p->marginal / stages;
    served.tpot = served.step.total + served.interference;
    served.ttft = p->one + c->ttft_steps * served.step.total +
                  c->ttft_prefills * served.batch * p->one / stages;
    if (concurrency > held) /* the rest wait for a place in the cache */
        served.ttft += (concurrency / held - 1) * job->output_tokens * served.tpot;
    return served;
}

struct served inference_serve(const struct inference *inference, double concurrency)
{
    const struct inference_job *job = &inference->job;
    struct served served = job->static_batching ? serve_static(inference, concurrency)
                                                : serve_continuous(inference, concurrency);

    served.request_seconds = served.ttft + (job->output_tokens - 1) * served.tpot;
    served.output_tokens_per_second = fmin(fmax(served.concurrency, 0), served.batch) *
                                      job->output_tokens / served.request_seconds;
    return served;
}

double inference_offline(const struct inference *inference, double *batch)
{
    const struct inference_job *job = &inference->job;
    double b = fmax(1, fmin(inference->pool.requests, inference->constants->b_max));
    double share = fmax(1, b / job->pipeline), o = job->output_tokens;
    struct step step = inference_step(inference, share, inference_context(job));

    *batch = b;
    return o / (o / b * step.total + inference->prefill.marginal / job->pipeline);
}

enum interval inference_interval_kind(const struct inference *inference, double batch)
{
    const struct inference_job *job = &inference->job;

    if (job->static_batching && batch > 1)
        return INTERVAL_STATIC;
    if (batch > 1)
        return job->shape.moe ? INTERVAL_SERVED_MOE : INTERVAL_SERVED_DENSE;
    return job->engine == ENGINE_LLAMA_CPP && gpu_is_hbm(job->gpu)
               ? INTERVAL_ONE_STREAM_LLAMA_CPP_HBM
               : INTERVAL_ONE_STREAM;
}

double inference_interval(const struct inference *inference, enum interval kind)
{
    const struct inference_job *job = &inference->job;
    double u = inference->constants->interval[kind];

    return job->engine == ENGINE_UNSPECIFIED || !gpu_is_nvidia(job->gpu) ? u * u : u;
}

void inference_ttft_range(const struct inference *inference, double *low, double *high)
{
    enum engine engine = inference->job.engine;

    *low = inference->constants->ttft_low[engine];
    *high = inference->constants->ttft_high[engine];
}

double inference_intensity(const struct inference *inference, double batch)
{
    const struct shape *s = &inference->job.shape;
    double context = inference_context(&inference->job);
    double kv_bytes = memory_kv_bytes(&inference->constants->memory, inference->job.kv_format);
    double flop =
        2 * batch *
        (inference->active_weights + s->heads * s->decode_head_work * context * s->layers);
    double bytes = inference->bytes.fixed + distinct_experts(s, batch) * inference->bytes.expert +
                   batch * memory_kv_bytes_per_request(s, kv_bytes, context);

    return flop / bytes;
}

double inference_ridge_point(const struct inference *inference)
{
    return inference->peak_16bit / inference->job.gpu->memory_bandwidth;
}

double inference_ridge_batch(const struct inference *inference)
{
    const struct inference_job *job = &inference->job;
    double per_weight = inference->bytes.body; /* two FLOP for every weight read */

    return inference->peak / job->gpu->memory_bandwidth * per_weight / 2;
}

const char *inference_bound(const struct step *step)
{
    double memory = step->weights + step->kv_cache, compute = step->gemm + step->attention;
    double network = step->all_reduce_latency + step->all_reduce_volume + step->transfer;
    double overhead = step->launch + step->requests, most = fmax(memory, compute);

    most = fmax(most, fmax(network, overhead));
    if (isnan(step->total))
        return NULL;
    return most == memory    ? "memory"
           : most == compute ? "compute"
           : most == network ? "network"
                             : "overhead";
}
