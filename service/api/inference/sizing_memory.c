#include "api/inference/sizing_memory.h"

#include "api/catalog/own_runs.h"
#include "base/number.h"
#include "base/units.h"
#include "estimate/measurement/bound.h"

#include <math.h>

static const double THOUSAND = 1000;
static const char WEIGHTS[] = "measured_weights_gib", TOKENS[] = "measured_kv_cache_tokens";

bool inference_sizing_has_memory(const struct inference_sizing_in *in)
{
    return !isnan(in->measured_weights_gib) || !isnan(in->measured_kv_cache_tokens);
}

static bool check_weights(struct request_context *context, double given,
                          const struct inference *inference, struct err *err)
{
    const struct inference_job *job = &inference->job;

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

static bool check_tokens(struct request_context *context, double given,
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

static void warn_other_format(struct request_context *context, double ratio)
{
    static const double NEAR = 1.25;

    if (ratio > NEAR || ratio < 1 / NEAR)
        context_warn(context, "far_measurement",
                     "%s is %.3g times the estimate: is weight_dtype that of the run, and "
                     "measured_tensor_parallel its degree?",
                     WEIGHTS, ratio);
}

bool inference_sizing_correct_memory(struct request_context *context,
                                     const struct inference_sizing_in *in,
                                     const struct inference_job *job,
                                     struct serving_request *request, struct err *err)
{
    double weights = in->measured_weights_gib, tokens = in->measured_kv_cache_tokens;
    struct inference_job measured = *job;
    struct inference inference = inference_of(request->constants, &measured);

    if (!isnan(weights)) {
        if (!check_weights(context, weights, &inference, err))
            return false;
        double ratio = weights * GIB / (inference.pool.weights - inference.pool.adapters);
        warn_other_format(context, ratio);
        measured.seen.weights = ratio - 1;
        inference = inference_of(request->constants, &measured);
    }
    if (!isnan(tokens)) {
        if (!check_tokens(context, tokens, &inference, err))
            return false;
        measured.seen.cache = tokens * inference.pool.bytes_per_token - inference.pool.bytes;
    }
    if (in->use_measurements != 0)
        request->job.seen = measured.seen;
    return true;
}

static const char *sentence(struct request_context *context, const struct inference_sizing_in *in,
                            const struct serving_plan *plan, const struct serving_plan *plain)
{
    const struct memory_seen *seen = &plan->inference.job.seen;
    const char *weights = "", *cache = "";

    if (!isnan(in->measured_weights_gib))
        weights = arena_print(context->arena, "weights x %.4g", 1 + seen->weights);
    if (!isnan(in->measured_kv_cache_tokens))
        cache = arena_print(context->arena, "%s%.3g GiB %s for the KV cache on each GPU",
                            weights[0] ? ", " : "", fabs(seen->cache) / GIB,
                            seen->cache < 0 ? "less" : "more");
    return arena_print(context->arena,
                       "corrected by your run: %s%s; without it the KV cache of a replica holds %s "
                       "tokens",
                       weights, cache, count(context, plain->inference.pool.tokens));
}

void inference_sizing_fill_memory(struct request_context *context,
                                  const struct inference_sizing_in *in,
                                  const struct serving_plan *plan, const struct serving_plan *plain,
                                  struct inference_sizing_out *out)
{
    bool corrected = inference_sizing_has_memory(in) && in->use_measurements != 0;
    const struct kv_pool *without = corrected ? &plain->inference.pool : NULL;
    double unknown = (double)NAN;

    if (corrected)
        out->memory_correction_sentence = sentence(context, in, plan, plain);
    out->kv_cache_tokens_uncorrected = without ? number_finite(without->tokens) : unknown;
    out->max_concurrent_requests_uncorrected = without ? number_finite(without->held) : unknown;
    out->memory_per_gpu_gib_uncorrected = without ? plain->memory_needed_bytes / GIB : unknown;
}
