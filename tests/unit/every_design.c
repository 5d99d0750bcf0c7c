#include "every_design.h"

#include "estimate/inference/serving/disaggregation.h"
#include "estimate/inference/serving/search.h"

#include <math.h>
#include <string.h>

static bool divides(double part, double whole)
{
    return fmod(whole, part) == 0;
}

static bool whole_share(double gpus, double node)
{
    return divides(gpus, node) || divides(node, gpus);
}

static bool doubled(double number)
{
    return log2(number) == floor(log2(number));
}

/* Chips of several hosts are sold as slices of 4, 8, 16, 32 and so on. */
static bool is_sold(const struct inference_job *job, double gpus)
{
    return gpus <= job->gpus_per_node || !gpu_is_tpu(job->gpu) || doubled(gpus);
}

/* Experts over no more GPUs, and over numbers of servers, that somebody has published; over any
 * nodes of a link domain, and one node where GPUs have no link. */
static bool spreads(const struct inference_job *job, double domain, double gpus)
{
    const struct gpu *gpu = job->gpu;
    bool nvidia = gpu_is_nvidia(gpu);
    double nodes = gpus / job->gpus_per_node;
    double published = nvidia ? 144 : gpu_is_amd(gpu) ? 32 : gpu_is_gaudi(gpu) ? 16 : 0;
    bool known = doubled(nodes) || (nvidia && (nodes == 9 || nodes == 18));

    if (gpu_is_tpu(gpu))
        return gpus <= 64;
    return nodes <= 1 || (domain > 1 && (gpus <= domain || (gpus <= published && known)));
}

/* A GPU has some KV heads alone, or shares one with as many GPUs as any other has. */
static bool shares_heads(const struct model_shape *shape, double gpus)
{
    double each = fmax(1, shape->kv_heads / gpus), owners = fmax(1, gpus / shape->kv_heads);

    return divides(gpus, shape->heads) &&
           (shape->mla || (each == floor(each) && owners == floor(owners)));
}

/* Heads shared out evenly within a node or over the nodes of a scale-up domain. */
static bool is_legal(const struct serving_request *request, double tensor, double groups)
{
    const struct inference_job *job = &request->job;
    double together = tensor / groups, node = job->gpus_per_node;
    bool linked = isfinite(job->gpu->link_rate) && !gpu_has_bridge(job->gpu);
    double domain = linked ? job->gpu->scale_up_domain : 1;

    return divides(groups, tensor) && shares_heads(&job->shape, together) &&
           whole_share(together, node) && together <= fmax(node, domain) &&
           whole_share(tensor, node) && is_sold(job, tensor) &&
           (groups == 1 || (job->shape.moe && spreads(job, domain, tensor)));
}

/* Stages of as many GPUs as heads and node allow. */
static bool may_stage(const struct inference_job *job, double tensor)
{
    double node = job->gpus_per_node, most = 1;

    for (double t = 1; t <= node; t++)
        if ((job->shape.moe && job->engine == ENGINE_UNSPECIFIED && t == node) ||
            (divides(t, node) && shares_heads(&job->shape, t)))
            most = t;
    return tensor >= most;
}

/* With weights and reserve within the engine's share of a GPU where that is asked for. */
static void evaluate(const struct serving_request *request, const struct serving_design *design,
                     struct serving_plan *plan)
{
    struct serving_request full = *request;
    const struct kv_pool *pool = &plan->inference.pool;

    full.job.roomy = false;
    serving_evaluate(&full, design, plan);
    if (request->job.roomy && (pool->weights + pool->reserve) / pool->capacity > 0.9)
        plan->fits = false;
}

/* The fewest replicas that keep up with the prompts, where they only read. */
static double readers_of(struct serving_request *request, const struct serving_design *design,
                         double most, struct serving_plan *plan)
{
    double readers = 0;

    do {
        request->pinned.prefill_replicas = ++readers;
        evaluate(request, design, plan);
    } while (plan->fits && !serving_prompts_read(request, plan) && readers < most);
    return readers;
}

/* Room at the peak, where a design is not the busier for having more replicas. */
static bool leaves_room(const struct serving_request *request, const struct serving_plan *plan)
{
    return request->load != SERVING_RATE || !(request->peak_load_most > 0) ||
           plan->utilization * request->peak_ratio <= request->peak_load_most;
}

/* With its spare ones too, where they make requests end sooner, and so the readers busier. */
static bool meets(const struct serving_request *request, struct serving_design design,
                  struct serving_plan *plan)
{
    bool loop = request->load == SERVING_CONCURRENT && request->job.separate_prefill;

    evaluate(request, &design, plan);
    if (!serving_meets(plan) || !loop || request->spare_replicas == 0)
        return serving_meets(plan) && leaves_room(request, plan);
    design.replicas += request->spare_replicas;
    evaluate(request, &design, plan);
    return serving_meets(plan);
}

/* The fewest of at most that many replicas that do; infinite where none do. */
static double replicas_of(const struct serving_request *request, struct serving_design design,
                          double most, struct serving_plan *plan)
{
    for (design.replicas = 1; design.replicas <= most; design.replicas++) {
        if (meets(request, design, plan))
            return design.replicas;
        if (!plan->fits || !(plan->limited_requests_per_second > 0))
            break;
    }
    return (double)INFINITY;
}

/* Pairs of at least the writers and readers of `least`, up to `most` replicas. */
static double pair_within(struct serving_request *request, struct serving_design design,
                          struct serving_design least, double most, struct serving_plan *plan)
{
    for (double all = least.replicas + least.prefill_replicas; all <= most; all++)
        for (design.replicas = least.replicas; design.replicas <= all - least.prefill_replicas;
             design.replicas++) {
            request->pinned.prefill_replicas = all - design.replicas;
            if (meets(request, design, plan))
                return all;
        }
    return (double)INFINITY;
}

/* The same of pairs of readers and writers: first those that send the cache within a server or link
 * domain, then those that may need more writers, as they send it over the network. */
static double pair_of(struct serving_request *request, struct serving_design design, double most,
                      struct serving_plan *plan)
{
    const struct inference_job *job = &request->job;
    double domain = fmax(job->gpus_per_node, inference_link_domain(job->gpu, job->bridged));
    double together = floor(domain / (design.tensor * design.pipeline));
    struct serving_design least = {.replicas = 1, .prefill_replicas = 1};
    double inside = pair_within(request, design, least, fmin(most, together), plan);

    if (isfinite(inside))
        return inside;
    if (request->load == SERVING_RATE)
        least.prefill_replicas = readers_of(request, &design, most, plan);
    request->pinned.prefill_replicas = 1e5; /* idle */
    least.replicas = replicas_of(request, design, most - least.prefill_replicas, plan);
    return pair_within(request, design, least, most, plan);
}

static double gpus_of(const struct serving_request *of, struct serving_design design, double most,
                      struct serving_plan *plan)
{
    struct serving_request own = *of;
    double size = design.tensor * design.pipeline, fit = floor(most / size);
    bool apart = own.job.separate_prefill;

    return size * (own.spare_replicas + (apart ? pair_of(&own, design, fit, plan)
                                               : replicas_of(&own, design, fit, plan)));
}

/* With its passes, and prompts read where it says. */
static double fewest_of_way(const struct serving_request *request, double most, size_t *tried)
{
    double best = most + 1, node = request->job.gpus_per_node;
    struct serving_plan plan;

    for (double t = 1; t <= 144; t++)
        for (double d = 1; d <= t; d++) {
            if (!is_legal(request, t, d))
                continue;
            for (double p = 1, fitted = 0; p <= request->job.shape.layers; p++) {
                if ((t * p > node && fitted > 0) || t * p > most)
                    break;
                if (!whole_share(t * p, node) || !is_sold(&request->job, t * p) ||
                    (p > 1 && !may_stage(&request->job, t)))
                    continue;
                struct serving_design design = {
                    .tensor = t, .pipeline = p, .attention_data = d, .replicas = 1};
                best = fmin(best, gpus_of(request, design, fmin(most, best), &plan));
                fitted += plan.fits;
                ++*tried;
            }
        }
    return best;
}

/* Each length of passes that is some engine's own, but for encoders, and prompts on GPUs of their
 * own, but where nothing is written. */
double every_design_fewest(const struct serving_request *request, double most, size_t *tried)
{
    static const double passes[] = {512, 2048, 16384};
    struct serving_request variant = *request;
    double best = fewest_of_way(&variant, most, tried);

    if (request->load != SERVING_RATE)
        return best > most ? (double)INFINITY : best;
    for (size_t i = 0; !request->job.shape.encoder && i < sizeof(passes) / sizeof(*passes); i++) {
        variant.job.pass_tokens = passes[i];
        best = fmin(best, fewest_of_way(&variant, best - 1, tried));
    }
    variant.job.pass_tokens = 0;
    variant.job.separate_prefill = true;
    if (strstr("NVIDIA AMD", request->job.gpu->vendor) && request->job.output_tokens > 1)
        best = fmin(best, fewest_of_way(&variant, best - 1, tried));
    return best > most ? (double)INFINITY : best;
}
