#include "estimate/inference/serving/routing.h"

#include <math.h>

bool serving_routes(const struct serving_request *request)
{
    const struct inference_job *job = &request->job;

    return request->load == SERVING_RATE && job->least_requests && job->output_tokens == 1 &&
           !job->separate_prefill && !job->static_batching;
}

void serving_replica_route(const struct serving_request *request, double replicas,
                           struct serving_replica *replica)
{
    if (!serving_routes(request) || fmax(1, replica->inference.job.routed) == replicas)
        return;
    replica->inference.job.routed = replicas;
    serving_replica_limit(request, replica);
    serving_replica_size(replica);
}

/* If each carries what this one does. */
static double needed_alike(const struct serving_request *request,
                           const struct serving_replica *replica)
{
    bool rate = request->load == SERVING_RATE;
    double load = rate ? request->amount * request->peak_ratio : request->amount;
    double each = rate ? replica->rate_within : replica->batch_within;

    if (!replica->fits || request->load == SERVING_BATCH || !(each > 0))
        return (double)NAN;
    return fmax(1, ceil(load / each));
}

static double needed_routed(const struct serving_request *request,
                            const struct serving_replica *replica, double replicas)
{
    struct serving_replica one = *replica;

    serving_replica_route(request, replicas, &one);
    return needed_alike(request, &one);
}

/* As many as are needed without a choice suffice with it, and as many as suffice where each carries
 * what it does among that many are needed. */
double serving_replicas_needed(const struct serving_request *request,
                               const struct serving_replica *replica)
{
    if (!serving_routes(request) || !replica->fits)
        return needed_alike(request, replica);
    double high = needed_routed(request, replica, 1);
    if (!(high > 1))
        return high;
    double low = needed_routed(request, replica, high) - 1;
    while (high - low > 1) {
        double middle = floor((low + high) / 2);
        if (needed_routed(request, replica, middle) <= middle)
            high = middle;
        else
            low = middle;
    }
    return high;
}
