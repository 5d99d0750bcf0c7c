/* search.h - exhaustive search for the fastest strategy that fits.
 *
 * training/constraints.h defines which strategies are legal. The search is a branch and bound: it
 * visits them in order of a lower bound of their time, and skips only strategies that are slower by
 * that bound, or larger than one that already does not fit.
 */
#ifndef ESTIMATE_TRAINING_PLAN_SEARCH_H
#define ESTIMATE_TRAINING_PLAN_SEARCH_H

#include "catalog/price_book.h"
#include "estimate/training/memory.h"
#include "estimate/training/plan/goodput.h"
#include "estimate/training/plan/phases.h"

enum { TRAINING_GPUS_MAX = 131072 };

/* One strategy with everything computed from it. */
struct training_plan {
    struct training_strategy on;
    struct training_memory memory;
    struct training_step step;
    bool fits;
    bool division_searched, recompute_searched; /* whether we chose how several GPUs divide the
                                                 * work, and what is recomputed */
    size_t n_considered;                        /* number of legal strategies, including this one */
    size_t n_weighed;                           /* how many of them were estimated in full */
};

/* How much longer complete runs take than their steps and failures imply: evaluation, data,
 * repeated parts, older software. 0 means 1: steps only. */
struct training_calendar {
    double ratio, low, high;
};

/* Published mixtures took little longer than their steps, but too few are known to tell how their
 * calendars spread: as those of dense models. */
static inline struct training_calendar training_calendar_of_mixture(struct training_calendar dense)
{
    return (struct training_calendar){1, dense.low / dense.ratio, dense.high / dense.ratio};
}

/* Costs of a run in addition to the GPU-hours of its steps; all 0 for none. See bill.h. */
struct training_extras {
    const struct goodput_constants *rates; /* for restarts and checkpoints */
    struct goodput_run spot; /* failures per 1000 days of an instance; 0 if not on spot */
    double gpus_per_instance;
    double experiment_ratio, repeated_run_ratio; /* GPU-hours relative to those of the run */
    double setup_given_seconds; /* NAN: the start of the machines, and the download of weights */
    double start_seconds, download_rate;    /* B/s */
    double setup_seconds;                   /* from the start of the machines to the first step */
    double checkpoints_kept, checkpoint_gb; /* total size of all of them */
    double dataset_bytes_per_token, storage_price_per_gb_month;
    double egress_given_gb; /* NAN: what was trained, once */
    double egress_gb, egress_price_per_gb;
    double staff_fte, staff_cost_per_fte_year;
    double credits, credits_months; /* credits for rent; months until they expire, 0 if never */
    double kwh_per_gpu_hour;        /* including the facility's; NAN if unknown */
};

/* Correction of a step by measured runs: a factor on its time, and an exponent on the factors of
 * its interval. Both are 1 if no run is similar. */
struct training_correction {
    double factor, interval_exponent, runs;
};

/* A function pointer, because estimate/measurement depends on this folder and not vice versa. */
struct training_residuals {
    struct training_correction (*correct)(const void *runs, const struct training_job *job,
                                          const struct training_plan *plan);
    const void *runs;
};

/* The purpose of the run, used to choose the number of GPUs. NAN if not asked. */
struct training_goal {
    double tokens;
    double goodput;                    /* fraction of time that advances the training */
    struct training_calendar calendar; /* of the whole run over its steps */
    double model_flops_utilization;    /* NAN: use the estimate */
    double deadline_days, budget, price_per_gpu_hour;
    const struct price_book *book; /* the price by number of GPUs; NULL: price_per_gpu_hour */
    /* The ends of the price of GPUs one owns, as factors of it; zeros: it is certain. */
    double price_low_ratio, price_high_ratio;
    struct training_extras extras;
    struct training_residuals residuals;    /* all NULL without measured runs */
    double gpu_count_max;                   /* from other limits; 0 if none */
    const struct training_rollout *rollout; /* NULL if no answers are generated */
    const struct price_book *billing; /* how hours are billed at either price; NULL: as used */
};

/* The results of a plan; NAN if the goal has no tokens or no price. A step is the plan's update
 * with the phases around it. */
struct training_totals {
    struct training_phases phases;
    double step_seconds, step_seconds_low, step_seconds_high;
    double model_flops_utilization, hardware_flops_utilization, model_tflops_per_gpu;
    double tokens_per_second_per_gpu;
    double flop, steps, gpu_hours, days, days_low, days_high;
    double gpu_hours_low, gpu_hours_high;
    double setup_gpu_hours;    /* before the first step, part of gpu_hours */
    double interruption_ratio; /* hours added by interruptions, relative to those without */
    struct training_correction correction;
};

/* Refuse impossible inputs: degrees that do not divide, a precision the GPU has no arithmetic for,
 * and so on, with a culprit for each that says what would work. */
bool training_check(const struct training_job *job, const struct training_strategy *pinned,
                    struct err *err) MUST_CHECK;

/* A strategy with nothing pinned. */
struct training_strategy training_strategy_free(void);

/* The fastest strategy, by time per sequence, that fits on pinned->gpu_count GPUs; if none fits,
 * the one that needs least memory. False if no strategy is possible at all. */
bool training_search(const struct training_job *job, const struct training_strategy *pinned,
                     struct training_plan *plan) MUST_CHECK;

/* The same on the space's current number of GPUs; and whether anything fits on it. For callers who
 * ask about many numbers of GPUs. False if no strategy is possible; if none fits, plan->fits is
 * false and the rest is empty. */
struct training_space;
bool training_space_search(struct training_space *space, struct training_plan *plan) MUST_CHECK;
bool training_space_fits(struct training_space *space);

/* True if anything fits on that many GPUs; does not search for the fastest. */
bool training_fits(const struct training_job *job, const struct training_strategy *pinned,
                   double gpu_count);

/* Sizes a run may have, ascending, up to `most`, at most TRAINING_GPUS_MAX: 1, 2, 4 ... GPUs of a
 * node, then every number of nodes up to 16, then steps of an eighth of a power of two (16, 18 ...
 * 32, 36 ... 64, 72 ...): at most 12.5 % apart, and divisible in many ways. TPUs come in
 * slices: 1, 4, 8 chips and so on in powers of two (Google Cloud, TPU v6e and v5e, supported
 * configurations). Returns how many. */
enum { TRAINING_COUNTS_MAX = 512 };
size_t training_counts(const struct training_job *job, double most,
                       double counts[TRAINING_COUNTS_MAX]);

/* The pinned number of GPUs, given directly or by all degrees; NAN if open. */
double training_pinned_count(const struct training_strategy *pinned);

/* The fewest GPUs on which something fits: powers of two within a node, then whole nodes. NAN if
 * nothing fits up to TRAINING_GPUS_MAX. */
double training_fewest(const struct training_job *job, const struct training_strategy *pinned);

/* Choose the GPU count too: with a deadline the fewest GPUs found that meet it; with only a budget
 * the fastest run within it; else the fewest that fit. Returns false with ERR_NO_SOLUTION and the
 * nearest miss if nothing meets the goal. */
bool training_choose_gpu_count(const struct training_job *job,
                               const struct training_strategy *pinned,
                               const struct training_goal *goal, struct training_plan *plan,
                               struct err *err) MUST_CHECK;

static inline double training_calendar_ratio(const struct training_goal *goal)
{
    return goal->calendar.ratio > 0 ? goal->calendar.ratio : 1;
}

/* Seconds of calendar time per second of steps. */
static inline double training_calendar_seconds(const struct training_goal *goal)
{
    return training_calendar_ratio(goal) / goal->goodput;
}

/* Figures of the whole run: the steps of goal->tokens with goodput and calendar time. */
struct training_totals training_totals(const struct training_job *job,
                                       const struct training_plan *plan,
                                       const struct training_goal *goal);

/* "8 GPUs: tensor 4, pipeline 1, data 2, ZeRO 1, micro-batch 1, recompute none" */
void training_describe(const struct training_strategy *on, char *to, size_t size);

#endif
