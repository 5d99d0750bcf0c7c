#include "estimate/inference/serving/routing.h"

#include "estimate/inference/serving/pools.h"
#include "estimate/inference/serving/queue.h"
#include "estimate/inference/serving/search.h"

#include <math.h>

bool serving_routes(const struct serving_request *request)
{
    const struct inference_job *job = &request->job;

    return request->load == SERVING_RATE && job->least_requests && !job->separate_prefill &&
           !job->static_batching;
}

void serving_replica_within(const struct serving_request *request, struct serving_replica *replica)
{
    if (serving_routes(request)) {
        (void)serving_replica_alone(request, replica);
        return;
    }
    serving_replica_limit(request, replica);
    if (!request->job.separate_prefill || request->load == SERVING_RATE)
        serving_replica_size(replica);
}

void serving_replica_route(const struct serving_request *request, double replicas,
                           struct serving_replica *replica)
{
    if (!serving_routes(request) || replica->inference.job.routed == replicas)
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

static bool is_late(const struct serving_limits *limits, const struct inference *inference,
                    double rate, double most)
{
    return (!isnan(limits->latency_p95_seconds) || !isnan(limits->ttft_seconds)) &&
           latency_is_over(inference, rate, most, limits->latency_p95_seconds,
                           limits->ttft_seconds);
}

bool serving_breaks(const struct serving_request *request, const struct inference *inference,
                    double rate, double replicas)
{
    const double rounding = 1 + 1e-6;
    const struct serving_limits *limits = &request->limits;
    struct inference one_of = *inference;
    double most = serving_most_in_flight(inference);

    one_of.job.routed = serving_routes(request) ? replicas : one_of.job.routed;
    if (is_late(limits, &one_of, rate, most))
        return true;
    if (isnan(limits->user_tokens_per_second))
        return false;
    double mean = queue_batch(&one_of, rate, most);
    if (isnan(mean))
        return true;
    double tail = queue_routed_quantile(SERVING_TAIL_SHARE, mean / rounding, one_of.job.routed);
    return queue_token_most(&one_of, tail, rate / rounding, most) * limits->user_tokens_per_second >
           rounding;
}

bool serving_keeps_some(const struct serving_request *request,
                        const struct serving_replica *replica)
{
    if (!serving_routes(request))
        return !isnan(serving_replicas_needed(request, replica));
    return replica->fits &&
           serving_broken(&request->limits, &replica->lone_times) == SERVING_NOTHING;
}

/* A load, and the replica whose number is sought. */
struct sought {
    const struct serving_request *request;
    const struct serving_replica *replica;
};

static double rate_of(const struct sought *of, double replicas)
{
    return of->request->amount * of->request->peak_ratio / replicas;
}

/* Whether that many replicas keep the limits on percentiles. */
static bool are_in_time(const struct sought *of, double replicas)
{
    struct inference one = of->replica->inference;

    one.job.routed = replicas;
    return !is_late(&of->request->limits, &one, rate_of(of, replicas),
                    serving_most_in_flight(&one));
}

/* Whether that many replicas carry the peak load, with the spare capacity asked for, and write as
 * many tokens per second for each user as the limit asks for. */
static bool carry(const struct sought *of, double replicas)
{
    const struct serving_limits *limits = &of->request->limits;
    struct inference one = of->replica->inference;
    double rate = rate_of(of, replicas), most = serving_most_in_flight(&one);

    one.job.routed = replicas;
    if (serving_is_overloaded(of->request, &one, rate))
        return false;
    double mean = queue_batch(&one, rate, most);
    bool in_time = !isnan(limits->latency_p95_seconds) || !isnan(limits->ttft_seconds);
    if (isnan(mean) || (!in_time && serving_is_open(&one) && !latency_ends(&one, rate, most)))
        return false;
    double tail = queue_routed_quantile(SERVING_TAIL_SHARE, mean, replicas);
    if (tail > one.pool.held)
        return false;
    return isnan(limits->user_tokens_per_second) ||
           queue_token_most(&one, tail, rate, most) * limits->user_tokens_per_second <= 1;
}

/* A number of replicas that cannot suffice, even if each carried the most that it can. */
static double too_few(const struct serving_request *request, const struct serving_replica *replica)
{
    const struct inference *inference = &replica->inference;
    double most = serving_rate_most_sized(request, inference, serving_most_in_flight(inference));

    return fmax(1, ceil(request->amount * request->peak_ratio / most)) - 1;
}

/* The fewest replicas above `low` that suffice: steps away from the guess are doubled until one
 * number suffices and one does not, then the interval is bisected. Above SERVING_GPUS_MAX
 * the result is not exact. */
static double fewest(const struct sought *of, bool (*suffice)(const struct sought *, double),
                     double low, double guess)
{
    double high = fmax(low + 1, guess), step = fmax(1, floor(high / 16));

    if (suffice(of, high)) {
        for (; high - step > low; step *= 2) {
            if (!suffice(of, high - step)) {
                low = high - step;
                break;
            }
            high -= step;
        }
    } else {
        do {
            low = high;
            high += step;
            step *= 2;
        } while (high <= SERVING_GPUS_MAX && !suffice(of, high));
    }
    while (high - low > 1 && high <= SERVING_GPUS_MAX) {
        double middle = floor((low + high) / 2);
        if (suffice(of, middle))
            high = middle;
        else
            low = middle;
    }
    return high;
}

/* About how many keep the limit on whole requests: steps take longer with each request in flight,
 * so that by Little's law a request takes 1 / (1 - load) times as long as alone. */
static double guess_in_time(const struct sought *of, double low)
{
    double limit = of->request->limits.latency_p95_seconds;
    double alone = of->replica->lone_times.latency;

    return alone < limit ? fmin(ceil(low / (1 - alone / limit)), SERVING_GPUS_MAX) : low + 1;
}

/* The decode replicas of the smallest pools; a decode replica alone carries most while prefill
 * replicas are idle. */
static double decode_needed(const struct serving_request *request,
                            const struct serving_replica *replica)
{
    struct serving_replica one = *replica;
    struct serving_pools pools;

    if (isfinite(one.inference.job.readers_each)) {
        one.inference.job.readers_each = (double)INFINITY;
        serving_replica_limit(request, &one);
        serving_replica_size(&one);
    }
    double decode = serving_replicas_alike(request, &one);
    if (isnan(decode) || !serving_pools_fewest(request, &one.inference, decode, &pools))
        return decode;
    return pools.decode;
}

double serving_replicas_needed(const struct serving_request *request,
                               const struct serving_replica *replica)
{
    const struct serving_limits *limits = &request->limits;
    struct serving_replica one = *replica;
    const struct sought of = {request, &one};

    if (request->job.separate_prefill && replica->fits)
        return decode_needed(request, replica);
    if (!serving_routes(request) || !replica->fits)
        return serving_replicas_alike(request, replica);
    bool known = one.lone_times.ttft > 0;
    if (!known)
        (void)serving_replica_alone(request, &one);
    if (serving_broken(limits, &one.lone_times) != SERVING_NOTHING)
        return (double)NAN;
    double few = too_few(request, &one);
    if (!isnan(limits->latency_p95_seconds) || !isnan(limits->ttft_seconds))
        few = fewest(&of, are_in_time, few, guess_in_time(&of, few)) - 1;
    return few < SERVING_GPUS_MAX ? fewest(&of, carry, few, few + 1) : few;
}
