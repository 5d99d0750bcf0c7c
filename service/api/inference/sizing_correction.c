/* sizing_correction.c - corrects /v1/inference-sizing by the caller's measured run. */
#include "api/inference/sizing_correction.h"

#include "api/catalog/own_runs.h"
#include "api/inference/sizing_memory.h"
#include "base/number.h"
#include "base/text.h"
#include "base/units.h"
#include "estimate/measurement/bound.h"

#include <math.h>

static const char TOKEN[] = "measured_time_per_output_token_seconds",
                  FIRST[] = "measured_time_to_first_token_seconds",
                  RATE[] = "measured_output_tokens_per_second";

/* A replica of the caller's run: the design's, with the differences given. */
struct own_run {
    struct inference inference;
    struct served served; /* the estimate for it */
    double concurrency;
};

static bool is_given(const struct inference_sizing_in *in)
{
    return !isnan(in->measured_time_per_output_token_seconds) ||
           !isnan(in->measured_time_to_first_token_seconds) ||
           !isnan(in->measured_output_tokens_per_second) || !isnan(in->measured_memory_gib);
}

/* If the load is a rate, the number in flight during the run is unknown. */
static bool find_concurrency(struct request_context *context, const struct inference_sizing_in *in,
                             const struct serving_request *request, const struct serving_plan *plan,
                             double *concurrency, struct err *err)
{
    *concurrency = number_or(in->measured_concurrent_requests, plan->batch);
    if (isnan(*concurrency) ||
        (isnan(in->measured_concurrent_requests) && request->load == SERVING_RATE))
        return context_refuse(context, err, "measured_concurrent_requests", "missing_parameter",
                              "is required if the load is a rate: the requests in flight on the "
                              "measured replica");
    return true;
}

/* The replica of the run. Benchmarks keep a constant number of requests in flight. */
static struct inference_job job_of(const struct inference_sizing_in *in,
                                   const struct serving_request *request,
                                   const struct serving_plan *plan)
{
    struct inference_job job = plan->inference.job;

    job.open_arrivals = false;
    job.input_tokens = number_or(in->measured_input_tokens, job.input_tokens);
    job.output_tokens = number_or(in->measured_output_tokens, job.output_tokens);
    job.tensor = number_or(in->measured_tensor_parallel, job.tensor);
    job.pipeline = number_or(in->measured_pipeline_parallel, job.pipeline);
    job.attention_data =
        fmin(number_or(in->measured_attention_data_parallel, job.attention_data), job.tensor);
    job.gpus_per_node = request->free_gpus_per_node;
    return job;
}

static bool find_run(struct request_context *context, const struct inference_sizing_in *in,
                     const struct serving_request *request, const struct serving_plan *plan,
                     struct own_run *run, struct err *err)
{
    struct inference_job job = job_of(in, request, plan);

    if (!find_concurrency(context, in, request, plan, &run->concurrency, err))
        return false;
    run->inference = inference_of(request->constants, &job);
    run->served = inference_serve(&run->inference, run->concurrency);
    double held = bound_weights_per_gpu(&run->inference), most = job.gpu->memory_bytes;
    if (held > most)
        return context_refuse(context, err, "measured_tensor_parallel", "below_physics",
                              "cannot have run: each of %.0f GPUs holds %.4g GiB of weights, but "
                              "%s has %.4g GiB",
                              job.tensor * job.pipeline, held / GIB, job.gpu->slug, most / GIB);
    return true;
}

static const char BOUND[] =
    "at the memory bandwidth and peak of the data sheet, without speculative "
    "decoding or a prefix cache,";

/* Time per token, from whichever input gave it; `given` is NAN if none did. */
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
                                   "tokens/s",
                                   true,
                                   BOUND,
                                   0,
                                   run->served.batch};
    return (struct own_figure){TOKEN,
                               in->measured_time_per_output_token_seconds,
                               in->measured_time_per_output_token_seconds,
                               run->served.tpot,
                               bound_token_seconds(&run->inference, n),
                               "s",
                               false,
                               BOUND,
                               0,
                               0};
}

static struct own_figure first_figure(const struct inference_sizing_in *in,
                                      const struct own_run *run)
{
    double seconds = in->measured_time_to_first_token_seconds;

    return (struct own_figure){FIRST,
                               seconds,
                               seconds,
                               run->served.ttft,
                               bound_first_token_seconds(&run->inference),
                               "s",
                               false,
                               BOUND,
                               0,
                               0};
}

/* Engines reserve most of a GPU's memory when they start, whatever the load: that reservation
 * says nothing about what a load needs. */
static bool check_memory(struct request_context *context, const struct inference_sizing_in *in,
                         const struct own_run *run, struct err *err)
{
    const struct inference_job *job = &run->inference.job;

    if (isnan(in->measured_memory_gib))
        return true;
    if (!own_runs_check_memory(context,
                               &(struct own_memory){"measured_memory_gib", in->measured_memory_gib,
                                                    bound_weights_per_gpu(&run->inference),
                                                    job->gpu->memory_bytes, "the weights",
                                                    job->gpu->slug, job->tensor * job->pipeline},
                               err))
        return false;
    context_warn(context, "memory_not_corrected",
                 "measured_memory_gib is possible for this run, but corrects nothing: engines "
                 "reserve memory for their cache when they start, so that it does not say what a "
                 "number of requests needs");
    return true;
}

/* Adds the run given in the question, if any. */
static bool add_given(struct request_context *context, const struct inference_sizing_in *in,
                      const struct serving_request *request, const struct serving_plan *plan,
                      struct correction_served_runs *runs, struct correction_served *to,
                      struct err *err)
{
    struct own_run *run = arena_alloc(context->arena, sizeof(*run));

    if (!is_given(in))
        return true;
    if (!find_run(context, in, request, plan, run, err))
        return false;
    struct own_figure each = token_figure(in, run), opening = first_figure(in, run);
    if ((!isnan(each.given) && !own_runs_check(context, &each, err)) ||
        (!isnan(opening.given) && !own_runs_check(context, &opening, err)) ||
        !check_memory(context, in, run, err))
        return false;
    *to = (struct correction_served){nearest_of_inference(&run->inference.job, run->concurrency),
                                     carry_parts_of_serving(&run->served),
                                     each.measured,
                                     each.estimated,
                                     opening.measured,
                                     opening.estimated,
                                     {(double)NAN, (double)NAN}};
    runs->n++;
    return true;
}

/* Room for all stored runs and the one of the question. */
static bool make_runs(struct request_context *context, struct correction_served_runs **runs,
                      struct correction_served **at, struct err *err)
{
    size_t n = evidence_of(context->catalog, context->arena)->n_own;

    *runs = arena_alloc(context->arena, sizeof(**runs));
    (*runs)->at = *at = arena_alloc(context->arena, (n + 1) * sizeof(**at));
    return correction_constants_fill(context->catalog, &(*runs)->constants, err);
}

bool inference_sizing_runs(struct request_context *context, const char *set,
                           const struct correction_served_runs **runs, struct err *err)
{
    struct correction_served_runs *all;
    struct correction_served *at;

    if (!make_runs(context, &all, &at, err) ||
        !own_runs_of_inference(context, set, at, &all->n, err))
        return false;
    *runs = all;
    return true;
}

bool inference_sizing_take(struct request_context *context,
                           const struct correction_served_runs *runs,
                           struct serving_request *request)
{
    struct nearest_features asked = nearest_of_inference(&request->job, 1);

    for (size_t i = 0; i < runs->n; i++)
        if (nearest_is_same(&asked, &runs->at[i].features)) {
            request->residuals =
                (struct serving_residuals){correction_of_serving, runs, context->arena};
            if (!memory_is_seen(&request->job.seen)) /* a figure in the question counts alone */
                request->job.seen = correction_of_engine_memory(runs, &asked);
            return true;
        }
    return false;
}

bool inference_sizing_correct(struct request_context *context, const struct inference_sizing_in *in,
                              struct serving_request *request, struct serving_plan *plain,
                              struct err *err)
{
    struct correction_served_runs *runs;
    struct correction_served *at;
    bool memory = inference_sizing_has_memory(in);

    if (!is_given(in) && !memory)
        own_runs_refuse_alone(context,
                              "measured_concurrent_requests measured_input_tokens "
                              "measured_output_tokens measured_tensor_parallel "
                              "measured_pipeline_parallel measured_attention_data_parallel",
                              "measured_time_per_output_token_seconds, "
                              "measured_output_tokens_per_second, "
                              "measured_time_to_first_token_seconds, measured_weights_gib, "
                              "measured_kv_cache_tokens or measured_memory_gib",
                              err);
    if (err->n_culprits)
        return false;
    if (!is_given(in) && !memory && !in->measurement_set)
        return true;
    if (!context_at_most_one(context,
                             "measured_time_per_output_token_seconds "
                             "measured_output_tokens_per_second",
                             err))
        return false;
    (void)serving_search(request, plain); /* if there is no design, the next search fails as well */
    if (memory) {
        struct inference_job job = job_of(in, request, plain);
        if (!inference_sizing_correct_memory(context, in, &job, request, err))
            return false;
    }
    if (!plain->fits || (!is_given(in) && !in->measurement_set))
        return true;
    if (!make_runs(context, &runs, &at, err) ||
        !add_given(context, in, request, plain, runs, at, err) ||
        (in->measurement_set &&
         !own_runs_of_inference(context, in->measurement_set, at, &runs->n, err)))
        return false;
    if (!inference_sizing_take(context, runs, request) && in->measurement_set) {
        struct nearest_features asked = nearest_of_inference(&plain->inference.job, plain->batch);
        own_runs_warn_unlike(context, in->measurement_set, &asked);
    }
    if (in->use_measurements == 0) {
        request->residuals.correct = NULL;
        request->job.seen = (struct memory_seen){0};
    }
    return true;
}

bool inference_sizing_widen(struct request_context *context, struct serving_request *request,
                            struct serving_plan *plan, struct err *err)
{
    struct inference_constants *wider = arena_alloc(context->arena, sizeof(*wider));
    struct correction_constants constants;

    if (inference_is_weak(&request->job)) /* already wider */
        return true;
    if (!correction_constants_fill(context->catalog, &constants, err))
        return false;
    *wider = *request->constants;
    inference_constants_widen(wider, constants.far_token, 1);
    request->constants = wider;
    serving_evaluate(request, &plan->design, plan);
    return true;
}

static void warn_far(struct request_context *context, const struct serving_correction *correction,
                     const struct serving_plan *plain)
{
    const struct range *of = correction->of_first ? &plain->ttft : &plain->tpot;

    own_runs_warn_far(context, correction->of_first ? correction->first : correction->token,
                      of->low / of->middle, of->high / of->middle);
}

/* A token does not always take longer by exactly the factor, because the design and the requests in
 * flight change too. */
static const char *token_sentence(struct request_context *context, const char *set,
                                  const struct serving_plan *plan, const struct serving_plan *plain)
{
    static const double SAME = 0.02;
    const struct serving_correction *correction = &plan->correction;
    double without = plain->tpot.middle, with = plan->tpot.middle;
    const char *sentence = own_runs_sentence(context, set, correction->token, correction->runs,
                                             "an output token takes", without, "s");

    if (fabs(with / (without * correction->token) - 1) < SAME)
        return sentence;
    if (plan->design.gpu_count > plain->design.gpu_count ||
        plan->design.gpu_count < plain->design.gpu_count)
        return arena_print(context->arena, "%s, corrected %.4g s on %.0f GPUs instead of %.0f",
                           sentence, with, plan->design.gpu_count, plain->design.gpu_count);
    if (fabs(plan->batch / plain->batch - 1) < SAME)
        return arena_print(context->arena,
                           "%s, corrected %.4g s, as memory and links are not taken to be faster "
                           "than their data sheet",
                           sentence, with);
    return arena_print(context->arena,
                       "%s, corrected %.4g s with %.4g requests in a batch instead of %.4g",
                       sentence, with, plan->batch, plain->batch);
}

/* Which run would tell more: one of the load of the replica that is proposed. */
static const char *with_next_run(struct request_context *context,
                                 const struct serving_request *request,
                                 const struct serving_plan *plan, const char *sentence)
{
    const struct inference_job *job = &plan->inference.job;
    double flight = fmax(1, round(plan->batch));
    struct correction_next next =
        correction_next_token(request->residuals.runs, request->constants, job, plan->batch);

    return own_runs_next(
        context, sentence, next,
        arena_print(context->arena, "of %s request%s in flight, of %s + %s tokens, on %.0f GPU%s",
                    context_count(context, flight), text_plural(flight),
                    context_count(context, round(job->input_tokens)),
                    context_count(context, round(job->output_tokens)), job->tensor * job->pipeline,
                    text_plural(job->tensor * job->pipeline)));
}

void inference_sizing_fill_correction(struct request_context *context,
                                      const struct inference_sizing_in *in,
                                      const struct serving_request *request,
                                      const struct serving_plan *plan,
                                      const struct serving_plan *plain,
                                      struct inference_sizing_out *out)
{
    const struct serving_correction *correction = &plan->correction;
    bool corrected = correction->runs > 0;
    double unknown = (double)NAN;

    inference_sizing_fill_memory(context, in, plan, plain, out);
    out->correction_factor = corrected ? correction->token : unknown;
    out->first_token_correction_factor = corrected ? correction->first : unknown;
    if (corrected) {
        out->correction_sentence =
            correction->of_first
                ? own_runs_sentence(context, in->measurement_set, correction->first,
                                    correction->runs, "the first token takes", plain->ttft.middle,
                                    "s")
                : with_next_run(context, request, plan,
                                token_sentence(context, in->measurement_set, plan, plain));
        warn_far(context, correction, plain);
    }
    out->correction_run_count = corrected ? correction->runs : unknown;
    out->gpu_count_uncorrected = corrected ? plain->design.gpu_count : unknown;
    out->time_per_output_token_seconds_uncorrected =
        corrected && !plan->inference.job.writes_nothing ? plain->tpot.middle : unknown;
    out->time_to_first_token_seconds_uncorrected = corrected ? plain->ttft.middle : unknown;
    out->output_tokens_per_second_uncorrected =
        corrected ? plain->output_tokens_per_second.middle : unknown;
}
