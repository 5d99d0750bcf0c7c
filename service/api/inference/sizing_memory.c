#include "api/inference/sizing_memory.h"

#include "api/catalog/own_engine.h"
#include "base/number.h"
#include "base/units.h"

#include <math.h>

bool inference_sizing_has_memory(const struct inference_sizing_in *in)
{
    return !isnan(in->measured_weights_gib) || !isnan(in->measured_kv_cache_tokens);
}

static void warn_other_format(struct request_context *context, double ratio)
{
    static const double NEAR = 1.25;

    if (ratio > NEAR || ratio < 1 / NEAR)
        context_warn(context, "far_measurement",
                     "measured_weights_gib is %.3g times the estimate: is weight_dtype that of the "
                     "run, and measured_tensor_parallel its degree?",
                     ratio);
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
        if (!own_engine_check_weights(context, weights, &inference, err))
            return false;
        double ratio = weights * GIB / (inference.pool.weights - inference.pool.adapters);
        warn_other_format(context, ratio);
        measured.seen.weights = ratio - 1;
        inference = inference_of(request->constants, &measured);
    }
    if (!isnan(tokens)) {
        if (!own_engine_check_tokens(context, tokens, &inference, err))
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
    const char *by = inference_sizing_has_memory(in)
                         ? "your run"
                         : arena_print(context->arena, "measurement_set %s", in->measurement_set);

    if (!isnan(in->measured_weights_gib) || fabs(seen->weights) > 0)
        weights = arena_print(context->arena, "weights x %.4g", 1 + seen->weights);
    if (!isnan(in->measured_kv_cache_tokens) || fabs(seen->cache) > 0)
        cache = arena_print(context->arena, "%s%.3g GiB %s for the KV cache on each GPU",
                            weights[0] ? ", " : "", fabs(seen->cache) / GIB,
                            seen->cache < 0 ? "less" : "more");
    return arena_print(context->arena,
                       "corrected by %s: %s%s; without it the KV cache of a replica holds %s "
                       "tokens",
                       by, weights, cache,
                       context_count(context, round(plain->inference.pool.tokens)));
}

void inference_sizing_fill_memory(struct request_context *context,
                                  const struct inference_sizing_in *in,
                                  const struct serving_plan *plan, const struct serving_plan *plain,
                                  struct inference_sizing_out *out)
{
    bool corrected = in->use_measurements != 0 &&
                     (inference_sizing_has_memory(in) || memory_is_seen(&plan->inference.job.seen));
    const struct kv_pool *without = corrected ? &plain->inference.pool : NULL;
    double unknown = (double)NAN;

    if (corrected)
        out->memory_correction_sentence = sentence(context, in, plan, plain);
    out->kv_cache_tokens_uncorrected = without ? number_finite(without->tokens) : unknown;
    out->max_concurrent_requests_uncorrected = without ? number_finite(without->held) : unknown;
    out->memory_per_gpu_gib_uncorrected = without ? plain->memory_needed_bytes / GIB : unknown;
}
