/* plan_correction.c - /v1/training-plan corrected by a run that the caller measured. */
#include "api/training/plan.h"

#include "base/text.h"
#include "estimate/measurement/correction.h"

#include <math.h>

/* A run that the caller measured: the plan's, with what differed in it. */
struct own_run {
    struct training_job job;
    struct training_strategy pinned;
    struct training_plan plan;
    const char *given; /* the input that says how fast it was */
    double seconds;
};

static double stated_or(const struct training_question *question, const char *name, double stated,
                        double otherwise)
{
    return context_given(question->context, name) ? stated : otherwise;
}

static bool find_run(struct training_question *question, struct own_run *run, struct err *err)
{
    const struct training_plan_in *in = question->in;
    const struct training_strategy *on = &question->plan.on;

    run->job = question->job;
    run->job.sequence_tokens = stated_or(question, "measured_sequence_tokens",
                                         in->measured_sequence_tokens, run->job.sequence_tokens);
    run->job.batch_sequences = stated_or(question, "measured_global_batch_sequences",
                                         in->measured_global_batch_sequences, on->batch_sequences);
    run->pinned = question->pinned;
    run->pinned.batch_sequences = run->job.batch_sequences;
    run->pinned.gpu_count =
        stated_or(question, "measured_gpu_count", in->measured_gpu_count, on->gpu_count);
    if (!training_search(&run->job, &run->pinned, &run->plan))
        return context_refuse(question->context, err, run->given, "contradiction",
                              "no strategy divides the run that was measured: give its "
                              "measured_gpu_count and measured_global_batch_sequences");
    double tokens = run->job.batch_sequences * run->job.sequence_tokens;
    run->seconds = context_given(question->context, "measured_step_seconds")
                       ? in->measured_step_seconds
                       : tokens / (in->measured_tokens_per_second_per_gpu * run->pinned.gpu_count);
    return true;
}

/* A run faster than the peak is none, and one a thousand times off is in another unit. */
static bool check_run(struct training_question *question, const struct own_run *run,
                      struct err *err)
{
    static const double THOUSAND = 1000, NEAR = 3;
    double least = training_hours_at_peak(&run->job, run->pinned.gpu_count,
                                          run->job.batch_sequences * run->job.sequence_tokens) *
                   3600;
    double estimated = run->plan.step.seconds, ratio = run->seconds / estimated;
    bool thousand =
        fabs(log(ratio * THOUSAND)) < log(NEAR) || fabs(log(ratio / THOUSAND)) < log(NEAR);

    if (thousand)
        return context_refuse(question->context, err, run->given, "unit",
                              "is a step of %.4g s, and the estimate is %.4g s: a factor of about "
                              "1,000; is it in another unit?",
                              run->seconds, estimated);
    if (run->seconds < least)
        return context_refuse(question->context, err, run->given, "below_physics",
                              "is below physics: a step of %.4g s, and at 100 %% of their peak "
                              "%.0f x %s take %.4g s",
                              run->seconds, run->pinned.gpu_count, question->gpu->slug, least);
    return true;
}

static bool check_inputs(struct training_question *question, struct err *err)
{
    struct request_context *context = question->context;

    if (!context_at_most_one(context, "measured_step_seconds measured_tokens_per_second_per_gpu",
                             err))
        return false;
    return context_at_most_one(context, "measured_step_seconds model_flops_utilization", err) &&
           context_at_most_one(context,
                               "measured_tokens_per_second_per_gpu model_flops_utilization", err);
}

/* The interval of every class narrows: the plan is of one of them. */
static void narrow(struct training_constants *k, double exponent)
{
    double *const bounds[] = {&k->dense_low, &k->dense_high,  &k->moe_low,
                              &k->moe_high,  &k->adapter_low, &k->adapter_high};

    for (size_t i = 0; i < sizeof(bounds) / sizeof(bounds[0]); i++)
        *bounds[i] = pow(*bounds[i], exponent);
}

static void apply(struct training_question *question, const struct correction *correction)
{
    struct training_step *step = &question->plan.step;

    question->uncorrected = question->totals;
    question->uncorrected_cost = question->bill.total_cost;
    question->correction_factor = correction->factor;
    step->correction = (correction->factor - 1) * step->seconds;
    step->seconds += step->correction;
    narrow(&question->constants, correction->interval_exponent);
    question->totals = training_totals(&question->job, &question->plan, &question->goal);
    training_cost(&question->plan, &question->goal, &question->totals, &question->rental,
                  &question->bill);
}

bool training_question_correct(struct training_question *question, struct err *err)
{
    struct request_context *context = question->context;
    bool step = context_given(context, "measured_step_seconds");
    struct own_run *run = arena_alloc(context->arena, sizeof(*run));
    struct correction_constants constants;

    question->correction_factor = (double)NAN;
    if (!step && !context_given(context, "measured_tokens_per_second_per_gpu"))
        return true;
    run->given = step ? "measured_step_seconds" : "measured_tokens_per_second_per_gpu";
    if (!check_inputs(question, err) || !find_run(question, run, err) ||
        !check_run(question, run, err))
        return false;
    if (question->in->use_measurements == 0)
        return true;
    if (!correction_constants_fill(context->catalog, &constants, err))
        return false;
    struct nearest_features asked = nearest_of_training(&question->job, &question->plan.on);
    struct nearest_features measured = nearest_of_training(&run->job, &run->plan.on);
    struct correction_sum sum = {0};
    correction_add(&sum, &constants, &asked, &measured, run->seconds, run->plan.step.seconds);
    struct correction correction = correction_of(&constants, &sum);
    apply(question, &correction);
    return true;
}
