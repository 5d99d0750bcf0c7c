/* options_parse.c - the inputs of /v1/training-plan/options, and the GPU types to compare. */
#include "api/training/options.h"
#include "api/training/plan_search.h"

#include "api/routes/resources.h"
#include <math.h>
#include <string.h>

/* Inputs that apply only to a single plan. */
static bool check_rental(struct request_context *context, struct err *err)
{
    static const char *const names[] = {"duration_days", "duration_hours", "hours_per_day"};
    bool good = true;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (context_given(context, names[i]))
            good = context_refuse(context, err, names[i], "contradiction",
                                  "is for one plan: use /v1/training-plan, or enter deadline_days");
    return good;
}

static bool check_tokens(struct options_question *question, struct err *err)
{
    struct request_context *context = question->context;
    const struct training_plan_in *in = &question->in->plan;
    bool given = !isnan(in->tokens) || !isnan(in->compute_flop);

    if (question->maximize == MAXIMIZE_NOTHING && !given)
        return context_refuse(
            context, err, "tokens", "missing_parameter",
            "is required, or compute_flop: options are compared by the days and cost of a whole "
            "training run");
    if (question->maximize == MAXIMIZE_TOKENS && given)
        return context_refuse(context, err, isnan(in->tokens) ? "compute_flop" : "tokens",
                              "contradiction", "is what maximize=tokens looks for: leave it out");
    if (question->maximize == MAXIMIZE_PARAMETERS && !isnan(in->compute_flop))
        return context_refuse(
            context, err, "compute_flop", "contradiction",
            "depends on the model that maximize=parameters looks for: enter tokens, or "
            "tokens_per_parameter");
    return true;
}

static bool check_model(struct options_question *question, struct err *err)
{
    struct request_context *context = question->context;
    const struct training_plan_in *in = &question->in->plan;
    static const char text[] = "is what maximize=parameters looks for: leave it out";

    if (question->maximize != MAXIMIZE_PARAMETERS)
        return options_refuse_pair(context, err, "tokens_per_parameter",
                                   "a given model: it is for maximize=parameters");
    if (context->model_config)
        return err_add(err, "model_config", "", "contradiction", "%s", text);
    if (in->model || !isnan(in->parameters))
        return context_refuse(context, err, in->model ? "model" : "parameters", "contradiction",
                              "%s", text);
    return context_at_most_one(context, "tokens tokens_per_parameter", err);
}

/* Refuse a goodput that depends on the number of GPUs, which the search for a model varies. */
static bool check_goodput(struct options_question *question, struct err *err)
{
    static const char *const names[] = {"failures_per_1000_gpu_days", "checkpoint_seconds",
                                        "restart_seconds"};
    bool good = true;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (question->maximize == MAXIMIZE_PARAMETERS)
            good = options_refuse_pair(question->context, err, names[i],
                                       "maximize=parameters: enter goodput, as from one plan") &&
                   good;
    return good;
}

static bool check_maximize(struct options_question *question, struct err *err)
{
    struct request_context *context = question->context;
    const struct training_plan_in *in = &question->in->plan;
    bool good = true;

    if (question->maximize == MAXIMIZE_NOTHING)
        return true;
    if (isnan(in->budget) && isnan(in->deadline_days))
        good = context_refuse(context, err, "maximize", "missing_parameter",
                              "needs budget, deadline_days or both as limits");
    good =
        options_refuse_pair(context, err, "frontier_only", "maximize, which ranks by one figure") &&
        good;
    return options_refuse_pair(context, err, "rank", "maximize, which ranks by one figure") && good;
}

/* A run given in the question does not name its GPU; stored runs do. */
static bool check_measured(struct options_question *question, struct err *err)
{
    struct request_context *context = question->context;
    static const char *const names[] = {
        "measured_step_seconds", "measured_tokens_per_second_per_gpu", "measured_memory_gib"};
    bool good = true;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (context_given(context, names[i]))
            good = context_refuse(context, err, names[i], "contradiction",
                                  "is for /v1/training-plan, which knows the GPU it ran on: "
                                  "here, store it with POST /v1/measurements and enter "
                                  "measurement_set");
    if (question->maximize == MAXIMIZE_PARAMETERS)
        good = options_refuse_pair(context, err, "measurement_set",
                                   "maximize=parameters: runs of an unknown model cannot exist") &&
               good;
    return context_at_most_one(context, "measurement_set model_flops_utilization", err) && good;
}

static bool check(struct options_question *question, struct err *err)
{
    struct request_context *context = question->context;
    bool good = check_rental(context, err);

    good = check_measured(question, err) && good;
    good = check_tokens(question, err) && good;
    good = check_model(question, err) && good;
    good = check_maximize(question, err) && good;
    good = check_goodput(question, err) && good;
    if (context_given(context, "gpu_count"))
        good = options_refuse_pair(context, err, "gpu_count_max",
                                   "gpu_count, which fixes the number") &&
               good;
    return good;
}

/* The plan's text without a parameter, because it names GPU and precision. */
static const char *reason_of(const struct err *err, bool *with_field)
{
    const char *field = err->n_culprits ? err->culprits[0].field : "";

    *with_field = false;
    if (strcmp(field, "gpu") == 0)
        return "figures";
    if (strcmp(field, "precision") == 0)
        return "precision";
    *with_field = true;
    return "strategy";
}

/* A stand-in size: the model searched for is not known yet, and only the rest of the question
 * matters. */
static const double PARAMETERS_STAND_IN = 1e9;

/* Ask the plan's question for one GPU, in a context of its own; false if it is refused. */
static bool ask_plan(struct options_question *question, const struct gpu *gpu,
                     struct training_question *plan, struct err *err)
{
    struct request_context *context = question->context;

    plan->context = context_again(context, &training_plan_resource, context->arena);
    plan->in = plan->context->inputs.values;
    plan->in->gpu = gpu->slug;
    if (question->maximize == MAXIMIZE_PARAMETERS)
        plan->in->parameters = PARAMETERS_STAND_IN;
    if (question->maximize != MAXIMIZE_NOTHING) /* the plan's own rule is that a deadline needs
                                                 * tokens */
        plan->in->tokens = isnan(plan->in->tokens) ? 1 : plan->in->tokens;
    if (!training_question_read(plan, err))
        return false;
    if (isnan(question->in->plan.tokens) && question->maximize != MAXIMIZE_NOTHING)
        plan->goal.tokens = (double)NAN;
    training_question_price(plan);
    return true;
}

/* Today's models are pre-trained in BF16 and may overflow in FP16 (gpu_warnings_training()): GPUs
 * without BF16 are considered where they are named or owned, or where FP16 is asked for. */
static bool is_asked_for(const struct options_question *question,
                         const struct training_question *plan, struct err *err)
{
    const char *named = question->in->plan.gpu;

    if (plan->job.precision != TRAINING_FP16 || question->every || (named && named[0]) ||
        context_given(question->context, "precision"))
        return true;
    return context_refuse(question->context, err, "precision", "unsupported",
                          "it has no BF16 arithmetic, in which models are pre-trained today, and "
                          "they may overflow in FP16: gpu=%s or precision=fp16 considers it",
                          plan->job.gpu->slug);
}

static bool ask_kind(void *context, const struct gpu *gpu, struct err *err)
{
    struct options_question *question = context;
    struct training_question *plan = &question->questions[question->n_candidates];

    if (!ask_plan(question, gpu, plan, err) || !is_asked_for(question, plan, err))
        return false;

    question->candidates[question->n_candidates++] =
        (struct training_candidate){&plan->job, &plan->goal};
    question->n_unpriced += isnan(plan->goal.price_per_gpu_hour) != 0;
    struct price price = price_match(plan->goal.book, 1, 1);
    options_count_stale(question->context, &question->stale, &price);
    return true;
}

static double count_max(const struct options_question *question)
{
    const double without_deadline = 4096;
    const struct training_options_in *in = question->in;

    if (!isnan(in->gpu_count_max))
        return in->gpu_count_max;
    return context_given(question->context, "deadline_days") ? TRAINING_GPUS_MAX : without_deadline;
}

/* Without a limit the cheapest option is a handful of GPUs for decades. */
static void limit_days(struct options_question *question)
{
    struct training_options_in *in = question->in;
    const struct assumption *usual =
        catalog_assumption(question->context->catalog, "options_deadline_days", "");

    if (question->maximize != MAXIMIZE_NOTHING || strcmp(in->rank, "cost") != 0 || !usual ||
        !isnan(in->plan.deadline_days))
        return;
    in->plan.deadline_days = usual->value;
    context_set_number(question->context, "deadline_days", usual->value, SOURCE_DEFAULT,
                       "/v1/assumptions?key=options_deadline_days");
}

/* Each GPU type is corrected by runs on that type. */
static bool take_runs(struct options_question *question, struct err *err)
{
    const struct training_plan_in *in = &question->in->plan;
    struct training_residuals residuals;

    if (!in->measurement_set)
        return true;
    if (!training_question_residuals(question->context, in->measurement_set, NULL, &residuals, err))
        return false;
    for (size_t i = 0; i < question->n_candidates && in->use_measurements != 0; i++) {
        struct training_question *candidate = &question->questions[i];
        candidate->goal.residuals = residuals;
        candidate->job.memory_excess = correction_of_memory(residuals.runs, &candidate->job).excess;
    }
    return true;
}

static void note(struct options_question *question)
{
    struct request_context *context = question->context;
    struct training_options_in *in = question->in;

    question->gpu_count_max = count_max(question);
    if (!context_given(context, "gpu_count_max") && isnan(in->plan.gpu_count))
        context_set_number(context, "gpu_count_max", question->gpu_count_max, SOURCE_DEFAULT, NULL);
    if (!context_given(context, "per_gpu"))
        context_set_number(context, "per_gpu", in->frontier_only == 1 ? 0 : 1, SOURCE_DEFAULT,
                           NULL);
    if (!context_given(context, "calendar_ratio") && question->n_candidates > 0)
        context_set_number(context, "calendar_ratio", question->questions[0].goal.calendar.ratio,
                           SOURCE_DEFAULT, "/v1/assumptions?key=calendar_ratio");
}

bool training_options_read(struct options_question *question, struct err *err)
{
    struct request_context *context = question->context;
    size_t n = context->catalog->n_gpus;
    const char *maximize = question->in->maximize;
    struct options_filter filter = {question->in->plan.gpu, question->in->gpu_vendor,
                                    question->in->datacenter_only == 1,
                                    question->in->min_gpu_memory_gb};

    question->maximize = !maximize                         ? MAXIMIZE_NOTHING
                         : strcmp(maximize, "tokens") == 0 ? MAXIMIZE_TOKENS
                                                           : MAXIMIZE_PARAMETERS;
    question->questions = arena_alloc(context->arena, (n + 1) * sizeof(*question->questions));
    question->candidates = arena_alloc(context->arena, (n + 1) * sizeof(*question->candidates));
    question->list.context = context;
    bool good = check(question, err);
    if (good)
        limit_days(question);
    if (!options_check_gpus(context, question->in->plan.gpu, err) || !good ||
        !options_ask_kinds(&question->list, &filter, ask_kind, reason_of, question, err) ||
        !take_runs(question, err))
        return false;
    note(question);
    return true;
}
