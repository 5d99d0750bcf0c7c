#include "estimate/inference/serving/search.h"

#include <math.h>
#include <stdio.h>

/* An unknown figure exceeds every limit. */
static bool above(double value, double limit)
{
    return !isnan(limit) && !(value <= limit);
}

enum serving_limit serving_broken(const struct serving_limits *limits,
                                  const struct serving_times *times)
{
    if (above(times->latency, limits->latency_p95_seconds))
        return SERVING_LATENCY;
    if (above(times->ttft, limits->ttft_seconds))
        return SERVING_TTFT;
    if (above(times->ttft_most, limits->ttft_seconds))
        return SERVING_SLOTS;
    if (above(times->tpot, 1 / limits->user_tokens_per_second))
        return SERVING_USER_RATE;
    return SERVING_NOTHING;
}

bool serving_limited(const struct serving_limits *limits)
{
    return !isnan(limits->latency_p95_seconds) || !isnan(limits->ttft_seconds) ||
           !isnan(limits->user_tokens_per_second);
}

/* Add that the value contradicts another input. */
static void add(struct err *err, const char *field, double value, const char *text)
{
    char printed[32];

    snprintf(printed, sizeof(printed), "%.15g", value);
    err_add(err, field, printed, "contradiction", "%s", text);
}

/* The divisor of `whole` nearest to `wanted`, not above `most`. */
static double nearest_divisor(double whole, double wanted, double most)
{
    double best = 1;

    for (double d = 1; d <= fmin(whole, most); d++)
        if (fmod(whole, d) == 0 && fabs(d - wanted) < fabs(best - wanted))
            best = d;
    return best;
}

/* The number of GPUs nearest to `wanted`, not above `most`, that heads and KV heads are divided
 * over.
 */
static double nearest_split(const struct inference_job *job, double wanted, double most)
{
    double best = 1;

    for (double d = 1; d <= fmin(job->shape.heads, most); d++)
        if (serving_divides_heads(job, d) && fabs(d - wanted) < fabs(best - wanted))
            best = d;
    return best;
}

/* Check the number of attention groups. */
static void check_groups(const struct serving_request *request, struct err *err)
{
    const struct inference_job *job = &request->job;
    double groups = request->pinned.attention_data, t = request->pinned.tensor;
    char text[160];

    if (!(groups > 1))
        return;
    if (!job->shape.moe) {
        add(err, "attention_data_parallel", groups,
            "the model has no experts that groups could share: give replica_count instead");
    } else if (job->engine == ENGINE_LLAMA_CPP) {
        add(err, "attention_data_parallel", groups,
            "llama.cpp splits a model by layers: give replica_count instead");
    } else if (!isnan(t) && fmod(t, groups) != 0) {
        snprintf(text, sizeof(text), "must divide tensor_parallel, %g; nearest is %g", t,
                 nearest_divisor(t, groups, t));
        add(err, "attention_data_parallel", groups, text);
    }
}

/* The GPUs that share attention must divide the heads, and be in one node. */
static void check_tensor(const struct serving_request *request, struct err *err)
{
    const struct inference_job *job = &request->job;
    double t = request->pinned.tensor, heads = job->shape.heads;
    double groups = fmax(1, request->pinned.attention_data), together = t / groups;
    const char *over = groups > 1 ? "over attention_data_parallel " : "";
    char text[288];

    if (isnan(t) || fmod(t, groups) != 0) /* the groups are refused already */
        return;
    if (fmod(heads, together) != 0) {
        snprintf(text, sizeof(text), "%smust divide the model's %g attention heads; nearest is %g",
                 over, heads, groups * nearest_split(job, together, job->gpus_per_node));
        add(err, "tensor_parallel", t, text);
    } else if (!serving_divides_heads(job, together)) {
        snprintf(text, sizeof(text),
                 "%smust divide the model's %g KV heads or be a multiple of them; nearest is %g",
                 over, job->shape.kv_heads,
                 groups * nearest_split(job, together, job->gpus_per_node));
        add(err, "tensor_parallel", t, text);
    } else if (together > job->gpus_per_node && !serving_attends(job, together)) {
        snprintf(
            text, sizeof(text),
            "%smust not exceed gpus_per_node, %g: the all-reduces of every layer stay within a "
            "node or scale-up domain%s",
            over, job->gpus_per_node,
            gpu_is_computer(job->gpu)
                ? "; for computers linked to each other enter gpus_per_node, and the rate of their "
                  "network as link_gb_per_second"
                : "");
        add(err, "tensor_parallel", t, text);
    } else if (t > 1 && job->engine == ENGINE_LLAMA_CPP) {
        add(err, "tensor_parallel", t,
            "llama.cpp splits a model by layers: give pipeline_parallel instead");
    }
}

static void check_experts(const struct serving_request *request, struct err *err)
{
    double e = request->expert_parallel, t = request->pinned.tensor;
    double groups = request->pinned.attention_data;
    bool open = isnan(groups) ? isnan(t) && serving_can_group(&request->job) : groups > 1;
    const struct model_shape *shape = &request->job.shape;
    char text[160];

    if (isnan(e))
        return;
    if (e > 1 && !shape->moe) {
        add(err, "expert_parallel", e, "the model has no experts");
    } else if (shape->moe && fmod(shape->experts, e) != 0) {
        snprintf(text, sizeof(text), "must divide the model's %g experts", shape->experts);
        add(err, "expert_parallel", e, text);
    } else if (!isnan(t) && fmod(t, e) != 0) {
        snprintf(text, sizeof(text), "must divide tensor_parallel, %g: experts stay within it", t);
        add(err, "expert_parallel", e, text);
    } else if (!open && fmod(request->job.gpus_per_node, e) != 0) {
        snprintf(text, sizeof(text),
                 "must divide gpus_per_node, %g: experts stay within a node unless "
                 "attention_data_parallel is over 1",
                 request->job.gpus_per_node);
        add(err, "expert_parallel", e, text);
    }
}

/* Replicas of both kinds as given, at least one of each that is open. */
static double fewest_replicas(const struct serving_request *request, bool *all)
{
    const struct serving_design *pinned = &request->pinned;
    double writing = isnan(pinned->replicas) ? 1 : pinned->replicas;
    double reading = isnan(pinned->prefill_replicas) ? 1 : pinned->prefill_replicas;

    *all = !isnan(pinned->replicas);
    if (!request->job.separate_prefill)
        return writing;
    *all = *all && !isnan(pinned->prefill_replicas);
    return writing + reading;
}

/* If everything is given, GPUs = replicas x GPUs per replica; otherwise the given values must leave
 * room.
 */
static void check_count(const struct serving_request *request, struct err *err)
{
    const struct serving_design *pinned = &request->pinned;
    bool apart = request->job.separate_prefill, all;
    double t = isnan(pinned->tensor) ? fmax(1, pinned->attention_data) : pinned->tensor;
    double p = isnan(pinned->pipeline) ? 1 : pinned->pipeline;
    double least = t * p * fewest_replicas(request, &all), each = all || !apart ? least : t * p;
    bool exact = all && !isnan(pinned->tensor) && !isnan(pinned->pipeline);
    const char *names = apart ? "(replica_count + prefill_replica_count)" : "replica_count";
    char text[192];

    if (isnan(pinned->gpu_count))
        return;
    if (exact && pinned->gpu_count != least) {
        snprintf(text, sizeof(text),
                 "must be tensor_parallel x pipeline_parallel x %s, which is %g", names, least);
        add(err, "gpu_count", pinned->gpu_count, text);
    } else if (pinned->gpu_count < least || fmod(pinned->gpu_count, each) != 0) {
        snprintf(text, sizeof(text),
                 "must be a multiple of the degrees given, which make %g, and at least %g; nearest "
                 "is %g",
                 each, least, fmax(floor(pinned->gpu_count / each) * each, least));
        add(err, "gpu_count", pinned->gpu_count, text);
    }
}

/* Check the prefill replicas. */
static void check_prefill(const struct serving_request *request, struct err *err)
{
    double prefill = request->pinned.prefill_replicas;

    if (request->job.separate_prefill && request->job.static_batching)
        add(err, "separate_prefill", 1,
            "the requests of a static batch are read and written together: give "
            "batching=continuous");
    if (!request->job.separate_prefill && !isnan(prefill))
        add(err, "prefill_replica_count", prefill,
            "has no effect without separate_prefill=1: enter both, or replica_count");
}

static void check_stages(const struct serving_request *request, struct err *err)
{
    const struct serving_design *pinned = &request->pinned;
    double p = isnan(pinned->pipeline) ? 1 : pinned->pipeline;

    if (p > request->job.shape.layers) {
        char text[96];
        snprintf(text, sizeof(text), "must not exceed the model's %g layers",
                 request->job.shape.layers);
        add(err, "pipeline_parallel", p, text);
    }
}

/* llama.cpp computes requests with different adapters sequentially ("requests with different LoRA
 * configurations will not be batched together", tools/server/README.md). */
static void check_adapters(const struct serving_request *request, struct err *err)
{
    const struct inference_job *job = &request->job;

    if (job->adapters > 0 && job->engine == ENGINE_COMPILED)
        add(err, "adapters", job->adapters,
            "single-stream engines serve no adapters alongside the model: give vllm, sglang or "
            "tensorrt_llm as engine");
    else if (job->adapters > 1 && job->engine == ENGINE_LLAMA_CPP)
        add(err, "adapters", job->adapters,
            "llama.cpp does not batch requests of different adapters: give vllm, sglang or "
            "tensorrt_llm as engine");
}

bool serving_check(const struct serving_request *request, struct err *err)
{
    check_adapters(request, err);
    check_groups(request, err);
    check_tensor(request, err);
    check_experts(request, err);
    check_prefill(request, err);
    check_count(request, err);
    check_stages(request, err);
    return err->n_culprits == 0;
}

void serving_set_roomy(struct serving_request *request)
{
    struct inference_job *job = &request->job;
    bool shares = job->engine == ENGINE_UNSPECIFIED || job->engine == ENGINE_VLLM ||
                  job->engine == ENGINE_SGLANG; /* these take a share of the whole memory */

    job->roomy = shares && isnan(request->pinned.tensor) && isnan(request->pinned.gpu_count) &&
                 !(job->sharing > 0);
}

bool serving_is_crowded(const struct inference *inference)
{
    const struct kv_pool *pool = &inference->pool;

    return inference->job.roomy && !memory_is_seen(&inference->job.seen) &&
           pool->weights + pool->reserve > inference->job.memory_utilization * pool->capacity;
}
