/* splits.c - the shardings of a layer supported by engines: tensor parallelism, and for experts
 * data-parallel attention with the experts sharded over all groups. */
#include "estimate/inference/serving/search.h"

#include <math.h>

/* The most GPUs over which experts are spread, and the numbers of servers, as published. Within an
 * NVLink domain any number of nodes is allowed.
 * NVIDIA: DeepSeek-V3 and R1 decode on 144 GPUs, 18 servers (github.com/deepseek-ai/
 * open-infra-index, day 6, 2025-03-01), SGLang on 9 (lmsys.org/blog/2025-05-05-large-scale-ep);
 * DeepEP's kernels between servers are built for 2, 4, 8 and 16 (github.com/deepseek-ai/DeepEP,
 * csrc/kernels/launch.cuh at 2bd56ae1). */
static const double EXPERT_GPUS_MOST = 144;
static const double SERVERS_OF_SGLANG = 9, SERVERS_OF_DEEPSEEK = 18;
/* AMD: EP8, EP16 and EP32 of MI300X, four servers (github.com/ROCm/mori, README.md at 05bb5f40).
 * Its own deployment of DeepSeek takes two servers, so that a fault stops few (rocm.blogs.amd.com/
 * software-tools-optimization/wide-ep-deepseek, 2025-11-12). */
static const double EXPERT_GPUS_MOST_AMD = 32;
/* Gaudi: the two servers of Habana's scripts for DeepSeek-R1 (github.com/HabanaAI/vllm-fork,
 * scripts/DEEPSEEK_R1_ON_GAUDI.md at d8424454). */
static const double EXPERT_GPUS_MOST_GAUDI = 16;
/* TPU: Qwen3-Coder 480B on 64 of v6e, with attention over 32 (github.com/AI-Hypercomputer/
 * tpu-recipes, inference/trillium/SGLang-Jax/Qwen3-MoE/README.md at 168ad4d7). All slices of up to
 * 64 chips are of 1, 4, 8, 16, 32 or 64 (docs.cloud.google.com/tpu/docs/v6e and /v5p, read
 * 2026-11-27). */
static const double EXPERT_GPUS_MOST_TPU = 64;

/* Divisors of a node, and nodes of a scale-up domain, up to 1024 GPUs. */
enum { DIVISORS_MAX = 48 };

static bool divides(double part, double whole)
{
    return fmod(whole, part) == 0;
}

bool serving_can_group(const struct inference_job *job)
{
    return job->shape.moe && job->engine != ENGINE_LLAMA_CPP && job->engine != ENGINE_COMPILED;
}

/* Maximum number of GPUs for all-reduces in every layer. */
static double together_most(const struct inference_job *job)
{
    return fmax(job->gpus_per_node, inference_link_domain(job->gpu, job->bridged));
}

/* Each GPU has as many KV heads as every other, or as many GPUs share each: vLLM asserts one or the
 * other (vllm/model_executor/models/llama.py, read 2026-11-30). A latent has no such heads. */
bool serving_divides_heads(const struct inference_job *job, double gpus)
{
    double kv_heads = job->shape.kv_heads;

    return divides(gpus, job->shape.heads) &&
           (job->shape.mla || divides(gpus, kv_heads) || divides(kv_heads, gpus));
}

/* GPUs that share attention: heads are divided evenly, within a node or over whole nodes of one
 * scale-up domain. */
bool serving_attends(const struct inference_job *job, double gpus)
{
    double node = job->gpus_per_node;

    return serving_divides_heads(job, gpus) && gpus <= together_most(job) &&
           (divides(gpus, node) || divides(node, gpus));
}

static double experts_most(const struct inference_job *job)
{
    double domain = inference_link_domain(job->gpu, job->bridged);

    if (gpu_is_tpu(job->gpu))
        return EXPERT_GPUS_MOST_TPU;
    if (domain <= 1)
        return job->gpus_per_node;
    return fmax(domain, gpu_is_nvidia(job->gpu)  ? EXPERT_GPUS_MOST
                        : gpu_is_amd(job->gpu)   ? EXPERT_GPUS_MOST_AMD
                        : gpu_is_gaudi(job->gpu) ? EXPERT_GPUS_MOST_GAUDI
                                                 : 0);
}

static bool is_power_of_two(double number)
{
    int exponent;

    return frexp(number, &exponent) == 0.5;
}

/* Whether that many GPUs of whole nodes are a slice, where GPUs come in slices. */
static bool are_sold(const struct inference_job *job, double gpus)
{
    return !gpu_is_tpu(job->gpu) || gpus <= job->gpus_per_node || is_power_of_two(gpus);
}

/* Whether experts spread over that many GPUs are published. */
static bool spreads(const struct inference_job *job, double gpus)
{
    double nodes = gpus / job->gpus_per_node;

    if (nodes <= 1 || gpus <= inference_link_domain(job->gpu, job->bridged))
        return true;
    return is_power_of_two(nodes) || (gpu_is_nvidia(job->gpu) &&
                                      (nodes == SERVERS_OF_SGLANG || nodes == SERVERS_OF_DEEPSEEK));
}

/* SGLang's guide to DeepSeek names servers of H200, B200, MI300X, H100, H800 and H20 for FP8, of
 * A100 and A800 for BF16, INT8 and AWQ, and of cards without a link only 32 L40S, for INT8, in one
 * tensor group (docs.sglang.io/docs/basic_usage/deepseek_v3, read 2026-11-29). vLLM's recipe names
 * H200 and B200 (docs.vllm.ai/projects/recipes, DeepSeek-V3, read 2026-11-29). Hosts with a
 * single GPU do not count as unlinked. */
bool serving_is_unlinked(const struct inference_job *job)
{
    double node = job->gpus_per_node;

    return node > 1 && job->tensor * job->pipeline > node &&
           inference_link_domain(job->gpu, job->bridged) <= 1;
}

struct splits {
    const struct serving_request *request;
    struct serving_split *at;
    size_t n;
};

static void add(struct splits *splits, double tensor, double groups)
{
    double experts = splits->request->expert_parallel;

    if (splits->n < SERVING_SPLITS_MAX && (isnan(experts) || divides(experts, tensor)))
        splits->at[splits->n++] = (struct serving_split){tensor, groups};
}

/* Add all that fill an even share of a node or whole nodes. */
static void add_all(struct splits *splits, const double *together, size_t n)
{
    const struct inference_job *job = &splits->request->job;
    double node = job->gpus_per_node, most = serving_can_group(job) ? experts_most(job) : 0;

    for (double t = 1; t <= fmax(most, n ? together[n - 1] : 0); t += t < node ? 1 : node) {
        if ((!divides(t, node) && !divides(node, t)) || !are_sold(job, t))
            continue;
        for (size_t i = n; i-- > 0;)
            if (together[i] == t || (divides(together[i], t) && t <= most && spreads(job, t)))
                add(splits, t, t / together[i]);
    }
}

size_t serving_splits(const struct serving_request *request,
                      struct serving_split at[SERVING_SPLITS_MAX])
{
    const struct inference_job *job = &request->job;
    const struct serving_design *pinned = &request->pinned;
    struct splits splits = {request, at, 0};
    double together[DIVISORS_MAX], groups = pinned->attention_data;
    double most = job->engine == ENGINE_LLAMA_CPP ? 1 : fmin(together_most(job), job->shape.heads);
    size_t n = 0;

    if (!isnan(pinned->tensor)) { /* its GPUs share attention unless groups are given */
        at[0] = (struct serving_split){pinned->tensor, isnan(groups) ? 1 : groups};
        return 1;
    }
    for (double gpus = 1; gpus <= most && n < DIVISORS_MAX; gpus++)
        if (serving_attends(job, gpus))
            together[n++] = gpus;
    if (isnan(groups))
        add_all(&splits, together, n);
    for (size_t i = 0; i < n && !isnan(groups); i++)
        add(&splits, together[i] * fmax(1, groups), fmax(1, groups));
    return splits.n;
}

/* The most GPUs of a node that share a layer. llama.cpp gives each GPU layers of its own. */
static double most_together(const struct inference_job *job)
{
    double gpus = job->gpus_per_node;

    if (job->engine == ENGINE_LLAMA_CPP)
        return 1;
    while (!serving_can_group(job) && gpus > 1 && !serving_attends(job, gpus))
        gpus--;
    return gpus;
}

/* A model is divided into stages only if one node cannot hold it. NVIDIA's NIM does the same, also
 * on GPUs without a link (docs.nvidia.com/nim/large-language-models, reference/support-matrix
 * of 2.0.0 and day-0 of 2.0.6, read 2026-11-29). vLLM advises stages for GPUs without NVLink
 * (docs.vllm.ai/en/latest/serving/parallelism_scaling); callers can ask for them. */
static bool may_stage(const struct serving_request *request, double tensor)
{
    return !isnan(request->pinned.pipeline) || !isnan(request->pinned.tensor) ||
           tensor >= most_together(&request->job);
}

bool serving_suits_nodes(const struct serving_request *request, double tensor, double stages)
{
    double node = request->job.gpus_per_node, gpus = tensor * stages;

    if (stages > 1 && !may_stage(request, tensor))
        return false;
    return !isnan(request->pinned.gpu_count) || !isnan(request->pinned.tensor) ||
           divides(gpus, node) || (divides(node, gpus) && are_sold(&request->job, gpus));
}
