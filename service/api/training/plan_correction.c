/* plan_correction.c - /v1/training-plan corrected by a run that the caller measured. */
#include "api/training/plan.h"

#include "api/catalog/own_runs.h"

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

/* Refuses a run faster than the peak. */
static bool check_run(struct training_question *question, const struct own_run *run,
                      struct err *err)
{
    double tokens = run->job.batch_sequences * run->job.sequence_tokens, n = run->pinned.gpu_count;
    bool rate = !context_given(question->context, "measured_step_seconds");
    double unit = rate ? tokens / n : 1; /* converts the given figure to seconds per step */
    struct own_figure figure = {
        .name = run->given,
        .given = rate ? unit / run->seconds : run->seconds,
        .measured = run->seconds / unit,
        .estimated = run->plan.step.seconds / unit,
        .least = training_hours_at_peak(&run->job, n, tokens) * 3600 / unit,
        .unit = rate ? "tokens/s" : "s",
        .rate = rate,
        .because = arena_print(question->context->arena, "at 100 %% of the peak of %.0f x %s", n,
                               question->gpu->slug),
        .gpus = rate ? n : 0,
    };

    return own_runs_check(question->context, &figure, err);
}

static bool check_inputs(struct training_question *question, struct err *err)
{
    struct request_context *context = question->context;

    if (!context_at_most_one(context, "measured_step_seconds measured_tokens_per_second_per_gpu",
                             err))
        return false;
    return context_at_most_one(context, "measurement_set model_flops_utilization", err) &&
           context_at_most_one(context, "measured_step_seconds model_flops_utilization", err) &&
           context_at_most_one(context,
                               "measured_tokens_per_second_per_gpu model_flops_utilization", err);
}

/* Reads the run given in the question, if any. */
static bool read_given(struct training_question *question, struct correction_run *given,
                       struct err *err)
{
    struct request_context *context = question->context;
    bool step = context_given(context, "measured_step_seconds");
    struct own_run *run = arena_alloc(context->arena, sizeof(*run));

    if (!step && !context_given(context, "measured_tokens_per_second_per_gpu")) {
        own_runs_refuse_alone(context,
                              "measured_gpu_count measured_global_batch_sequences "
                              "measured_sequence_tokens",
                              "measured_step_seconds or measured_tokens_per_second_per_gpu", err);
        return err->n_culprits == 0;
    }
    run->given = step ? "measured_step_seconds" : "measured_tokens_per_second_per_gpu";
    if (!find_run(question, run, err) || !check_run(question, run, err))
        return false;
    *given = (struct correction_run){nearest_of_training(&run->job, &run->plan.on),
                                     carry_parts_of_step(&run->plan.step), run->seconds,
                                     run->plan.step.seconds};
    return true;
}

bool training_question_residuals(struct request_context *context, const char *set,
                                 const struct correction_run *given,
                                 struct training_residuals *residuals, struct err *err)
{
    const struct evidence *evidence = evidence_of(context->catalog, context->arena);
    struct correction_runs *runs = arena_alloc(context->arena, sizeof(*runs));
    struct correction_run *at =
        arena_alloc(context->arena, (evidence->n_own + 1) * sizeof(*runs->at));

    if (!correction_constants_fill(context->catalog, &runs->constants, err))
        return false;
    if (set && !own_runs_of_training(context, set, at, &runs->n, err))
        return false;
    if (given && given->measured > 0)
        at[runs->n++] = *given;
    runs->at = at;
    *residuals = (struct training_residuals){correction_of_training, runs};
    return true;
}

static void keep_uncorrected(struct training_question *question)
{
    question->uncorrected = training_totals(&question->job, &question->plan, &question->goal);
    question->uncorrected_gpu_count = question->plan.on.gpu_count;
    training_cost(&question->plan, &question->goal, &question->uncorrected, &question->rental,
                  &question->bill);
    question->uncorrected_cost = question->bill.total_cost;
}

bool training_question_correct(struct training_question *question, struct err *err)
{
    const struct training_plan_in *in = question->in;
    struct correction_run given = {.measured = 0};
    struct training_residuals residuals;

    if (!check_inputs(question, err) || !read_given(question, &given, err))
        return false;
    if (!in->measurement_set && !(given.measured > 0))
        return true;
    if (!training_question_residuals(question->context, in->measurement_set, &given, &residuals,
                                     err))
        return false;
    bool corrects =
        correction_of_training(residuals.runs, &question->job, &question->plan).runs > 0;
    if (in->measurement_set && !corrects) {
        struct nearest_features asked = nearest_of_training(&question->job, &question->plan.on);
        own_runs_warn_unlike(question->context, in->measurement_set, &asked);
    }
    if (in->use_measurements == 0 || !corrects)
        return true;
    keep_uncorrected(question);
    const struct training_totals *plain = &question->uncorrected;
    own_runs_warn_far(
        question->context,
        correction_of_training(residuals.runs, &question->job, &question->plan).factor,
        plain->step_seconds_low / plain->step_seconds,
        plain->step_seconds_high / plain->step_seconds);
    question->goal.residuals = residuals;
    return true;
}
