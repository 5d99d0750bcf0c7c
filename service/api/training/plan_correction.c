/* plan_correction.c - corrects /v1/training-plan by the caller's measured run. */
#include "api/training/plan.h"

#include "api/catalog/own_runs.h"
#include "base/units.h"
#include "estimate/measurement/bound.h"

#include <math.h>

/* The caller's run: the plan's, with the differences given. */
struct own_run {
    struct training_job job;
    struct training_strategy pinned;
    struct training_plan plan;
    const char *given; /* the input that says how fast it was, or else how much memory it took */
    double seconds;    /* NAN: not measured */
    double memory_estimated;
};

static const char STEP[] = "measured_step_seconds", RATE[] = "measured_tokens_per_second_per_gpu",
                  MEMORY[] = "measured_memory_gib";

static double stated_or(const struct training_question *question, const char *name, double stated,
                        double otherwise)
{
    return context_given(question->context, name) ? stated : otherwise;
}

/* The plan's strategy, with the measured_ settings of the run. */
static void pin_run(const struct training_question *question, struct own_run *run, double batch)
{
    const struct training_plan_in *in = question->in;
    struct training_strategy *pinned = &run->pinned;
    const struct {
        double *to, given;
    } degrees[] = {
        {&pinned->micro_batch, in->measured_micro_batch_sequences},
        {&pinned->tensor, in->measured_tensor_parallel},
        {&pinned->pipeline, in->measured_pipeline_parallel},
        {&pinned->context, in->measured_context_parallel},
        {&pinned->expert, in->measured_expert_parallel},
        {&pinned->zero_stage, in->measured_zero_stage},
    };

    *pinned = question->pinned;
    pinned->batch_sequences = batch;
    pinned->gpu_count = stated_or(question, "measured_gpu_count", in->measured_gpu_count,
                                  question->plan.on.gpu_count);
    for (size_t i = 0; i < sizeof(degrees) / sizeof(degrees[0]); i++)
        if (!isnan(degrees[i].given))
            *degrees[i].to = degrees[i].given;
    if (in->measured_recompute)
        pinned->recompute =
            (enum training_recompute)training_recompute_find(in->measured_recompute);
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
    pin_run(question, run, run->job.batch_sequences);
    if (!training_search(&run->job, &run->pinned, &run->plan))
        return context_refuse(question->context, err, run->given, "contradiction",
                              "no strategy divides the run that was measured: give its "
                              "measured_gpu_count and measured_global_batch_sequences");
    double tokens = run->job.batch_sequences * run->job.sequence_tokens;
    run->seconds = context_given(question->context, STEP)
                       ? in->measured_step_seconds
                       : tokens / (in->measured_tokens_per_second_per_gpu * run->pinned.gpu_count);
    run->memory_estimated = training_memory_of(
        &run->plan.memory,
        (enum training_memory_kind)training_memory_find(in->measured_memory_kind));
    return true;
}

/* Refuses a run faster than the peak. */
static bool check_run(struct training_question *question, const struct own_run *run,
                      struct err *err)
{
    double tokens = run->job.batch_sequences * run->job.sequence_tokens, n = run->pinned.gpu_count;
    bool rate = !context_given(question->context, STEP);
    double unit = rate ? tokens / n : 1; /* converts the given figure to seconds per step */
    struct own_figure figure = {
        .name = run->given,
        .given = rate ? unit / run->seconds : run->seconds,
        .measured = run->seconds / unit,
        .estimated = run->plan.step.seconds / unit,
        .least = training_hours_at_peak(&run->job, n, tokens) * SECONDS_PER_HOUR / unit,
        .unit = rate ? "tokens/s" : "s",
        .rate = rate,
        .because = arena_print(question->context->arena, "at 100%% of the peak of %.0f x %s", n,
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

static bool check_memory(struct training_question *question, const struct own_run *run,
                         struct err *err)
{
    double n = run->pinned.gpu_count;

    return own_runs_check_memory(
        question->context,
        &(struct own_memory){MEMORY, question->in->measured_memory_gib,
                             bound_training_bytes(&run->job, n), question->gpu->memory_bytes,
                             own_runs_training_holds, question->gpu->slug, n},
        err);
}

static void refuse_alone(struct training_question *question, struct err *err)
{
    own_runs_refuse_alone(question->context,
                          "measured_gpu_count measured_global_batch_sequences "
                          "measured_sequence_tokens measured_micro_batch_sequences "
                          "measured_tensor_parallel measured_pipeline_parallel "
                          "measured_context_parallel measured_expert_parallel "
                          "measured_zero_stage measured_recompute",
                          "measured_step_seconds, measured_tokens_per_second_per_gpu or "
                          "measured_memory_gib",
                          err);
}

/* Reads the run given in the question; false too if there is none. */
static bool read_given(struct training_question *question, struct correction_run *given,
                       struct err *err)
{
    struct request_context *context = question->context;
    bool step = context_given(context, STEP), memory = context_given(context, MEMORY);
    bool timed = step || context_given(context, RATE);
    struct own_run *run = arena_alloc(context->arena, sizeof(*run));

    if (!memory)
        own_runs_refuse_alone(context, "measured_memory_kind", MEMORY, err);
    if (!timed && !memory)
        refuse_alone(question, err);
    if (err->n_culprits || (!timed && !memory))
        return false;
    run->given = step ? STEP : timed ? RATE : MEMORY;
    if (!find_run(question, run, err) || (timed && !check_run(question, run, err)) ||
        (memory && !check_memory(question, run, err)))
        return false;
    *given = (struct correction_run){nearest_of_training(&run->job, &run->plan.on),
                                     carry_parts_of_step(&run->plan.step),
                                     run->seconds,
                                     run->plan.step.seconds,
                                     question->in->measured_memory_gib * GIB,
                                     run->memory_estimated};
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
    if (given)
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

/* A measured run of the caller is compared with the interval of runs with the plan's settings. */
static void correct_time(struct training_question *question,
                         const struct training_residuals *residuals)
{
    struct training_plan stated = question->plan;
    double factor = correction_of_training(residuals->runs, &question->job, &question->plan).factor;

    stated.division_searched = stated.recompute_searched = false;
    struct training_totals plain = training_totals(&question->job, &stated, &question->goal);
    own_runs_warn_far(question->context, factor, plain.step_seconds_low / plain.step_seconds,
                      plain.step_seconds_high / plain.step_seconds);
    question->goal.residuals = *residuals;
}

/* The plan found is that of the account; with another account another may be. */
static void correct_memory(struct training_question *question,
                           const struct correction_memory *memory)
{
    question->memory_runs = memory->runs;
    question->uncorrected_memory = question->plan.memory;
    question->job.memory_excess = memory->excess;
    if (memory->passed_over > 0)
        context_warn(question->context, "far_measurement",
                     "%.0f measured memor%s not taken over: %.3g times the estimate is further "
                     "off than one run in twenty; its settings are probably not those assumed: "
                     "add measured_micro_batch_sequences, measured_recompute, measured_zero_stage "
                     "and the degrees of the run, and say what measured_memory_kind counts",
                     memory->passed_over, memory->passed_over == 1 ? "y was" : "ies were",
                     memory->farthest);
}

bool training_question_correct(struct training_question *question, struct err *err)
{
    const struct training_plan_in *in = question->in;
    struct correction_run given = {.measured = (double)NAN};
    struct training_residuals residuals;

    if (!check_inputs(question, err))
        return false;
    bool own = read_given(question, &given, err);
    if (err->n_culprits)
        return false;
    if (!in->measurement_set && !own)
        return true;
    if (!training_question_residuals(question->context, in->measurement_set, own ? &given : NULL,
                                     &residuals, err))
        return false;
    bool corrects =
        correction_of_training(residuals.runs, &question->job, &question->plan).runs > 0;
    struct correction_memory memory = correction_of_memory(residuals.runs, &question->job);
    if (in->measurement_set && !corrects) {
        struct nearest_features asked = nearest_of_training(&question->job, &question->plan.on);
        own_runs_warn_unlike(question->context, in->measurement_set, &asked);
    }
    if (in->use_measurements == 0)
        return true;
    if (corrects || memory.runs > 0)
        keep_uncorrected(question);
    if (corrects)
        correct_time(question, &residuals);
    correct_memory(question, &memory);
    return true;
}
