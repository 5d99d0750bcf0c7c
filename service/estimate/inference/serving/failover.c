#include "estimate/inference/serving/failover.h"

#include "estimate/inference/serving/disaggregation.h"

#include <math.h>

/* The fewest that only read prompts; 0 where all do both. */
static double readers_needed(const struct serving_request *request,
                             const struct serving_replica *replica, const struct serving_plan *plan)
{
    struct serving_design design = plan->design;

    if (!plan->inference.job.separate_prefill)
        return 0;
    struct serving_request open = *request;
    open.pinned.prefill_replicas = open.pinned.gpu_count = (double)NAN;
    (void)serving_set_prefill(&open, replica, &design);
    return design.prefill_replicas;
}

void serving_set_failover(const struct serving_request *request,
                          const struct serving_replica *replica, struct serving_plan *plan)
{
    const struct serving_design *design = &plan->design;
    double reader = plan->inference.job.separate_prefill ? 1 : 0; /* one of each kind is lost */
    struct failover *loss = &plan->failover;

    loss->replicas_needed = serving_replicas_needed(request, replica);
    loss->readers_needed = readers_needed(request, replica, plan);
    loss->known = !isnan(loss->replicas_needed);
    loss->survived = design->replicas - 1 >= loss->replicas_needed &&
                     design->prefill_replicas - reader >= loss->readers_needed;
    loss->gpus = (double)NAN;
    if (loss->known)
        loss->gpus = design->tensor * design->pipeline *
                     (fmax(design->replicas, loss->replicas_needed + 1) +
                      fmax(design->prefill_replicas, loss->readers_needed + reader));
}
