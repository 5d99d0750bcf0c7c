#include "estimate/inference/prefill.h"

#include "base/root.h"
#include "estimate/inference/communication.h"

#include <math.h>

static const double US = 1e-6;

/* Token pairs in attention, over all layers: causal, so half of the square, all of it in an
 * encoder; tokens in the prefix cache are attended to but not computed. *squared is the fraction
 * that is quadratic in the prompt length. */
static double attended(const struct inference_job *job, double *squared)
{
    const struct model_shape *shape = &job->shape;
    double i = job->input_tokens, cached = i * job->cached_ratio;
    double square = (shape->encoder ? 2 : 1) * (i * i - cached * cached) * shape->full_layers;
    double window = 2 * (i - cached) * fmin(i, shape->window) * shape->sliding_layers;

    *squared = square + window > 0 ? square / (square + window) : 0;
    return shape->heads * (shape->prefill_key_dim + shape->prefill_value_dim) * (square + window);
}

bool inference_selects_tokens(const struct inference_job *job)
{
    bool all = job->engine == ENGINE_SGLANG && job->input_tokens <= job->shape.index_top_k;

    return inference_indexes(job) && !all;
}

double inference_selected_pairs(const struct inference_job *job)
{
    double pairs = 0, ends[2] = {job->input_tokens, job->input_tokens * job->cached_ratio};

    for (int i = 0; i < 2; i++) {
        double most = fmin(ends[i], job->shape.index_top_k);
        pairs += (i == 0 ? 1 : -1) * most * (ends[i] - most / 2);
    }
    return pairs;
}

/* With an indexer (DSA, arXiv 2512.02556) each token of a prompt attends to the latents of at most
 * index_top_k tokens, for all heads as wide as they are cached. The indexer scores all pairs of
 * tokens, whole on each GPU. SGLang attends to all tokens where there are no more than it would
 * select. */
static SELDOM void attend_to_selected(const struct inference *inference, double tokens,
                                      struct prefill *prefill)
{
    const struct inference_constants *c = inference->constants;
    const struct inference_job *job = &inference->job;
    const struct model_shape *s = &job->shape;
    double i = job->input_tokens, cached = i * job->cached_ratio;
    double each = s->layers / job->attention_data;
    double selected = each * 2 * inference_sparse_heads(inference) * s->decode_head_work *
                      inference_selected_pairs(job) / (c->e_sparse * inference->peak_16bit);
    double scores = each * s->index_heads * s->index_dim * (i * i - cached * cached) /
                    (c->e_index * job->gpu->peak[PEAK_FP8]);

    prefill->attention = selected + scores + each * tokens * c->c_index_us * US;
    prefill->square = scores + (i <= s->index_top_k ? selected : 0);
}

/* Seconds by which the products of attention through a latent take longer than those of as many
 * other weights: projections down to it are whole on each GPU (ReplicatedLinear in
 * vllm-project/vllm, vllm/model_executor/models/deepseek_v2.py), and those in FP8 blocks are
 * narrow. Kernels timed alone say so (tests/accuracy/README.md). */
static SELDOM double latent_seconds(const struct inference *inference, double tokens)
{
    const struct inference_job *job = &inference->job;
    const struct model_shape *s = &job->shape;
    double gpus = inference->attention_gpus, divided = s->attention_weights / gpus;
    double all = divided + s->latent_weights * (1 - 1 / gpus);
    double slower = inference_latent_blocks(job) ? 1 / inference->constants->f_latent : 1;

    if (job->engine == ENGINE_LLAMA_CPP)
        return 0;
    return 2 * s->layers * tokens * (all * slower - divided) /
           (job->attention_data * inference->dense_share * inference->peak);
}

/* Two norms a layer read the residual and write it back, whole on each GPU of a tensor group
 * (vllm-project/vllm, csrc/layernorm_kernels.cu, fused_add_rms_norm). What the product before them
 * wrote and the next one reads is still in the GPU's L2 cache. So is all of it where a pass has few
 * tokens: a decode step (256 of width 8,192 are 4 MB) and llama.cpp's passes of 512. */
static double norm_seconds(const struct inference *inference, double tokens)
{
    const struct inference_job *job = &inference->job;
    const double norms = 2, read_and_written = 2 * ACTIVATION_BYTES;

    if (job->engine == ENGINE_LLAMA_CPP)
        return 0;
    return norms * read_and_written * job->shape.layers * job->shape.hidden * tokens /
           (job->attention_data * inference->memory_share * job->gpu->memory_bandwidth);
}

/* Seconds of a prompt that fall to the GPUs of its attention group: all but the experts. */
static double shared(const struct inference *inference, const struct prefill *prefill)
{
    return prefill->gemm /
               inference_products_of_busiest(inference, inference_prompt_busiest(inference)) *
               (1 - model_shape_expert_fraction(&inference->job.shape)) +
           prefill->norms + prefill->attention + prefill->scan + prefill->tower;
}

static double unevenness(const struct inference *inference)
{
    const struct inference_job *job = &inference->job;
    bool uneven = job->separate_prefill && job->attention_data > 1 && job->shape.moe;

    return uneven ? inference_unevenness(inference) : 1;
}

/* With data-parallel attention each group reads a prompt at a time; a single prompt has only its
 * group's GPUs, except for the experts. On replicas that only read, the GPU whose experts have
 * the most tokens decides. */
static double alone(const struct inference *inference, const struct prefill *prefill)
{
    const struct inference_job *job = &inference->job;

    return (job->attention_data - 1) * prefill->shared +
           (unevenness(inference) - 1) * prefill->marginal;
}

/* Each prompt uses one adapter. */
static void add_adapter(const struct inference *inference, double tokens, struct prefill *prefill)
{
    struct adapter_pass pass = adapters_pass(inference, 1, tokens);

    prefill->gemm += pass.products;
    prefill->weights += pass.reads;
    prefill->launch += pass.launch;
}

/* Attention scores that llama.cpp computed before it had flash attention: each chunk with
 * everything before it and itself, over all layers. */
static double scores(const struct inference *inference, double tokens)
{
    const struct inference_job *job = &inference->job;
    double chunk = fmin(tokens, inference->constants->prefill_chunk_tokens);

    return job->shape.layers * job->shape.heads * tokens *
           (job->input_tokens - tokens + (tokens + chunk) / 2);
}

/* Seconds to widen the weights to 16 bit in memory for each pass and read them again, as llama.cpp
 * did before its kernels could multiply quantised weights. */
static double widening_seconds(const struct inference *inference)
{
    const struct inference_job *job = &inference->job;
    double bits16 = 2 * 2 * inference->body_weights; /* bytes, written and read */

    if (!job->early_kernels || memory_kernel_format(job->weight_format) == NUMBER_FP16)
        return 0;
    return bits16 / (job->tensor * inference->memory_share * job->gpu->memory_bandwidth);
}

/* Chunks of a prompt pass the state on, each after the one before. That keeps a GPU's matrix units
 * idle: kernels take as long in 16 bit as in FP8, on Blackwell as on Hopper, whose vector units are
 * alike. Left out for GPUs whose rate in FP32 is not known. */
static SELDOM void add_scan(const struct inference *inference, double tokens,
                            struct prefill *prefill)
{
    const struct inference_job *job = &inference->job;
    double elements = job->shape.linear_layers * job->shape.recurrent_state_elements;
    double seconds = inference->constants->c_scan * elements * tokens /
                     (job->tensor * job->gpu->peak[PEAK_FP32]);

    prefill->scan = seconds > 0 ? seconds : 0;
    prefill->marginal += prefill->scan;
}

/* Only the first stage has a tower, and each attention group reads its own images. The time is
 * averaged over the stages. */
static void add_images(const struct inference *inference, struct prefill *prefill)
{
    const struct inference_job *job = &inference->job;

    prefill->tower = vision_seconds(inference) / job->attention_data;
    prefill->marginal += prefill->tower * job->pipeline;
}

double inference_admitted(const struct inference *inference)
{
    double admitted = inference->constants->b_max * inference->job.attention_data;

    /* Sharing a GPU does not increase what it admits. */
    return inference->job.sharing > 1 ? admitted / inference->job.sharing : admitted;
}

double inference_requests_full(const struct inference *inference)
{
    return fmax(1, fmin(inference->pool.requests, inference_admitted(inference)));
}

/* `of` to the power of a whole number, in a fraction of the time of pow(). */
static double power(double of, double times)
{
    double result = 1;

    for (double i = 0; i < times; i++)
        result *= of;
    return result;
}

/* The mean of the largest of `passes` Poisson variables, none counted above `most`: the sum over k
 * of the probability that one is over k. *slope is its derivative by their mean if there is one. */
static double mean_of_largest(double mean, double most, double passes, double *slope)
{
    double end = fmin(most, mean + 9 * (sqrt(mean) + 1)), each = exp(-mean), below = 0;
    double sum = 0, slopes = 0;

    for (double k = 0; k < end; k++) { /* calls nothing: most of the time of staged designs */
        double part = most - k < 1 ? most - k : 1;
        below = below + each < 1 ? below + each : 1;
        sum += (1 - power(below, passes)) * part;
        slopes += each * part;
        each *= mean / (k + 1);
    }
    *slope = slopes;
    return sum;
}

/* The same for variables of a given mean that are cut off at `most`, as prompts that a pass cannot
 * take come in the next: the uncut mean is found by Newton's method, from below. */
static double largest_cut(double mean, double most, double passes)
{
    enum { STEPS = 40 };
    const double near = 1e-12, many = 600; /* below exp()'s underflow */
    double uncut = mean, slope;

    if (mean >= most) /* all are full, or more come than they take */
        return mean;
    if (most <= 1 + near) /* it reads one prompt or none */
        return 1 - power(1 - mean, passes);
    if (mean + 9 * (sqrt(mean) + 1) <= most) /* the cut is far away */
        return mean_of_largest(mean, most, passes, &slope);
    if (mean > many)
        return fmin(most, mean + inference_largest_of(passes) * sqrt(mean));
    for (int i = 0; i < STEPS && uncut < many; i++) {
        double less = mean - mean_of_largest(uncut, most, 1, &slope);
        if (!(less > near * mean))
            break;
        uncut += less / slope;
    }
    return mean_of_largest(fmin(uncut, many), most, passes, &slope);
}

double inference_prompts_in_pass(const struct inference *inference, double flight)
{
    const struct inference_job *job = &inference->job;

    return flight * inference_tokens_per_step(&job->speculation) /
           (job->pipeline * job->output_tokens);
}

/* Prompts of all lengths count as fewer, longer ones of the same mean and variance; one that takes
 * several passes counts as a prompt for each. A full pass is as long as one of uncached prompts. */
double inference_largest_pass(const struct inference *inference, double prompts)
{
    const struct inference_job *job = &inference->job;
    const struct prefill *p = &inference->prefill;
    double full = inference_pass_tokens(inference) * p->uncached / job->input_tokens;
    double each = fmin(p->marginal * (1 + job->input_cv * job->input_cv), full) / p->marginal;

    return each * largest_cut(prompts / each, full / (each * p->marginal), job->pipeline);
}

bool inference_stages_wait(const struct inference_job *job)
{
    return job->pipeline > 1 && !job->writes_nothing && !job->separate_prefill;
}

double inference_stages_gained(const struct inference *inference, double flight)
{
    double prompts = inference_prompts_in_pass(inference, flight);

    if (!inference_stages_wait(&inference->job))
        return inference->job.pipeline;
    return inference->job.pipeline * prompts / inference_largest_pass(inference, prompts);
}

/* Stages whose steps last longer by the prompts of the largest pass. */
struct stages {
    const struct inference *inference;
    double step, rate;
    double prompt; /* seconds of a prompt on one stage */
};

/* Seconds by which a step exceeds the assumed `round`, during which prompts arrive. */
static double round_excess(const struct stages *of, double round)
{
    double prompts = of->rate * round / of->inference->job.pipeline;

    return of->step + of->prompt * inference_largest_pass(of->inference, prompts) - round;
}

double inference_stages_round(const struct inference *inference, double step, double rate)
{
    enum { STEPS = 60 };
    const double near = 1e-10;
    struct stages of = {inference, step, rate, inference_prompt_moments(inference, 1).first};
    struct root root = {step, step, round_excess(&of, step), 0, 0};

    if (!(rate * inference_prompt_moments(inference, inference->job.pipeline).first < 1))
        return (double)INFINITY;
    do {
        root.high *= 2;
        root.at_high = round_excess(&of, root.high);
    } while (root.at_high > 0);
    for (int i = 0; i < STEPS && root.high - root.low > near * root.high; i++) {
        double round = root_guess(&root), excess = round_excess(&of, round);
        if (fabs(excess) <= near * round)
            return round;
        root_narrow(&root, round, excess);
    }
    return root.high;
}

static void set_times(struct inference *inference)
{
    const struct inference_constants *c = inference->constants;
    const struct inference_job *job = &inference->job;
    struct prefill *p = &inference->prefill;
    bool llama = job->engine == ENGINE_LLAMA_CPP;
    double busiest = inference_prompt_busiest(inference);
    double t = job->tensor, tokens = job->input_tokens * (1 - job->cached_ratio);
    double layers = inference->bytes.all_layers - job->shape.experts * inference->bytes.expert;
    double chunk = job->pass_tokens > 0 ? job->pass_tokens : c->prefill_chunk_tokens;
    double passes = llama ? fmax(1, ceil(tokens / chunk)) : 1, squared;

    p->gemm = 2 * inference->body_weights * tokens / (t * inference->gemm_share * inference->peak);
    p->routing = busiest * inference_route_seconds(inference, tokens);
    if (busiest > 1)
        p->gemm *= inference_products_of_busiest(inference, busiest);
    p->attention =
        attended(job, &squared) / (t * (llama ? c->l_attn : c->e_attn) * inference->peak_16bit);
    if (job->early_kernels)
        p->attention = scores(inference, tokens) * c->l_score /
                       (t * inference->memory_share * job->gpu->memory_bandwidth);
    p->square = p->attention * squared;
    if (inference_selects_tokens(job))
        attend_to_selected(inference, tokens, p);
    p->latent = job->shape.mla ? latent_seconds(inference, tokens) : 0;
    p->attention += p->latent;
    p->norms = norm_seconds(inference, tokens);
    p->all_reduce = communication_prompt_volume(inference, tokens);
    p->weights = passes * (inference_read_seconds(inference, layers, job->shape.experts) +
                           widening_seconds(inference));
    p->launch = c->c_pre * inference->launch_seconds + inference->moe_launch_seconds;
    if (job->adapters > 0)
        add_adapter(inference, tokens, p);
    p->marginal = p->gemm + p->routing + p->norms + p->attention + p->all_reduce;
    p->scan = 0;
    if (job->shape.linear_layers > 0)
        add_scan(inference, tokens, p);
    if (job->images > 0)
        add_images(inference, p);
    p->fixed = p->weights + p->launch;
    p->shared = shared(inference, p);
    p->transfer = communication_stages(inference, tokens);
    p->one =
        p->marginal + alone(inference, p) + p->fixed + p->transfer - (job->pipeline - 1) * p->tower;
    p->uncached = p->marginal;
}

void prefill_set(struct inference *inference)
{
    const struct inference_job *job = &inference->job;

    set_times(inference);
    if (inference_stages_wait(job) && job->cached_ratio > 0) {
        struct inference plain = *inference;
        plain.job.cached_ratio = 0;
        set_times(&plain);
        inference->prefill.uncached = plain.prefill.marginal;
    }
    inference->prefill.stages =
        inference_stages_gained(inference, inference_requests_full(inference));
}

double inference_pass_tokens(const struct inference *inference)
{
    double asked = inference->job.pass_tokens;

    return asked > 0 ? asked : inference->constants->ttft_pass_tokens;
}

double inference_step_tokens(const struct inference *inference)
{
    return inference_pass_tokens(inference) * inference->job.pipeline;
}

bool inference_reads_while_writing(const struct inference_job *job)
{
    bool planned = job->engine == ENGINE_VLLM && job->receive_interval > 1;

    return job->engine != ENGINE_SGLANG && !planned;
}

/* Prefill takes a x length + b x length^2, where the second term is attention. */
struct raw_moments inference_prompt_moments(const struct inference *inference, double gained)
{
    const struct prefill *p = &inference->prefill;
    const double *u = inference->prompts.powers;
    double b = p->square / gained, a = p->marginal / gained - b;

    return (struct raw_moments){
        a * u[1] + b * u[2],
        a * a * u[2] + 2 * a * b * u[3] + b * b * u[4],
        a * a * a * u[3] + 3 * a * a * b * u[4] + 3 * a * b * b * u[5] + b * b * b * u[6],
    };
}

double inference_host_seconds(const struct inference *inference)
{
    const struct inference_constants *c = inference->constants;
    const struct inference_job *job = &inference->job;
    const struct model_shape *shape = &job->shape;
    double us = c->ttft_request_us;

    if (!inference_experts_fused(job) && !job->built_engine)
        us += inference_host_moe_us(c, job) * shape->moe_layers;
    if (shape->mla && job->engine == ENGINE_TENSORRT_LLM)
        us += c->ttft_mla_layer_us * shape->layers;
    return US * us;
}
