#include "estimate/measurement/inference_run.h"

#include "base/number.h"

#include "estimate/inference/release.h"
#include "estimate/inference/words.h"

#include <math.h>
#include <string.h>

/* 400 Gbit/s per GPU, as in clusters whose replicas span nodes. */
static const double NETWORK_RATE = 50e9;
/* Before CUDA graphs (pull request 6766 of ggml-org/llama.cpp), products of quantised weights on
 * tensor cores (7676, 7860) and default flash attention. */
static const char *const EARLY_LLAMA_CPP = "llama.cpp May 2024";

static bool find_kind(const char *word, enum inference_run_kind *kind)
{
    static const char *const words[INFERENCE_RUN_KINDS] = {"served",  "stream",  "static",
                                                           "offline", "prefill", "pools"};

    for (int i = 0; i < INFERENCE_RUN_KINDS; i++)
        if (strcmp(words[i], word) == 0) {
            *kind = (enum inference_run_kind)i;
            return true;
        }
    return false;
}

/* MLPerf's submissions name the TensorRT of a compiled engine first. */
static const char *const COMPILED = "TensorRT ";

static bool read_words(const struct measurement *measured, struct inference_run *run)
{
    struct inference_job *job = &run->job;

    return find_kind(measured->kind, &run->kind) &&
           words_find_engine(measured->engine, &job->engine) &&
           words_find_number(measured->weight_dtype, &job->weight_format) &&
           words_find_number(measured->kv_cache_dtype, &job->kv_format);
}

bool inference_run_read(const struct measurement *measured, const struct gpu *gpu,
                        const struct model_shape *shape, double memory_utilization,
                        struct inference_run *run, struct err *err)
{
    *run = (struct inference_run){.job = {.shape = *shape,
                                          .gpu = gpu,
                                          .bytes_per_weight = measured->bytes_per_weight,
                                          .tensor = measured->tensor_parallel,
                                          .pipeline = measured->pipeline_parallel,
                                          .attention_data = measured->attention_data_parallel,
                                          .gpus_per_node = 8,
                                          .network_rate = NETWORK_RATE,
                                          .input_tokens = measured->input_tokens,
                                          .output_tokens = measured->output_tokens,
                                          .memory_utilization = memory_utilization},
                                  .concurrency = measured->concurrent_requests};
    if (!read_words(measured, run))
        return err_set(err, ERR_INTERNAL, "run %s: kind %s, engine %s, weights %s, cache %s",
                       measured->id, measured->kind, measured->engine, measured->weight_dtype,
                       measured->kv_cache_dtype);
    run->job.early_kernels = strcmp(measured->engine_version, EARLY_LLAMA_CPP) == 0;
    run->job.built_engine = run->job.engine == ENGINE_TENSORRT_LLM &&
                            strncmp(measured->engine_version, COMPILED, strlen(COMPILED)) == 0;
    if (run->kind != INFERENCE_RUN_POOLS) /* whose version is that of Dynamo */
        release_apply(&run->job, measured->engine_version);
    run->job.whole_experts = measured->expert_parallel > 1;
    run->job.in_step = measured->output_tokens_cv <= 0;
    run->job.pass_tokens = number_or(measured->tokens_per_pass, 0);
    run->job.receive_interval = number_or(measured->receive_interval, 0);
    run->job.cold = measured->warmed_up <= 0;
    run->job.static_batching = run->kind == INFERENCE_RUN_STATIC;
    run->job.separate_prefill = run->kind == INFERENCE_RUN_POOLS;
    run->job.slots = number_or(measured->requests_max, 0);
    if (run->job.separate_prefill) {
        run->job.readers_each = number_or(measured->readers_each, 0);
        run->job.reading_tensor = number_or(measured->reading_tensor_parallel, 0);
        run->job.reading_groups = number_or(measured->reading_attention_groups, 0);
        run->job.reading_all_to_all = measured->reading_all_to_all > 0;
        run->job.output_cv = number_or(measured->output_tokens_cv, 0);
        run->job.pools_gpus = (double)INFINITY; /* racks and several servers */
    }
    return true;
}

static double read_prompts(const struct inference *inference, double prompts)
{
    const struct prefill *p = &inference->prefill;

    return prompts * p->marginal + p->fixed + p->transfer;
}

/* The measured batch did run, so it fits, whatever the memory estimate says. */
static double static_batch(const struct inference *inference, double batch)
{
    const struct inference_job *job = &inference->job;
    struct step step = inference_step(inference, batch, inference_context(job));

    return read_prompts(inference, batch) + (job->output_tokens - 1) * step.total;
}

static double wave(const struct inference *inference, double batch)
{
    const struct inference_job *job = &inference->job;
    struct step step =
        inference_step(inference, fmax(1, batch / job->pipeline), inference_context(job));

    double prompt =
        inference->prefill.marginal / job->pipeline + inference_eager_seconds(inference, batch);

    return batch * prompt + job->output_tokens * step.total;
}

/* Requests of one length, all queued from the start, run in waves of the replica's capacity, the
 * last one smaller. Returns seconds per output token. */
static double offline_seconds(const struct inference *inference, double requests)
{
    const struct inference_job *job = &inference->job;
    double held, most = 1 / inference_offline(inference, &held);

    if (isnan(requests))
        return most;
    held = fmin(floor(held), requests);
    double full = floor(requests / held), rest = requests - full * held;
    double total = full * wave(inference, held) + (rest > 0 ? wave(inference, rest) : 0);
    return total / (requests * job->output_tokens);
}

double inference_run_seconds(const struct inference *inference, const struct inference_run *run)
{
    switch (run->kind) {
    case INFERENCE_RUN_STREAM:
        return inference_step(inference, 1, inference_context(&run->job)).total;
    case INFERENCE_RUN_STATIC:
        return static_batch(inference, run->concurrency);
    case INFERENCE_RUN_OFFLINE:
        return offline_seconds(inference, run->concurrency);
    case INFERENCE_RUN_PREFILL:
        return read_prompts(inference, run->concurrency);
    default:
        return inference_serve(inference, run->concurrency).tpot;
    }
}

double inference_run_interval(const struct inference *inference, const struct inference_run *run)
{
    bool moe = run->job.shape.moe;
    double batch =
        run->kind == INFERENCE_RUN_STREAM ? 1 : inference_serve(inference, run->concurrency).batch;
    enum interval kind =
        run->kind == INFERENCE_RUN_STATIC    ? INTERVAL_STATIC
        : run->kind == INFERENCE_RUN_PREFILL ? inference_prefill_interval(inference)
        : run->kind != INFERENCE_RUN_OFFLINE ? inference_interval_kind(inference, batch)
        : moe                                ? INTERVAL_OFFLINE_MOE
                                             : INTERVAL_OFFLINE_DENSE;

    return inference_interval(inference, kind);
}
