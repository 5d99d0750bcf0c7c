/* variants.c - the search over what else a design may choose: the tokens of prompts in one pass,
 * and whether GPUs of their own read prompts. */
#include "estimate/inference/serving/search.h"

#include <math.h>

/* What engines take by themselves: vLLM 2048, 8192 or 16384, on TPUs from 512
 * (engine/arg_utils.py, get_batch_defaults); SGLang 2048 to 16384 by the GPU's memory
 * (srt/server_args.py, chunked_prefill_size); TensorRT-LLM 8192 (max_num_tokens). */
static const double PASSES[] = {16384, 8192, 2048, 512};

/* Engines that cut prompts, and hand the cache of one to another server: vLLM's and TensorRT-LLM's
 * disaggregated serving, SGLang's --disaggregation-mode. */
static bool is_served(enum engine engine)
{
    return engine == ENGINE_UNSPECIFIED || engine == ENGINE_VLLM || engine == ENGINE_SGLANG ||
           engine == ENGINE_TENSORRT_LLM;
}

/* Random arrivals on replicas whose number is open. Measured runs were made in one way. */
static bool can_vary(const struct serving_request *request)
{
    const struct inference_job *job = &request->job;
    const struct serving_design *pinned = &request->pinned;

    return request->load == SERVING_RATE && isnan(pinned->replicas) && isnan(pinned->gpu_count) &&
           is_served(job->engine) && !request->residuals.correct && !job->static_batching &&
           !(job->sharing > 0) && !job->separate_prefill;
}

static bool try_variant(const struct serving_request *variant, double below,
                        struct serving_plan *plan)
{
    struct serving_plan found;

    if (below <= 1 || !serving_search_below(variant, below, &found))
        return false;
    *plan = found;
    return true;
}

bool serving_search_passes(const struct serving_request *request, double below,
                           struct serving_plan *plan)
{
    const struct inference_job *job = &request->job;
    struct serving_request variant = *request;
    bool found = false;

    /* Attention both ways needs the whole prompt in one pass. */
    if (!request->passes_open || job->pass_tokens > 0 || job->shape.encoder || !can_vary(request))
        return false;
    for (size_t i = 0; i < sizeof(PASSES) / sizeof(*PASSES); i++) {
        variant.job.pass_tokens = PASSES[i];
        if (PASSES[i] == request->constants->ttft_pass_tokens ||
            !try_variant(&variant, below, plan))
            continue;
        plan->design.pass_tokens = PASSES[i];
        below = plan->design.gpu_count;
        found = true;
    }
    return found;
}

/* Published deployments are on GPUs of these two vendors; none has adapters or images. Where
 * nothing is written, all GPUs read anyway. */
bool serving_search_apart(const struct serving_request *request, double below,
                          struct serving_plan *plan)
{
    const struct inference_job *job = &request->job;
    bool vendor = gpu_is_nvidia(job->gpu) || gpu_is_amd(job->gpu);
    struct serving_request variant = *request;

    if (!request->apart_open || !vendor || job->output_tokens <= 1 || job->adapters > 0 ||
        job->images > 0 || !can_vary(request))
        return false;
    variant.job.separate_prefill = true;
    return try_variant(&variant, below, plan);
}

static double rent(const struct serving_request *request, const struct serving_design *design)
{
    if (!request->book)
        return (double)NAN;
    return design->gpu_count *
           price_match_per_gpu_hour(request->book, design->gpu_count, serving_connected(design));
}

/* A cluster in which replicas send each other prompts may cost more than GPUs that are connected
 * only within a replica, or be for rent nowhere. */
static bool is_dearer(const struct serving_request *request, const struct serving_design *apart,
                      const struct serving_design *together)
{
    double price = rent(request, together);

    return !isnan(price) && !(rent(request, apart) <= price);
}

/* serving_search() among designs of fewer than `below` GPUs. Prompts are read apart only if that
 * costs no more than the design found without or, if there is none, than `than` (NULL: any cost).
 */
static bool search_below(const struct serving_request *request, double below,
                         const struct serving_design *than, struct serving_plan *plan)
{
    struct serving_plan apart;
    bool met = serving_search_below(request, below, plan);

    below = fmin(met ? plan->design.gpu_count : SERVING_GPUS_MAX, below);
    if (serving_search_passes(request, below, plan)) {
        met = true;
        below = plan->design.gpu_count;
    }
    than = met ? &plan->design : than;
    if (serving_search_apart(request, below, &apart) &&
        !(than && is_dearer(request, &apart.design, than))) {
        *plan = apart;
        met = true;
    }
    return met;
}

bool serving_search(const struct serving_request *request, struct serving_plan *plan)
{
    return search_below(request, (double)INFINITY, NULL, plan);
}

bool serving_search_smaller(const struct serving_request *request,
                            const struct serving_design *than, double gpus_most,
                            struct serving_plan *plan)
{
    return search_below(request, floor(gpus_most) + 1, than, plan);
}

bool serving_search_free(const struct serving_request *request, struct serving_plan *plan)
{
    const double open = (double)NAN;
    struct serving_request free = *request;

    free.pinned =
        (struct serving_design){open, open, open, open, open, request->pinned.attention_data, 0};
    free.job.gpus_per_node = request->free_gpus_per_node;
    serving_set_roomy(&free);
    if (request->job.sharing > 0)
        free.pinned.tensor = free.pinned.pipeline = 1;
    return serving_search(&free, plan);
}
