/* sizing_correction.c - /v1/inference-sizing corrected by a run that the caller measured. */
#include "api/inference/sizing.h"

#include "base/units.h"
#include "estimate/measurement/bound.h"
#include "estimate/measurement/correction.h"

#include <math.h>

static const char TOKEN[] = "measured_time_per_output_token_seconds",
                  FIRST[] = "measured_time_to_first_token_seconds",
                  RATE[] = "measured_output_tokens_per_second";

/* One replica of the caller's: the design's, with what differed in it. */
struct own_run {
    struct inference inference;
    struct served served; /* what the estimate says of it */
    double concurrency;
};

/* A figure of it, in seconds per token or to the first one. */
struct own_figure {
    const char *name;
    double given, measured, estimated, least;
    const char *unit;
};

static double stated_or(double stated, double otherwise)
{
    return isnan(stated) ? otherwise : stated;
}

static bool is_given(const struct inference_sizing_in *in)
{
    return !isnan(in->measured_time_per_output_token_seconds) ||
           !isnan(in->measured_time_to_first_token_seconds) ||
           !isnan(in->measured_output_tokens_per_second);
}

/* Where the load is a rate, nothing says how many were in flight in the run. */
static bool find_concurrency(struct request_context *context, const struct inference_sizing_in *in,
                             const struct serving_request *request, const struct serving_plan *plan,
                             double *concurrency, struct err *err)
{
    *concurrency = stated_or(in->measured_concurrent_requests, plan->batch);
    if (isnan(*concurrency) ||
        (isnan(in->measured_concurrent_requests) && request->load == SERVING_RATE))
        return context_refuse(context, err, "measured_concurrent_requests", "missing_parameter",
                              "is required with what was measured where the load is a rate: how "
                              "many requests the measured replica had in flight");
    return true;
}

/* Benchmarks keep a number of requests in flight. */
static bool find_run(struct request_context *context, const struct inference_sizing_in *in,
                     const struct serving_request *request, const struct serving_plan *plan,
                     struct own_run *run, struct err *err)
{
    struct inference_job job = plan->inference.job;

    if (!find_concurrency(context, in, request, plan, &run->concurrency, err))
        return false;
    job.open_arrivals = false;
    job.input_tokens = stated_or(in->measured_input_tokens, job.input_tokens);
    job.output_tokens = stated_or(in->measured_output_tokens, job.output_tokens);
    job.tensor = stated_or(in->measured_tensor_parallel, job.tensor);
    job.pipeline = stated_or(in->measured_pipeline_parallel, job.pipeline);
    job.attention_data =
        fmin(stated_or(in->measured_attention_data_parallel, job.attention_data), job.tensor);
    job.gpus_per_node = request->free_gpus_per_node;
    run->inference = inference_of(request->constants, &job);
    run->served = inference_serve(&run->inference, run->concurrency);
    double held = bound_weights_per_gpu(&run->inference), most = job.gpu->memory_bytes;
    if (held > most)
        return context_refuse(context, err, "measured_tensor_parallel", "below_physics",
                              "cannot have run: of the weights each of %.0f GPUs holds %.4g GiB, "
                              "and %s has %.4g GiB",
                              job.tensor * job.pipeline, held / GIB, job.gpu->slug, most / GIB);
    return true;
}

/* Below the roofline it cannot have run, and a thousand times off it is in another unit. */
static bool check_figure(struct request_context *context, const struct own_figure *figure,
                         struct err *err)
{
    static const double THOUSAND = 1000, NEAR = 3;
    double ratio = figure->measured / figure->estimated;
    bool rate = figure->name == RATE;

    if (fabs(log(ratio * THOUSAND)) < log(NEAR) || fabs(log(ratio / THOUSAND)) < log(NEAR))
        return context_refuse(context, err, figure->name, "unit",
                              "is %.4g %s, and the estimate is %.4g %s: a factor of about 1,000; "
                              "is it in another unit?",
                              figure->given, figure->unit,
                              rate ? 1 / figure->estimated : figure->estimated, figure->unit);
    if (figure->measured < figure->least)
        return context_refuse(context, err, figure->name, "below_physics",
                              "is beyond physics: by memory bandwidth and peak of the data sheet "
                              "it is %s %.4g %s, without guessing ahead or a prefix cache",
                              rate ? "at most" : "at least",
                              rate ? 1 / figure->least : figure->least, figure->unit);
    return true;
}

/* Time per token, however it was given; `given` NAN where it was not. */
static struct own_figure token_figure(const struct inference_sizing_in *in,
                                      const struct own_run *run)
{
    double n = run->served.batch;

    if (!isnan(in->measured_output_tokens_per_second))
        return (struct own_figure){RATE,
                                   in->measured_output_tokens_per_second,
                                   1 / in->measured_output_tokens_per_second,
                                   1 / run->served.output_tokens_per_second,
                                   1 / bound_output_rate(&run->inference, run->concurrency),
                                   "tokens/s"};
    return (struct own_figure){TOKEN,
                               in->measured_time_per_output_token_seconds,
                               in->measured_time_per_output_token_seconds,
                               run->served.tpot,
                               bound_token_seconds(&run->inference, n),
                               "s"};
}

static struct own_figure first_figure(const struct inference_sizing_in *in,
                                      const struct own_run *run)
{
    double seconds = in->measured_time_to_first_token_seconds;

    return (struct own_figure){
        FIRST, seconds, seconds, run->served.ttft, bound_first_token_seconds(&run->inference), "s"};
}

/* The first token is a multiple of what the clock makes of it already. */
static const struct inference_constants *corrected(struct request_context *context,
                                                   const struct inference_constants *plain,
                                                   const struct correction *token,
                                                   const struct correction *first)
{
    struct inference_constants *constants = arena_alloc(context->arena, sizeof(*constants));

    *constants = *plain;
    inference_constants_slow(constants, token->factor);
    if (first->runs > 0)
        constants->first_token = first->factor / token->factor;
    inference_constants_widen(constants, token->interval_exponent, first->interval_exponent);
    return constants;
}

bool inference_sizing_correct(struct request_context *context, const struct inference_sizing_in *in,
                              struct serving_request *request,
                              struct inference_correction *correction, struct err *err)
{
    struct serving_plan plan;
    struct own_run *run = arena_alloc(context->arena, sizeof(*run));
    struct correction_constants constants;
    struct correction_sum token = {0}, first = {0};

    *correction = (struct inference_correction){0};
    if (!is_given(in))
        return true;
    if (!context_at_most_one(context,
                             "measured_time_per_output_token_seconds "
                             "measured_output_tokens_per_second",
                             err))
        return false;
    (void)serving_search(request, &plan); /* without a design the next one finds none either */
    if (!plan.fits)
        return true;
    if (!find_run(context, in, request, &plan, run, err))
        return false;
    struct own_figure each = token_figure(in, run), opening = first_figure(in, run);
    if ((!isnan(each.given) && !check_figure(context, &each, err)) ||
        (!isnan(opening.given) && !check_figure(context, &opening, err)))
        return false;
    if (in->use_measurements == 0)
        return true;
    if (!correction_constants_fill(context->catalog, &constants, err))
        return false;
    struct nearest_features asked = nearest_of_inference(&plan.inference.job, plan.batch);
    struct nearest_features own = nearest_of_inference(&run->inference.job, run->concurrency);
    if (!isnan(each.given))
        correction_add(&token, &constants, &asked, &own, each.measured, each.estimated);
    if (!isnan(opening.given))
        correction_add(&first, &constants, &asked, &own, opening.measured, opening.estimated);
    struct correction of_token = correction_of(&constants, &token),
                      of_first = correction_of(&constants, &first);
    request->constants = corrected(context, request->constants, &of_token, &of_first);
    correction->runs = fmax(of_token.runs, of_first.runs);
    correction->plain = plan;
    return true;
}

bool inference_sizing_widen(struct request_context *context, struct serving_request *request,
                            struct serving_plan *plan, struct err *err)
{
    struct inference_constants *wider = arena_alloc(context->arena, sizeof(*wider));
    struct correction_constants constants;

    if (inference_is_weak(&request->job)) /* wider already */
        return true;
    if (!correction_constants_fill(context->catalog, &constants, err))
        return false;
    *wider = *request->constants;
    inference_constants_widen(wider, constants.far_token, 1);
    request->constants = wider;
    serving_evaluate(request, &plan->design, plan);
    return true;
}

void inference_sizing_fill_correction(struct inference_sizing_out *out,
                                      const struct serving_request *request,
                                      const struct inference_correction *correction)
{
    const struct serving_plan *plain = &correction->plain;
    bool corrected = correction->runs > 0;
    double unknown = (double)NAN;

    out->correction_factor = corrected ? request->constants->clock : unknown;
    out->first_token_correction_factor =
        corrected ? request->constants->clock * request->constants->first_token : unknown;
    out->correction_run_count = corrected ? correction->runs : unknown;
    out->gpu_count_uncorrected = corrected ? plain->design.gpu_count : unknown;
    out->time_per_output_token_seconds_uncorrected = corrected ? plain->tpot.middle : unknown;
    out->time_to_first_token_seconds_uncorrected = corrected ? plain->ttft.middle : unknown;
    out->output_tokens_per_second_uncorrected =
        corrected ? plain->output_tokens_per_second.middle : unknown;
}
