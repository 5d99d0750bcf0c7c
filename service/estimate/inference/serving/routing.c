#include "estimate/inference/serving/routing.h"

#include "estimate/inference/serving/pools.h"

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

double serving_replicas_alike(const struct serving_request *request,
                              const struct serving_replica *replica)
{
    bool rate = request->load == SERVING_RATE;
    double load = rate ? request->amount * request->peak_ratio : request->amount;
    double each = rate ? replica->rate_within : replica->batch_within;

    if (!replica->fits || request->load == SERVING_BATCH || !(each > 0))
        return (double)NAN;
    return fmax(1, ceil(load / each));
}

/* Whether that many replicas keep the limits on latency; without limits one carries `most`. */
static bool suffices(const struct serving_request *request, const struct serving_replica *replica,
                     double most, double replicas)
{
    const struct serving_limits *limits = &request->limits;
    double rate = request->amount * request->peak_ratio / replicas;
    struct inference routed = replica->inference;

    routed.job.routed = replicas;
    return rate <= most && !latency_is_over(&routed, rate, serving_most_in_flight(&routed),
                                            limits->latency_p95_seconds, limits->ttft_seconds);
}

/* The writers of the smallest pools; a writer alone carries most while readers are idle. */
static double writers_needed(const struct serving_request *request,
                             const struct serving_replica *replica)
{
    struct serving_replica one = *replica;
    struct serving_pools pools;

    if (isfinite(one.inference.job.readers_each)) {
        one.inference.job.readers_each = (double)INFINITY;
        serving_replica_limit(request, &one);
        serving_replica_size(&one);
    }
    double writers = serving_replicas_alike(request, &one);
    if (isnan(writers) || !serving_pools_fewest(request, &one.inference, writers, &pools))
        return writers;
    return pools.writers;
}

/* Bisection: as many replicas as random splitting needs always suffice behind a router. */
double serving_replicas_needed(const struct serving_request *request,
                               const struct serving_replica *replica)
{
    struct serving_replica one = *replica;
    struct serving_request unlimited = *request;

    if (request->job.separate_prefill && replica->fits)
        return writers_needed(request, replica);
    if (!serving_routes(request) || !replica->fits)
        return serving_replicas_alike(request, replica);
    serving_replica_route(request, 1, &one);
    double high = serving_replicas_alike(request, &one);
    if (!(high > 1))
        return high;
    unlimited.limits.latency_p95_seconds = unlimited.limits.ttft_seconds = (double)NAN;
    one.limit = SERVING_NOTHING;
    serving_replica_limit(&unlimited, &one);
    serving_replica_size(&one);
    double low = serving_replicas_alike(request, &one) - 1;
    while (high - low > 1) {
        double middle = floor((low + high) / 2);
        if (suffices(request, replica, one.rate_within, middle))
            high = middle;
        else
            low = middle;
    }
    return high;
}
