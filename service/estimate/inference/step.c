/* step.c - one decode pass. */
#include "estimate/inference/inference.h"
#include "estimate/inference/communication.h"

#include <math.h>

double inference_context(const struct inference_job *job)
{
    double spread = job->open_arrivals ? job->output_cv * job->output_cv : 0;

    return job->input_tokens + job->output_tokens / 2 * (1 + spread); /* longer requests are in
                                                                       * flight longer */
}

double inference_read_seconds(const struct inference *inference, double shared, double experts)
{
    double per_gpu = shared / inference->attention_gpus + experts * inference->expert_copies *
                                                              inference->expert_reads /
                                                              inference->job.tensor;

    return per_gpu / (inference->weight_share * inference->job.gpu->memory_bandwidth);
}

double inference_distinct_experts(const struct model_shape *shape, double tokens)
{
    if (!shape->moe)
        return 0;
    double others =
        fmax(0, tokens - 1) * shape->top_k / shape->experts; /* mean tokens per expert */
    return shape->experts - (shape->experts - shape->top_k) / (1 + others);
}

/* Every GPU handles the copies of all tokens, however narrow its shard of an expert, unless experts
 * are whole. */
double inference_route_seconds(const struct inference *inference, double tokens)
{
    const struct inference_job *job = &inference->job;
    const struct model_shape *s = &job->shape;
    double here = inference_divides_copies(job) ? tokens / job->tensor : tokens;

    return inference->constants->c_route * s->moe_layers * here * s->top_k * s->expert_hidden *
           ACTIVATION_BYTES / (inference->memory_share * job->gpu->memory_bandwidth);
}

bool inference_indexes(const struct inference_job *job)
{
    const struct model_shape *s = &job->shape;

    return s->mla && s->indexed && s->index_dim > 0 && s->index_top_k > 0 &&
           gpu_is_nvidia(job->gpu) && inference_native(job->gpu, NUMBER_FP8) &&
           job->engine != ENGINE_LLAMA_CPP;
}

double inference_sparse_heads(const struct inference *inference)
{
    const struct inference_job *job = &inference->job;
    const double hopper = 64, blackwell = 128;

    return fmax(job->shape.heads / inference->attention_gpus,
                inference_native(job->gpu, NUMBER_FP4) ? blackwell : hopper);
}

double inference_attended(const struct inference_job *job, double context)
{
    const struct model_shape *s = &job->shape;

    return inference_indexes(job) ? s->layers * fmin(context, s->index_top_k)
                                  : model_shape_attended(s, context);
}

double inference_cache_read(const struct inference *inference, double context)
{
    const struct model_shape *s = &inference->job.shape;

    if (!inference_indexes(&inference->job))
        return memory_kv_bytes_per_request(s, inference->kv_bytes, context);
    return s->full_layers * (s->kv_elements * inference->kv_bytes * fmin(context, s->index_top_k) +
                             s->index_key_bytes * context);
}

static double attention_peak(const struct inference *inference)
{
    const struct inference_job *job = &inference->job;

    return inference_attends_in_fp8(job) ? job->gpu->peak[PEAK_FP8] : inference->peak_16bit;
}

bool inference_attends_while_reading(const struct inference_job *job)
{
    return job->shape.mla && !inference_indexes(job) && inference_exchanges_widely(job);
}

/* Kernels for selected latents take FP8 no faster: timed alone they are within 15 % of this on H200
 * and B200 (tests/accuracy/README.md). */
double inference_attention_seconds(const struct inference *inference, double tokens, double context)
{
    const struct inference_job *job = &inference->job;
    const struct model_shape *s = &job->shape;
    double pairs = 2 * tokens * s->decode_head_work * inference_attended(job, context) /
                   inference->constants->e_attn;

    if (inference_indexes(job))
        return pairs * inference_sparse_heads(inference) /
               (job->attention_data * inference->peak_16bit);
    return pairs * s->heads / (job->tensor * attention_peak(inference));
}

static void set_total(struct step *step)
{
    step->total = step->weights + step->kv_cache + step->state + step->gemm + step->routing +
                  step->attention + inference_communication(step) + step->launch + step->requests +
                  step->transfer + step->draft;
}

bool inference_overlaps_halves(const struct inference *inference)
{
    enum engine engine = inference->job.engine;

    return communication_crosses(inference) && inference_exchanges_widely(&inference->job) &&
           engine != ENGINE_TENSORRT_LLM;
}

double inference_halves_longer(const struct inference *inference, const struct step *step,
                               double tokens)
{
    const struct model_shape *s = &inference->job.shape;
    double half = inference_read_seconds(inference, inference->bytes.fixed,
                                         inference_distinct_experts(s, tokens / 2));

    return step->launch + 2 * half - step->weights;
}

/* Both halves are in flight: a step takes as long as it computes, or as it sends. What is sent
 * while tokens are written occupies no part of the GPU (deepseek-ai/DeepEP, docs/legacy.md).
 * Engines do not halve a step that would take longer for it. */
static double hidden_seconds(const struct inference *inference, const struct step *step,
                             double tokens)
{
    double sent = inference_communication(step), computed = step->total - sent;
    double again = inference->exchanges * inference->exchange_seconds;

    return fmax(0, fmin(sent - inference_halves_longer(inference, step, tokens), computed - again));
}

/* A pass over `each` tokens of every request: weights and cache are read once for all of them. */
static void set_pass(struct step *step, const struct inference *inference, double batch,
                     double each, double context)
{
    const struct inference_constants *c = inference->constants;
    const struct inference_job *job = &inference->job;
    const struct model_shape *s = &job->shape;
    double t = job->tensor, tokens = batch * each;
    double cache = batch / job->attention_data * inference_cache_read(inference, context);

    step->weights = inference_read_seconds(inference, inference->bytes.fixed,
                                           inference_distinct_experts(s, tokens));
    step->kv_cache =
        cache / (inference->pool.shards * inference->memory_share * job->gpu->memory_bandwidth);
    /* The state is read and written back for each request, regardless of context. */
    step->state = 2 * batch * memory_state_bytes(&c->memory, s) /
                  (t * inference->memory_share * job->gpu->memory_bandwidth);
    step->gemm =
        2 * inference->active_weights * tokens / (t * inference->gemm_share * inference->peak);
    step->routing = inference_route_seconds(inference, tokens);
    if (inference->busiest > 1) {
        step->gemm *= inference_products_of_busiest(inference, inference->busiest);
        step->routing *= inference->busiest;
    }
    step->attention = inference_attention_seconds(inference, tokens, context);
    if (inference_attends_while_reading(job))
        step->attention = fmax(0, step->attention - step->kv_cache);
    struct communication sent = communication_of(inference, tokens);
    step->all_reduce_latency = sent.latency;
    step->all_reduce_volume = sent.volume;
    step->launch = inference->launch_seconds + inference->moe_launch_seconds;
    step->requests =
        inference->request_seconds * tokens / job->attention_data + inference->host_seconds;
    step->transfer = communication_stages(inference, tokens);
    step->draft = step->hidden = 0;
    set_total(step);
    if (inference_overlaps_halves(inference)) {
        step->hidden = hidden_seconds(inference, step, tokens);
        set_total(step);
    }
}

static SELDOM void add_adapters(struct step *step, const struct inference *inference, double batch,
                                double tokens)
{
    struct adapter_pass pass = adapters_pass(inference, batch, tokens);

    step->weights += pass.reads;
    step->gemm += pass.products;
    step->launch += pass.launch;
    set_total(step);
}

struct step inference_step(const struct inference *inference, double batch, double context)
{
    const struct speculation *ahead = &inference->job.speculation;
    struct step step, one;

    set_pass(&step, inference, batch, 1 + ahead->tokens, context);
    if (inference->job.adapters > 0)
        add_adapters(&step, inference, batch, batch * (1 + ahead->tokens));
    if (ahead->tokens > 0) {
        set_pass(&one, inference, batch, 1, context);
        if (inference->job.adapters > 0)
            add_adapters(&one, inference, batch, batch);
        step.draft = ahead->tokens * ahead->draft_cost * one.total;
        set_total(&step);
    }
    return step;
}

double inference_tokens_per_step(const struct speculation *ahead)
{
    if (ahead->tokens <= 0 || ahead->acceptance >= 1)
        return 1 + ahead->tokens;
    return (1 - pow(ahead->acceptance, ahead->tokens + 1)) / (1 - ahead->acceptance);
}
