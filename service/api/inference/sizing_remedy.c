#include "api/inference/sizing_remedy.h"

#include "base/text.h"
#include "estimate/inference/support.h"
#include "estimate/inference/words.h"

#include <math.h>

/* Puts the narrower format into the request; false if no engine runs the model in it on the GPU. */
static bool narrow(struct request_context *context, struct serving_request *request,
                   enum number format)
{
    struct inference_job *job = &request->job;

    if (!isnan(job->bytes_per_weight) ||
        memory_nominal_bytes(format) >= memory_nominal_bytes(job->weight_format) ||
        (format == NUMBER_FP8 && !inference_native(job->gpu, format)))
        return false;
    job->weight_format = format;
    return !inference_unsupported(job, words_of_number(format), false, context->arena);
}

/* The widest narrower format in which the setup fits and `meets` its load and limits, else in which
 * it fits; NULL if there is none. */
static const char *fitting_format(struct request_context *context,
                                  const struct serving_request *request, bool *meets)
{
    static const enum number formats[] = {NUMBER_FP8, NUMBER_INT4};
    const char *widest = NULL;

    *meets = false;
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        struct serving_request other = *request;
        struct serving_plan plan;
        if (!narrow(context, &other, formats[i]))
            continue;
        serving_search(&other, &plan);
        if (!plan.fits || plan.design.gpu_count < 1)
            continue;
        *meets = plan.meets_load && plan.meets_limits;
        if (*meets)
            return words_of_number(formats[i]);
        widest = widest ? widest : words_of_number(formats[i]);
    }
    return widest;
}

/* GPUs with 4-bit weights and a free choice of the design; NAN if none meets the limits. */
static double narrow_gpus(struct request_context *context, const struct serving_request *request)
{
    struct serving_request other = *request;
    struct serving_plan plan;

    return narrow(context, &other, NUMBER_INT4) && serving_search_free(&other, &plan)
               ? plan.design.gpu_count
               : (double)NAN;
}

const char *inference_sizing_narrower(struct request_context *context,
                                      const struct serving_request *request,
                                      const struct serving_plan *plan,
                                      const struct serving_plan *nearest)
{
    bool meets = false;
    const char *format = plan->fits ? NULL : fitting_format(context, request, &meets);

    if (plan->fits)
        return NULL;
    if (format)
        return arena_print(context->arena,
                           meets ? "With weight_dtype=%s it fits as stated."
                                 : "With weight_dtype=%s it fits, but does not meet the load or "
                                   "its limits.",
                           format);
    double gpus = narrow_gpus(context, request);
    if (isnan(gpus) || (nearest && gpus >= nearest->design.gpu_count))
        return NULL;
    return arena_print(context->arena, "With weight_dtype=int4 it takes %.0f GPU%s.", gpus,
                       text_plural(gpus));
}

const char *inference_sizing_remedy(struct request_context *context,
                                    const struct serving_plan *plan,
                                    const struct serving_plan *nearest, const char *narrower)
{
    const char *more = "";

    if (nearest && !plan->fits)
        more = arena_print(context->arena, " It takes %s GPU%s: see nearest_gpu_count.",
                           context_count(context, nearest->design.gpu_count),
                           text_plural(nearest->design.gpu_count));
    return arena_join(context->arena, more, narrower ? " " : "", narrower ? narrower : "");
}

void inference_sizing_warn_narrower(struct request_context *context,
                                    const struct serving_request *request,
                                    const struct serving_plan *plan)
{
    double taken = plan->design.gpu_count;

    if (!plan->fits || request->job.gpu->datacenter_licensed || taken < 2)
        return;
    double gpus = narrow_gpus(context, request);
    if (gpus < taken)
        context_warn(context, "narrower_weights",
                     "with 4-bit weights (weight_dtype=int4) it takes %.0f GPU%s instead of %.0f; "
                     "/v1/inference-sizing/options with quantized=1 lists such setups",
                     gpus, text_plural(gpus), taken);
}
