/* splits.c - the shardings of a layer supported by engines: tensor parallelism, and for experts
 * data-parallel attention with the experts sharded over all groups. */
#include "estimate/inference/serving/search.h"

#include <math.h>

/* The largest published expert-parallel deployment: DeepSeek-V3 and R1 decode on 144 GPUs, 18
 * servers (github.com/deepseek-ai/open-infra-index, day 6, 2025-03-01). Expert parallelism across
 * servers needs kernels that require a link in each (DeepEP). */
static const double EXPERT_GPUS_MOST = 144;
/* On GPUs of AMD 32, four servers: the most for which AMD publishes its kernels that exchange
 * tokens (github.com/ROCm/mori, README.md at 05bb5f40: EP8, EP16 and EP32 of MI300X). Its own
 * deployment of DeepSeek takes two servers, so that a fault stops few (rocm.blogs.amd.com/
 * software-tools-optimization/wide-ep-deepseek, 2025-11-12). */
static const double EXPERT_GPUS_MOST_AMD = 32;
/* On Gaudi 16, the two servers for which Habana publishes scripts for DeepSeek-R1
 * (github.com/HabanaAI/vllm-fork, scripts/DEEPSEEK_R1_ON_GAUDI.md at d8424454). */
static const double EXPERT_GPUS_MOST_GAUDI = 16;

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

/* GPUs that share attention: heads are divided evenly, within a node or over whole nodes of one
 * scale-up domain. */
bool serving_attends(const struct inference_job *job, double gpus)
{
    double node = job->gpus_per_node;

    return divides(gpus, job->shape.heads) && gpus <= together_most(job) &&
           (divides(gpus, node) || divides(node, gpus));
}

static double experts_most(const struct inference_job *job)
{
    double domain = inference_link_domain(job->gpu, job->bridged);
    double most = gpu_is_amd(job->gpu)     ? EXPERT_GPUS_MOST_AMD
                  : gpu_is_gaudi(job->gpu) ? EXPERT_GPUS_MOST_GAUDI
                                           : EXPERT_GPUS_MOST;

    return domain > 1 ? fmax(most, domain) : job->gpus_per_node;
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
        if (!divides(t, node) && !divides(node, t))
            continue;
        for (size_t i = n; i-- > 0;)
            if (together[i] == t || (divides(together[i], t) && t <= most))
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

bool serving_suits_nodes(const struct serving_request *request, double gpus)
{
    double node = request->job.gpus_per_node;

    return !isnan(request->pinned.gpu_count) || !isnan(request->pinned.tensor) ||
           divides(gpus, node) || divides(node, gpus);
}
