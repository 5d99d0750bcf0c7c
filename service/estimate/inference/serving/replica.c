/* replica.c - one replica within the limits: what it holds in flight, and the requests per
 * second it takes. */
#include "estimate/inference/serving/serving.h"

#include "estimate/inference/serving/queue.h"

#include <math.h>

static const double TAIL_SHARE = 0.95;

/* Unknown figures keep no limit. */
static bool above(double value, double limit)
{
    return !isnan(limit) && !(value <= limit);
}

enum serving_limit serving_broken(const struct serving_limits *limits, const struct served *served)
{
    if (above(served->request_seconds, limits->latency_p95_seconds))
        return SERVING_LATENCY;
    if (above(served->ttft, limits->ttft_seconds))
        return SERVING_TTFT;
    if (above(served->tpot, 1 / limits->user_tokens_per_second))
        return SERVING_USER_RATE;
    return SERVING_NOTHING;
}

static bool limited(const struct serving_limits *limits)
{
    return !isnan(limits->latency_p95_seconds) || !isnan(limits->ttft_seconds) ||
           !isnan(limits->user_tokens_per_second);
}

double serving_most_in_flight(const struct inference *inference)
{
    const struct kv_pool *pool = &inference->pool;

    return fmin(inference->job.static_batching ? pool->held : pool->requests,
                inference_admitted(inference));
}

static double batch_without_limits(const struct inference *inference, enum serving_limit *limit)
{
    double most = floor(fmin(serving_most_in_flight(inference), inference->pool.held));

    *limit = most + 1 > inference_admitted(inference) ? SERVING_THROUGHPUT : SERVING_CACHE;
    return most;
}

double serving_batch_within(const struct serving_request *request,
                            const struct inference *inference, enum serving_limit *limit)
{
    double low = 0, high = batch_without_limits(inference, limit) + 1;
    double middle = 1; /* at first: what a request alone breaks is broken by all */

    if (!limited(&request->limits))
        return high - 1;
    while (high - low > 1) { /* low keeps the limits, high does not */
        struct served served = inference_serve(inference, middle);
        enum serving_limit what = serving_broken(&request->limits, &served);
        if (what == SERVING_NOTHING) {
            low = middle;
        } else {
            high = middle;
            *limit = what;
        }
        middle = floor((low + high) / 2);
    }
    return low;
}

double serving_rate_within(const struct inference *inference, double batch)
{
    double mean = fmin(queue_poisson_mean(TAIL_SHARE, batch), serving_most_in_flight(inference));

    return batch < 1 ? 0 : queue_rate(inference, queue_best_batch(inference, mean));
}

/* A request's seconds over the number in flight fall with that number: a step reads the weights
 * once for all, and what a prompt holds up others for is less than what it takes itself. Only the
 * waits for a first token may grow faster, and are left out. */
double serving_rate_most(const struct inference *inference, double batch)
{
    const double rounding = 1 + 1e-9;
    const struct inference_job *job = &inference->job;
    struct served served = inference_serve(inference, batch);
    double seconds = inference->prefill.one + (job->output_tokens - 1) * served.tpot;

    return batch / (job->static_batching ? served.request_seconds : seconds) * rounding;
}

double serving_rate_full(const struct inference *inference)
{
    return queue_rate(inference, queue_best_batch(inference, serving_most_in_flight(inference)));
}

void serving_replica_limit(const struct serving_request *request, struct serving_replica *replica)
{
    const struct inference *inference = &replica->inference;

    if (replica->fits)
        replica->batch_within = serving_batch_within(request, inference, &replica->limit);
}

void serving_replica_of(const struct inference *unsplit, const struct serving_design *design,
                        struct serving_replica *replica)
{
    const struct kv_pool *pool = &replica->inference.pool;

    replica->inference = *unsplit;
    inference_shard(&replica->inference, design->tensor, design->attention_data, design->pipeline);
    replica->fits = pool->bytes > 0 && pool->held >= 1;
    replica->batch_within = replica->rate_within = 0;
    replica->limit = SERVING_NOTHING;
    if (replica->fits)
        replica->batch_within = batch_without_limits(&replica->inference, &replica->limit);
}

void serving_replica_size(struct serving_replica *replica)
{
    if (replica->fits)
        replica->rate_within = serving_rate_within(&replica->inference, replica->batch_within);
}

void serving_replica_finish(struct serving_replica *replica)
{
    const struct inference *inference = &replica->inference;
    double batch;

    if (!replica->fits)
        return;
    replica->rate = serving_rate_full(inference);
    replica->lone = inference_serve(inference, 1);
    replica->offline = inference_offline(inference, &batch);
}
