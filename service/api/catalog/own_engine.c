#include "api/catalog/own_engine.h"

#include "api/catalog/own_runs.h"
#include "base/units.h"
#include "estimate/measurement/bound.h"

#include <math.h>

static const double THOUSAND = 1000;
static const char WEIGHTS[] = "measured_weights_gib", TOKENS[] = "measured_kv_cache_tokens";

bool own_engine_check_weights(struct request_context *context, double given,
                              const struct inference *inference, struct err *err)
{
    static const double NEAR = 0.1;
    const struct inference_job *job = &inference->job;
    double n = job->tensor * job->pipeline,
           estimated = (inference->pool.weights - inference->pool.adapters) / GIB;

    if (n > 1 && fabs(given / (n * estimated) - 1) < NEAR)
        return context_refuse(context, err, WEIGHTS, "unit",
                              "is %.4g GiB, and the estimate is %.4g GiB on each of %.0f GPUs; if "
                              "it was added up over them, enter %.4g",
                              given, estimated, n, given / n);
    return own_runs_check_memory(context,
                                 &(struct own_memory){.name = WEIGHTS,
                                                      .given = given,
                                                      .least = bound_weights_nominal(inference),
                                                      .capacity = job->gpu->memory_bytes,
                                                      .holds = "the weights in that format",
                                                      .gpu = job->gpu->slug,
                                                      .gpus = job->tensor * job->pipeline},
                                 err);
}

static const char *count(struct request_context *context, double n)
{
    return context_count(context, round(n));
}

static bool refuse_too_few(struct request_context *context, double given,
                           const struct inference *inference, double most, struct err *err)
{
    const struct inference_job *job = &inference->job;
    double request = job->input_tokens + job->output_tokens;

    if (given * THOUSAND >= request && given * THOUSAND <= most)
        return context_refuse(context, err, TOKENS, "unit",
                              "is %.6g, less than one request of %s tokens; if it is in thousands, "
                              "enter %s",
                              given, count(context, request), count(context, given * THOUSAND));
    return context_refuse(context, err, TOKENS, "below_physics",
                          "is too few: one request of that run takes %s tokens",
                          count(context, request));
}

static bool refuse_too_many(struct request_context *context, double given,
                            const struct inference *inference, double most, struct err *err)
{
    const struct inference_job *job = &inference->job;
    double in_bytes = given / inference->pool.bytes_per_token, n = job->tensor * job->pipeline;
    const char *bound =
        arena_print(context->arena, "%s holds at most %s tokens once the weights are loaded",
                    job->gpu->slug, count(context, most));

    if (given >= GIB && in_bytes <= most)
        return context_refuse(context, err, TOKENS, "unit",
                              "is %s, but %s; if it is in bytes on each GPU, enter %s",
                              count(context, given), bound, count(context, in_bytes));
    if (n > 1 && given / n <= most)
        return context_refuse(context, err, TOKENS, "unit",
                              "is %s, but %s; if it was added up over %.0f GPUs, enter %s",
                              count(context, given), bound, n, count(context, given / n));
    return context_refuse(context, err, TOKENS, "above_capacity",
                          "is physically impossible: it is %s, but %s", count(context, given),
                          bound);
}

bool own_engine_check_tokens(struct request_context *context, double given,
                             const struct inference *inference, struct err *err)
{
    const struct inference_job *job = &inference->job;
    const struct kv_pool *pool = &inference->pool;

    if (!(pool->bytes_per_token > 0) || job->shape.sliding_layers > 0 ||
        job->shape.linear_layers > 0)
        return context_refuse(context, err, TOKENS, "contradiction",
                              "is for models whose layers all keep a whole cache: engines count "
                              "tokens of windows and states in ways of their own");
    double most = (pool->capacity - bound_weights_nominal(inference)) / pool->bytes_per_token;
    if (given > most)
        return refuse_too_many(context, given, inference, most, err);
    if (given < job->input_tokens + job->output_tokens)
        return refuse_too_few(context, given, inference, most, err);
    return true;
}
