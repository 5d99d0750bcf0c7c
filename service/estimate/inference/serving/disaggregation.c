#include "estimate/inference/serving/disaggregation.h"

#include "estimate/inference/serving/pools.h"
#include "estimate/inference/serving/routing.h"

#include <math.h>

/* Seconds per prompt of one prefill replica, idle time included. */
static double prompt_seconds(const struct inference *inference)
{
    return inference_reader_seconds(inference) / inference->constants->prefill_utilization;
}

static bool whole(double count)
{
    return count == floor(count);
}

/* The design's decode replicas without the spare ones, which do not make up for a prefill replica.
 */
static double decode_needed(const struct serving_request *request,
                            const struct serving_design *design)
{
    double spare = isnan(request->pinned.replicas) ? request->spare_replicas : 0;

    return fmax(1, design->replicas - spare);
}

bool serving_set_prefill(const struct serving_request *request,
                         const struct serving_replica *replica, struct serving_design *design)
{
    const struct inference *inference = &replica->inference;
    const struct serving_design *pinned = &request->pinned;
    double gpus = design->tensor * design->pipeline;

    design->prefill_replicas = 0;
    if (inference->job.separate_prefill && !isnan(pinned->prefill_replicas))
        design->prefill_replicas = pinned->prefill_replicas;
    else if (inference->job.separate_prefill && !isnan(pinned->gpu_count))
        design->prefill_replicas = pinned->gpu_count / gpus - design->replicas;
    else if (inference->job.separate_prefill && !replica->fits)
        design->prefill_replicas = 1; /* a design that cannot run needs no more */
    else if (request->job.separate_prefill)
        design->prefill_replicas =
            serving_pools_prefill(request, inference, decode_needed(request, design));
    design->gpu_count = gpus * (design->replicas + design->prefill_replicas);
    if (inference->job.sharing > 0)
        design->gpu_count = ceil(design->replicas / inference->job.sharing);
    return whole(design->replicas) && design->replicas >= 1 && whole(design->prefill_replicas) &&
           design->prefill_replicas >= (inference->job.separate_prefill ? 1 : 0) &&
           (isnan(pinned->gpu_count) || design->gpu_count == pinned->gpu_count);
}

/* Divides the replicas so that both kinds are equally busy, or as the limits require. */
double serving_decode_replicas(const struct serving_request *request,
                               const struct serving_replica *replica, double all)
{
    const struct inference *inference = &replica->inference;
    struct inference own = *inference;
    own.job.pools_gpus = all * own.job.tensor * own.job.pipeline;
    double reading = prompt_seconds(&own), writing = 1 / serving_rate_full(inference);
    double even = fmax(1, fmin(all - 1, round(all * writing / (reading + writing))));
    struct serving_pools pools = {even, all - even};

    if (!request->job.separate_prefill || serving_pools_carry(request, inference, pools))
        return even;
    double least = serving_replicas_alike(request, replica);
    if (!isnan(least) && serving_pools_fewest(request, inference, least, &pools) &&
        pools.decode + pools.prefill <= all)
        return all - pools.prefill;
    return even;
}

double serving_prompt_rate(const struct inference *inference, const struct serving_design *design)
{
    if (!inference->job.separate_prefill)
        return (double)INFINITY;
    return design->prefill_replicas / prompt_seconds(inference);
}

double serving_rate_asked(const struct serving_request *request, const struct serving_plan *plan)
{
    return request->load == SERVING_RATE
               ? request->amount * request->peak_ratio
               : plan->design.replicas * plan->batch / inference_writer_seconds(&plan->mean);
}

bool serving_prompts_read(const struct serving_request *request, const struct serving_plan *plan)
{
    return serving_rate_asked(request, plan) <=
           serving_prompt_rate(&plan->inference, &plan->design);
}
