#include "estimate/measurement/bound.h"

#include <math.h>

/* For a mixture only the experts of one token are counted: routing may be arbitrarily uneven. */
double bound_token_seconds(const struct inference *inference, double batch)
{
    const struct inference_constants *c = inference->constants;
    const struct inference_job *job = &inference->job;
    double each = fmax(1, batch / job->pipeline), context = inference_context(job);
    struct step step = inference_step(inference, each, context);
    double attention =
        inference_attention_seconds(inference, each * (1 + job->speculation.tokens), context);
    double full =
        (inference_early_amd_experts(job) ? c->f_experts_amd : 1) / inference->expert_copies;
    double shared = inference_read_seconds(inference, inference->bytes.fixed,
                                           full * inference_distinct_experts(&job->shape, 1));
    double read =
        shared * inference->weight_share + (step.kv_cache + step.state) * inference->memory_share;
    double worked = step.gemm * inference->gemm_share + attention * c->e_attn;

    return fmax(read, worked) / inference_tokens_per_step(&job->speculation);
}

static double prompt_seconds(const struct inference *inference)
{
    const struct inference_constants *c = inference->constants;
    const struct inference_job *job = &inference->job;
    bool llama = job->engine == ENGINE_LLAMA_CPP;
    double share = job->early_kernels ? inference->memory_share : llama ? c->l_attn : c->e_attn;

    return inference->prefill.gemm * inference->gemm_share + inference->prefill.attention * share;
}

double bound_first_token_seconds(const struct inference *inference)
{
    return prompt_seconds(inference);
}

/* Stages work in parallel, on prompts as on tokens. */
double bound_output_rate(const struct inference *inference, double batch)
{
    const struct inference_job *job = &inference->job;
    double prompt = job->separate_prefill ? 0 : prompt_seconds(inference) / job->pipeline;

    return job->output_tokens /
           (prompt + (job->output_tokens - 1) / batch * bound_token_seconds(inference, batch));
}

double bound_weights_per_gpu(const struct inference *inference)
{
    return memory_weights_total(&inference->bytes) /
           (inference->job.tensor * inference->job.pipeline);
}

/* Small differences of parameter counts, and two decimals of a log, are allowed. */
double bound_weights_nominal(const struct inference *inference)
{
    static const double ROUNDED = 0.99;
    const struct inference_job *job = &inference->job;
    struct weight_bytes nominal =
        memory_weight_bytes(&inference->constants->memory, &job->shape, job->weight_format, false,
                            memory_nominal_bytes(job->weight_format));

    return ROUNDED * memory_weights_total(&nominal) / (job->tensor * job->pipeline);
}

double bound_training_bytes(const struct training_job *job, double gpu_count)
{
    return training_least_bytes(job) / gpu_count;
}
