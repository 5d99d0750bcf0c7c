/* plan.h - shared by the files of /v1/training-plan: its inputs and the plan made from them. */
#ifndef API_TRAINING_PLAN_H
#define API_TRAINING_PLAN_H

#include "api/resource/context.h"
#include "estimate/training/plan/goodput.h"
#include "estimate/training/plan/bill.h"
#include "estimate/training/plan/cost.h"
#include "estimate/measurement/correction.h"
#include "estimate/ownership/owned.h"

struct training_plan_in {
#include "base/field/members.h"
#include "api/training/plan_in.def"
#include "base/field/end.h"
};

struct training_plan_out {
#include "base/field/members.h"
#include "api/training/plan_out.def"
#include "base/field/end.h"
};

/* Figures of an answered request. */
const struct training_plan_out *training_plan_figures(const struct request_context *answered);

/* The state of one question while it is answered. */
struct training_question {
    struct request_context *context;
    struct training_plan_in *in;
    const struct gpu *gpu;
    const struct model *model;
    struct training_constants constants;
    struct training_job job;
    struct training_strategy pinned;
    struct training_goal goal;
    struct training_rental rental;
    struct training_plan plan;
    struct training_totals totals;
    struct training_cost bill;
    struct goodput_constants failure_rates;
    struct goodput_run run;
    const struct price_book *book; /* rental offers of the GPU; NULL if the price is given or the
                                    * GPUs are owned */
    struct price_basis_fields basis;
    struct price *price; /* the price behind the book; NULL if given, or if the GPUs are owned */
    double billed_rent;  /* NAN if unknown */
    struct owned_power power;            /* at the meter */
    double within_power_budget;          /* 1, 0, or NAN if not asked or unknown */
    double committed_months;             /* term of the reservations; 0 if rented by the hour */
    struct goodput goodput, worst, best; /* as expected by the failure model */
    /* Figures without the caller's own runs, if those correct the plan. */
    struct training_totals uncorrected;
    double uncorrected_cost, uncorrected_gpu_count;
    struct training_memory uncorrected_memory;
    double memory_runs;   /* that correct the memory */
    double nearest_count; /* if the plan does not fit: GPUs of the nearest plan that does */
    char nearest[200];
    const char *nearest_settings; /* inputs with which it fits on the same GPUs; NULL if there are
                                   * none */
};

/* Check the inputs against one another and the catalogue, and derive the job, the goal and the
 * pinned values. */
bool training_question_read(struct training_question *question, struct err *err) MUST_CHECK;

/* Read the recompute inputs, and the calendar overhead on top of the run's steps. */
bool training_question_set_recompute(struct training_question *question,
                                     struct err *err) MUST_CHECK;
void training_question_set_calendar(struct training_question *question);

/* Checks `objective` and its inputs, once the model is known; later adds its critic or lack of an
 * output layer to the job, and the generation of answers (rollout) to the goal. */
bool training_question_check_objective(struct training_question *question,
                                       struct err *err) MUST_CHECK;
void training_question_set_objective(struct training_question *question);
bool training_question_set_rollout(struct training_question *question, struct err *err) MUST_CHECK;

/* Corrects the plan found, and every plan searched from then on, by the caller's own runs, if any;
 * false if such a run is impossible. */
bool training_question_correct(struct training_question *question, struct err *err) MUST_CHECK;
/* Collects the residuals of the stored set and of the run given in the question; false if there is
 * no such set. */
bool training_question_residuals(struct request_context *context, const char *set,
                                 const struct correction_run *given,
                                 struct training_residuals *residuals, struct err *err) MUST_CHECK;

/* Peak power at the meter of the servers of n GPUs, in kW, NAN if unknown; whether it is within the
 * limit; the largest of training_counts() within the limit, 0 if none. */
double training_question_power_kw(const struct training_question *question, double gpu_count);
bool training_question_within_power(const struct training_question *question, double gpu_count);
double training_question_gpus_within_power(const struct training_question *question, double most);
/* If the number of GPUs is open, bound it by the power limit, or refuse it. For the plan found:
 * compute its power; if above the limit, warn if the number was given, else refuse. */
bool training_question_limit_power(struct training_question *question, struct err *err) MUST_CHECK;
bool training_question_check_power(struct training_question *question, struct err *err) MUST_CHECK;

/* Computes the loss of a fine-tuning in chunks where only that fits, or takes fewer GPUs, unless
 * the caller said otherwise. */
void training_question_chunk_loss(struct training_question *question);

/* Warn about omissions and weak foundations of the answer. */
void training_question_warn(struct training_question *question);
/* Warns if the plan, which the warning begins with, fits with hardly any memory to spare. */
void training_warn_tight(struct request_context *context, const struct training_job *job,
                         const struct training_plan *plan, const struct training_phases *phases,
                         const char *what);
/* Says that open settings were searched, and how much longer published runs took. */
void training_question_warn_searched(struct training_question *question);

/* Decimals to print for a number of days. */
static inline int training_days_decimals(double days)
{
    return days < 1 ? 4 : days < 10 ? 2 : days < 100 ? 1 : 0;
}

#endif
