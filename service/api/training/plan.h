/* plan.h - what the files of /v1/training-plan share: its inputs and the plan made of
 * them. */
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

/* Figures of this resource's call, once it is answered. */
const struct training_plan_out *training_plan_figures(const struct request_context *answered);

/* One question on its way to an answer. */
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
    const struct price_book *book; /* what GPUs are rented for; NULL: given, or owned */
    struct price_basis_fields basis;
    struct price *price; /* the price behind the book; NULL if given, or if the GPUs are owned */
    double billed_rent;  /* NAN if unknown */
    struct owned_power power;            /* at the meter */
    double within_power_budget;          /* 1, 0, NAN not asked or not known */
    double committed_months;             /* term of the reservations; 0 if rented by the hour */
    struct goodput goodput, worst, best; /* that the failure model expects */
    /* Figures without the caller's own runs, if those correct the plan. */
    struct training_totals uncorrected;
    double uncorrected_cost, uncorrected_gpu_count;
    struct training_memory uncorrected_memory;
    double memory_runs;   /* that correct the memory */
    double nearest_count; /* where the plan does not fit: GPUs of the nearest that does */
    char nearest[200];
    const char *nearest_settings; /* inputs with which it fits on the same GPUs; NULL if none do */
};

/* Check the inputs against one another and the catalogue, and make job, goal and pins of them. */
bool training_question_read(struct training_question *question, struct err *err) MUST_CHECK;

/* Read what is to be computed again, and how much longer than its steps the run takes. */
bool training_question_set_recompute(struct training_question *question,
                                     struct err *err) MUST_CHECK;
void training_question_set_calendar(struct training_question *question);

/* Checks `objective` and its inputs; later, with job and goal filled in, adds the generation of
 * answers. */
bool training_question_check_objective(struct training_question *question,
                                       struct err *err) MUST_CHECK;
bool training_question_set_rollout(struct training_question *question, struct err *err) MUST_CHECK;

/* Corrects the plan found, and every plan searched from then on, by the caller's own runs, if any;
 * false if such a run is impossible. */
bool training_question_correct(struct training_question *question, struct err *err) MUST_CHECK;
/* Collects the residuals of the stored set and of the run given in the question; false if there is
 * no such set. */
bool training_question_residuals(struct request_context *context, const char *set,
                                 const struct correction_run *given,
                                 struct training_residuals *residuals, struct err *err) MUST_CHECK;

/* What the servers of that many GPUs draw at the meter at most, kW, NAN where that is unknown;
 * whether that is within the limit; the most GPUs of training_counts() that are, 0 none. */
struct owned_power training_question_power(const struct training_question *question,
                                           double gpu_count);
double training_question_power_kw(const struct training_question *question, double gpu_count);
bool training_question_within_power(const struct training_question *question, double gpu_count);
double training_question_gpus_within_power(const struct training_question *question, double most);
/* Where the number of GPUs is open: bound it by the limit, or refuse it. Of the plan found: find
 * its power, warn where the number was stated, and refuse it where it was not. */
bool training_question_limit_power(struct training_question *question, struct err *err) MUST_CHECK;
bool training_question_check_power(struct training_question *question, struct err *err) MUST_CHECK;

/* Warn of what the answer leaves out or rests on. */
void training_question_warn(struct training_question *question);

/* Decimals of a number of days in a sentence. */
static inline int training_days_decimals(double days)
{
    return days < 1 ? 4 : days < 10 ? 2 : days < 100 ? 1 : 0;
}

#endif
