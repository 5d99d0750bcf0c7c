/* workload.c - from a workload to the GPUs compared: which workload is meant, and what the ledger
 * takes from its plan. */
#include "api/break_even/break_even.h"

#include "base/units.h"
#include "api/break_even/plan.h"

#include "api/inference/sizing.h"
#include "api/training/plan.h"

#include <math.h>
#include <string.h>

/* Infers the workload from the inputs given. */
static bool infer(struct request_context *context, struct break_even_in *in, struct err *err)
{
    const char *either = break_even_asks(context, WORKLOAD_TRAIN_THEN_SERVE);
    bool train = break_even_asks(context, WORKLOAD_TRAIN) != NULL;
    bool serve = break_even_asks(context, WORKLOAD_SERVE) != NULL;

    in->plan.kind = (enum workload)((train ? WORKLOAD_TRAIN : 0) | (serve ? WORKLOAD_SERVE : 0));
    if (in->plan.kind == WORKLOAD_NONE && either)
        return context_refuse(context, err, either, "missing_parameter",
                              "needs a workload: enter tokens_per_day or another load to serve, "
                              "or tokens to train");
    context_set_text(context, "workload", break_even_workload_word(in->plan.kind), SOURCE_CHOSEN,
                     NULL);
    return true;
}

static bool find_kind(struct request_context *context, struct break_even_in *in, struct err *err)
{
    if (!in->workload)
        return infer(context, in, err);
    while (strcmp(in->workload, break_even_workload_word(in->plan.kind)) != 0)
        in->plan.kind++;
    return break_even_refuse_others(context, in->plan.kind, err);
}

/* Refuse inputs that the plan computes. */
static bool check_computed(struct request_context *context, const struct break_even_in *in,
                           struct err *err)
{
    static const struct {
        const char *name;
        bool of_both; /* only for a training followed by a service */
    } computed[] = {{"utilization", false},
                    {"rented_ratio", false},
                    {"gpu_hours_per_month", false},
                    {"first_phase_months", true},
                    {"first_phase_utilization", true}};
    bool both = in->plan.kind == WORKLOAD_TRAIN_THEN_SERVE, good = true;

    for (size_t i = 0; i < sizeof(computed) / sizeof(computed[0]); i++)
        if (context_given(context, computed[i].name) && (both || !computed[i].of_both))
            good = context_refuse(context, err, computed[i].name, "contradiction",
                                  "is calculated from the %s: remove it, or remove the workload",
                                  in->plan.kind == WORKLOAD_SERVE ? "inference load"
                                                                  : "training plan");
    return good;
}

/* Refuse inputs that need both workloads. */
static bool check_both(struct request_context *context, const struct break_even_in *in,
                       struct err *err)
{
    bool good = true;

    if (in->plan.kind != WORKLOAD_TRAIN_THEN_SERVE)
        return true;
    if (context_given(context, "runs_per_year"))
        good = context_refuse(context, err, "runs_per_year", "contradiction",
                              "requires workload=train: before a service the model is trained only "
                              "once");
    if (!isnan(in->hosted_input_price_per_million_tokens))
        good =
            context_refuse(context, err, "hosted_input_price_per_million_tokens", "contradiction",
                           "requires workload=serve: a hosted API does not train the model");
    return good;
}

/* Check that the amount of work is given. */
static bool check_amount(struct request_context *context, const struct break_even_in *in,
                         struct err *err)
{
    bool loaded = !isnan(in->tokens_per_day) || !isnan(in->requests_per_minute) ||
                  !isnan(in->concurrent_requests) || !isnan(in->daily_users);
    bool good = true;

    if ((in->plan.kind & WORKLOAD_TRAIN) && isnan(in->tokens))
        good = context_refuse(context, err, "tokens", "missing_parameter",
                              "is required with workload=%s: the amount of training", in->workload);
    if ((in->plan.kind & WORKLOAD_SERVE) && !loaded)
        good = context_refuse(context, err, "tokens_per_day", "missing_parameter",
                              "is required with workload=%s, or requests_per_minute, "
                              "concurrent_requests or daily_users: the amount of serving",
                              in->workload);
    return good;
}

/* Refuse a given number of GPUs that does not suffice. */
static bool refuse_unmet(double given, double better, const char *why, struct err *err)
{
    if (isnan(better))
        return err_set(err, ERR_NO_SOLUTION, "gpu_count=%.0f does not work: %s", given, why);
    return err_set(err, ERR_NO_SOLUTION, "gpu_count=%.0f does not work, but %.0f would: %s", given,
                   better, why);
}

/* GPUs, and the fractions of their hours in which they are in use and rented. */
struct use {
    double gpu_count, utilization;
    double rented; /* NAN: equal to the hours in use */
};

static void set_use(struct request_context *context, const struct break_even_in *in, struct use use)
{
    context_set_number(context, "utilization", use.utilization, SOURCE_CHOSEN, in->plan.address);
    context_set_number(context, "gpu_hours_per_month",
                       use.utilization * use.gpu_count * HOURS_PER_MONTH, SOURCE_CHOSEN,
                       in->plan.address);
    if (!isnan(use.rented))
        context_set_number(context, "rented_ratio", use.rented, SOURCE_CHOSEN, in->plan.address);
    if (!context_given(context, "gpu_count"))
        context_set_number(context, "gpu_count", use.gpu_count, SOURCE_CHOSEN, in->plan.address);
}

static void set_tokens_per_second(struct request_context *context, double rate)
{
    if (!context_given(context, "tokens_per_second"))
        context_set_number(context, "tokens_per_second", rate, SOURCE_CHOSEN, NULL);
}

/* Copies the correction from the last planning answer. */
static void note_correction(struct request_context *context, struct workload_plan *plan,
                            double factor, double runs, const char *sentence)
{
    const char *training = plan->correction_sentence;

    /* A training plan before the service may have set it first. */
    plan->training_correction_factor =
        plan->kind == WORKLOAD_TRAIN_THEN_SERVE ? plan->correction_factor : (double)NAN;
    plan->correction_factor = factor;
    if (!sentence)
        return;
    plan->correction_runs += runs;
    plan->correction_sentence =
        training ? arena_print(context->arena, "training %s; service %s", training, sentence)
                 : sentence;
}

/* The fraction of the design's capacity used by the load. */
static bool serve(struct request_context *context, struct break_even_in *in, struct use *use,
                  struct err *err)
{
    struct request_context *plan = break_even_plan(context, in, WORKLOAD_SERVE, err);

    if (!plan)
        return false;
    const struct inference_sizing_in *taken = inference_sizing_inputs(plan);
    const struct inference_sizing_out *sizing = inference_sizing_figures(plan);
    if (sizing->fits == 0 || sizing->meets_load == 0 || sizing->meets_latency == 0)
        return refuse_unmet(sizing->gpu_count, sizing->nearest_gpu_count, sizing->reason, err);
    note_correction(context, &in->plan, sizing->correction_factor, sizing->correction_run_count,
                    sizing->correction_sentence);
    /* Tokens processed per token written. */
    double of_images =
        taken->images_per_request > 0 ? taken->images_per_request * taken->image_tokens : 0;
    double prompt = taken->input_tokens + of_images;
    double all = (prompt + taken->output_tokens) / fmax(1, taken->output_tokens);
    in->plan.input_tokens = prompt;
    in->plan.output_tokens = taken->output_tokens;
    in->plan.replicas = sizing->replica_count;
    struct serving_design design = {.tensor = sizing->tensor_parallel,
                                    .pipeline = sizing->pipeline_parallel,
                                    .prefill_replicas = sizing->prefill_replica_count,
                                    .gpu_count = sizing->gpu_count};
    in->plan.connected =
        fmax(isnan(in->plan.connected) ? 0 : in->plan.connected, serving_connected(&design));
    in->plan.tokens_per_day = sizing->output_tokens_per_second * all * SECONDS_PER_DAY;
    in->plan.tokens_per_month = in->plan.tokens_per_day / HOURS_PER_DAY * HOURS_PER_MONTH;
    *use = (struct use){
        sizing->gpu_count, sizing->utilization,
        rent_schedule_ratio(&in->schedule, sizing->replica_count, taken->peak_to_average_ratio)};
    set_tokens_per_second(context, sizing->output_tokens_per_second_capacity * all);
    return true;
}

/* The training plan; NULL if it does not meet its limits. */
static const struct training_plan_out *train_plan(struct request_context *context,
                                                  struct break_even_in *in, struct err *err)
{
    struct request_context *asked = break_even_plan(context, in, WORKLOAD_TRAIN, err);

    if (!asked)
        return NULL;
    const struct training_plan_out *plan = training_plan_figures(asked);
    in->plan.days = plan->days;
    in->plan.busy_days = plan->days * plan->paid_gpu_hours / plan->gpu_hours;
    in->plan.connected = plan->gpu_count;
    note_correction(context, &in->plan, plan->correction_factor, plan->correction_run_count,
                    plan->correction_sentence);
    if (plan->fits == 0) {
        refuse_unmet(plan->gpu_count, plan->nearest_fit_gpu_count,
                     "the training does not fit in its memory", err);
        return NULL;
    }
    return plan;
}

static bool check_year(struct request_context *context, const struct break_even_in *in,
                       struct err *err)
{
    bool given = context_given(context, "runs_per_year");

    if (in->plan.busy_days * in->runs_per_year <= DAYS_PER_YEAR)
        return true;
    return context_refuse(
        context, err, given ? "runs_per_year" : "deadline_days", "contradiction",
        "runs of %.6g days with their experiments, %.6g per year, do not fit in a year: enter "
        "deadline_days of %.6g or less, a larger gpu_count, or fewer runs_per_year",
        in->plan.busy_days, in->runs_per_year,
        DAYS_PER_YEAR / in->runs_per_year * in->plan.days / in->plan.busy_days);
}

static void fill_by_plan(struct request_context *context, const struct break_even_in *in,
                         const char *name, double value)
{
    if (!context_given(context, name))
        context_set_number(context, name, value, SOURCE_CHOSEN, in->plan.address);
}

/* Add the cost of n trainings per month to the ledger; returns their GPU-hours. Hours added by spot
 * interruptions are only rented: owned GPUs are not reclaimed. */
static double set_bill(struct request_context *context, const struct break_even_in *in,
                       const struct training_plan_out *plan, double runs_a_month)
{
    fill_by_plan(context, in, "training_other_cost_month", plan->other_cost * runs_a_month);
    if (strcmp(in->own.purchase_option, "spot") == 0)
        fill_by_plan(context, in, "spot_overhead_ratio", plan->interruption_ratio);
    return plan->paid_gpu_hours / (1 + plan->interruption_ratio) * runs_a_month;
}

/* What is billed beyond the hours of a run, relative to their rent: other extras are lines of the
 * bill. A reservation is paid for all hours anyway. */
static double unused_ratio(const struct training_plan_out *plan)
{
    double rent = plan->paid_gpu_hours / (1 + plan->interruption_ratio) * plan->price_per_gpu_hour;

    return rent > 0 ? plan->unused_cost / rent : 0;
}

/* The fraction of the year in which runs keep the GPUs busy. */
static bool train(struct request_context *context, struct break_even_in *in, struct use *use,
                  struct err *err)
{
    const struct training_plan_out *plan = train_plan(context, in, err);

    if (!plan)
        return false;
    if (isnan(in->runs_per_year))
        context_set_number(context, "runs_per_year", 1, SOURCE_DEFAULT, NULL);
    if (!check_year(context, in, err))
        return false;
    double hours = set_bill(context, in, plan, in->runs_per_year / MONTHS_PER_YEAR);
    in->plan.tokens_per_month = in->tokens * in->runs_per_year / MONTHS_PER_YEAR;
    *use = (struct use){plan->gpu_count, hours / (plan->gpu_count * HOURS_PER_MONTH), (double)NAN};
    in->plan.unused_ratio = unused_ratio(plan);
    fill_by_plan(context, in, "rental_overhead_ratio",
                 price_term_months(in->own.purchase_option) ? 0 : in->plan.unused_ratio);
    set_tokens_per_second(context, plan->tokens_per_second_per_gpu * plan->gpu_count);
    return true;
}

static bool check_horizon(struct request_context *context, const struct break_even_in *in,
                          double months, struct err *err)
{
    return months < in->own.horizon_months ||
           context_refuse(
               context, err,
               context_given(context, "deadline_days") ? "deadline_days" : "gpu_count",
               "contradiction",
               "the training takes %.6g months, which leaves none of the %.0f months of the time "
               "frame for serving",
               months, in->own.horizon_months);
}

/* All GPUs are present from the start; those not needed by a phase are idle. */
static bool train_then_serve(struct request_context *context, struct break_even_in *in,
                             struct use *use, struct err *err)
{
    const struct training_plan_out *plan = train_plan(context, in, err);
    struct use served = {0, 0, 0};

    if (!plan)
        return false;
    double months = set_bill(context, in, plan, 1 / in->own.horizon_months) *
                    in->own.horizon_months / (plan->gpu_count * HOURS_PER_MONTH);
    in->plan.training_address = in->plan.address;
    if (!check_horizon(context, in, months, err) || !serve(context, in, &served, err))
        return false;
    double all = fmax(plan->gpu_count, served.gpu_count);
    context_set_number(context, "first_phase_months", months, SOURCE_CHOSEN,
                       in->plan.training_address);
    context_set_number(context, "first_phase_utilization", plan->gpu_count / all, SOURCE_CHOSEN,
                       in->plan.training_address);
    double share = served.gpu_count / all;
    *use = (struct use){all, served.utilization * share, served.rented * share};
    return true;
}

bool break_even_workload(struct request_context *context, struct break_even_in *in, struct err *err)
{
    static bool (*const plans[])(struct request_context *, struct break_even_in *, struct use *,
                                 struct err *) = {
        [WORKLOAD_TRAIN] = train,
        [WORKLOAD_SERVE] = serve,
        [WORKLOAD_TRAIN_THEN_SERVE] = train_then_serve,
    };
    const double none = (double)NAN;
    struct use use = {none, none, none};

    in->plan = (struct workload_plan){.kind = WORKLOAD_NONE,
                                      .days = none,
                                      .busy_days = none,
                                      .replicas = none,
                                      .tokens_per_day = none,
                                      .input_tokens = none,
                                      .output_tokens = none,
                                      .connected = none,
                                      .tokens_per_month = none,
                                      .unused_ratio = none,
                                      .correction_factor = none,
                                      .training_correction_factor = none};
    if (!find_kind(context, in, err))
        return false;
    if (in->plan.kind == WORKLOAD_NONE)
        return !context->model_config ||
               err_add(err, "model_config", "", "contradiction",
                       "requires a workload: enter tokens_per_day or another load to serve, or "
                       "tokens to train");
    bool good = check_computed(context, in, err);
    good = check_both(context, in, err) && good;
    good = check_amount(context, in, err) && good;
    good = hosted_price_check(context, err) && good;
    if (in->plan.kind & WORKLOAD_SERVE)
        good = rent_schedule_read(context, &in->schedule, err) && good;
    /* Do not plan after a refusal: the plan would restart the list of culprits. */
    if (!good || err->n_culprits || !plans[in->plan.kind](context, in, &use, err))
        return false;
    set_use(context, in, use);
    return true;
}
