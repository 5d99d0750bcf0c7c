/* break_even_workload.c - from a workload to the GPUs that are compared: which workload is meant,
 * and what of its plan the ledger takes. */
#include "api/break_even.h"

#include "api/sensitivity_run.h"

#include <math.h>
#include <string.h>

#define MONTHS_PER_YEAR 12.0
#define DAYS_PER_YEAR 365.0
#define SECONDS_PER_DAY 86400.0

/* What was not said in words follows from what was given. */
static bool infer(struct call *call, struct break_even_in *in, struct err *err)
{
    const char *serve = break_even_asks(call, WORKLOAD_SERVE);
    const char *train = break_even_asks(call, WORKLOAD_TRAIN);
    const char *either = break_even_asks(call, WORKLOAD_TRAIN | WORKLOAD_SERVE);

    if (serve && train)
        return call_refuse(call, err, train, "contradiction",
                           "is of a training and %s of a service: ask of one of them at a time",
                           serve);
    if (serve || train)
        in->plan.kind = serve ? WORKLOAD_SERVE : WORKLOAD_TRAIN;
    else if (either)
        return call_refuse(call, err, either, "missing_parameter",
                           "needs a workload: give tokens_per_day or another load to serve, or "
                           "tokens to train");
    call_set_text(call, "workload",
                  in->plan.kind == WORKLOAD_NONE ? "none"
                  : serve                        ? "serve"
                                                 : "train",
                  SOURCE_CHOSEN, NULL);
    return true;
}

static bool find_kind(struct call *call, struct break_even_in *in, struct err *err)
{
    if (!in->workload)
        return infer(call, in, err);
    in->plan.kind = strcmp(in->workload, "train") == 0   ? WORKLOAD_TRAIN
                    : strcmp(in->workload, "serve") == 0 ? WORKLOAD_SERVE
                                                         : WORKLOAD_NONE;
    return break_even_refuse_others(call, in->plan.kind, err);
}

/* Computed figures are not typed. */
static bool check_computed(struct call *call, const struct break_even_in *in, struct err *err)
{
    static const char *const computed[] = {"utilization", "gpu_hours_per_month"};
    bool train = in->plan.kind == WORKLOAD_TRAIN, good = true;

    for (size_t i = 0; i < sizeof(computed) / sizeof(computed[0]); i++)
        if (call_given(call, computed[i]))
            good = call_refuse(call, err, computed[i], "contradiction",
                               "is computed from the %s: leave it out, or leave the workload out",
                               train ? "training plan" : "inference load");
    return good;
}

/* How much there is to do. */
static bool check_amount(struct call *call, const struct break_even_in *in, struct err *err)
{
    if (in->plan.kind == WORKLOAD_TRAIN)
        return !isnan(in->tokens) ||
               call_refuse(call, err, "tokens", "missing_parameter",
                           "is required with workload=train: how much there is to train");
    return !isnan(in->tokens_per_day) || !isnan(in->requests_per_minute) ||
           !isnan(in->concurrent_requests) || !isnan(in->daily_users) ||
           call_refuse(call, err, "tokens_per_day", "missing_parameter",
                       "is required with workload=serve, or requests_per_minute, "
                       "concurrent_requests or daily_users: how much there is to serve");
}

/* Where the number of GPUs was given, and it will not do. */
static bool refuse_unmet(const struct call *plan, const char *why, const char *nearest,
                         struct err *err)
{
    double given = run_figure(plan, "gpu_count"), better = run_figure(plan, nearest);

    if (isnan(better))
        return err_set(err, ERR_NO_SOLUTION, "gpu_count=%.0f will not do: %s", given, why);
    return err_set(err, ERR_NO_SOLUTION, "gpu_count=%.0f will not do, %.0f would: %s", given,
                   better, why);
}

static const char *figure_text(const struct call *plan, const char *name)
{
    return field_text(fields_find(plan->answer.fields, name), plan->answer.values);
}

static void set_use(struct call *call, const struct break_even_in *in, double gpu_count,
                    double utilization)
{
    call_set_number(call, "utilization", utilization, SOURCE_CHOSEN, in->plan.address);
    call_set_number(call, "gpu_hours_per_month", utilization * gpu_count * HOURS_PER_MONTH,
                    SOURCE_CHOSEN, in->plan.address);
    if (!call_given(call, "gpu_count"))
        call_set_number(call, "gpu_count", gpu_count, SOURCE_CHOSEN, in->plan.address);
}

static void set_tokens_per_second(struct call *call, double rate)
{
    if (!call_given(call, "tokens_per_second"))
        call_set_number(call, "tokens_per_second", rate, SOURCE_CHOSEN, NULL);
}

/* The share of the design's capacity that the load fills. */
static bool serve(struct call *call, struct break_even_in *in, struct err *err)
{
    struct call *plan = break_even_plan(call, in, WORKLOAD_SERVE, err);

    if (!plan)
        return false;
    if (run_figure(plan, "fits") == 0 || run_figure(plan, "meets_load") == 0 ||
        run_figure(plan, "meets_latency") == 0)
        return refuse_unmet(plan, figure_text(plan, "reason"), "nearest_gpu_count", err);
    double input = run_number(plan, "input_tokens"), output = run_number(plan, "output_tokens");
    double all = (input + output) / output; /* tokens read or written for one written */
    in->plan.input_tokens = input;
    in->plan.output_tokens = output;
    in->plan.replicas = run_figure(plan, "replica_count");
    in->plan.tokens_per_day = run_figure(plan, "output_tokens_per_second") * all * SECONDS_PER_DAY;
    set_use(call, in, run_figure(plan, "gpu_count"), run_figure(plan, "utilization"));
    set_tokens_per_second(call, run_figure(plan, "output_tokens_per_second_capacity") * all);
    return true;
}

static bool check_year(struct call *call, const struct break_even_in *in, struct err *err)
{
    bool given = call_given(call, "runs_per_year");

    if (in->plan.days * in->runs_per_year <= DAYS_PER_YEAR)
        return true;
    return call_refuse(call, err, given ? "runs_per_year" : "deadline_days", "contradiction",
                       "runs of %.6g days, %.6g a year, do not fit the year: give deadline_days of "
                       "%.6g or less, a larger gpu_count, or fewer runs_per_year",
                       in->plan.days, in->runs_per_year, DAYS_PER_YEAR / in->runs_per_year);
}

/* The share of the year in which runs keep the GPUs busy. */
static bool train(struct call *call, struct break_even_in *in, struct err *err)
{
    struct call *plan = break_even_plan(call, in, WORKLOAD_TRAIN, err);

    if (!plan)
        return false;
    if (run_figure(plan, "fits") == 0)
        return refuse_unmet(plan, "the training does not fit its memory", "nearest_fit_gpu_count",
                            err);
    if (isnan(in->runs_per_year))
        call_set_number(call, "runs_per_year", 1, SOURCE_DEFAULT, NULL);
    in->plan.days = run_figure(plan, "days");
    if (!check_year(call, in, err))
        return false;
    double gpu_count = run_figure(plan, "gpu_count");
    double hours = run_figure(plan, "gpu_hours") * in->runs_per_year / MONTHS_PER_YEAR;
    set_use(call, in, gpu_count, hours / (gpu_count * HOURS_PER_MONTH));
    set_tokens_per_second(call, run_figure(plan, "tokens_per_second_per_gpu") * gpu_count);
    return true;
}

bool break_even_workload(struct call *call, struct break_even_in *in, struct err *err)
{
    const double none = (double)NAN;

    in->plan = (struct workload_plan){WORKLOAD_NONE, NULL, NULL, none, none, none, none, none};
    if (!find_kind(call, in, err))
        return false;
    if (in->plan.kind == WORKLOAD_NONE)
        return !call->model_config ||
               err_add(err, "model_config", "", "contradiction",
                       "goes with a workload: give tokens_per_day or another load to serve, or "
                       "tokens to train");
    bool good = check_computed(call, in, err);
    good = check_amount(call, in, err) && good;
    good = break_even_check_hosted(call, in, err) && good;
    if (!good)
        return false;
    return in->plan.kind == WORKLOAD_SERVE ? serve(call, in, err) : train(call, in, err);
}
