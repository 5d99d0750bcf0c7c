/* recommendation.h - shared by the files of /v1/recommendation: its inputs, its searches, and their
 * results. */
#ifndef API_RECOMMENDATION_RECOMMENDATION_H
#define API_RECOMMENDATION_RECOMMENDATION_H

#include "api/inference/options.h"
#include "api/options/options.h"
#include "api/options/rent_schedule.h"
#include "api/training/options.h"
#include "estimate/recommendation/recommendation.h"

struct recommendation_in {
#include "base/field/members.h"
#include "api/recommendation/in.def"
#include "api/options/options_filter.def"
#include "base/field/end.h"
};

struct recommendation_row {
#include "base/field/members.h"
#include "api/recommendation/row.def"
#include "base/field/end.h"
};

struct recommendation_ruled_out {
#include "base/field/members.h"
#include "api/recommendation/ruled_out.def"
#include "base/field/end.h"
};

struct recommendation_affordable {
#include "base/field/members.h"
#include "api/recommendation/affordable.def"
#include "base/field/end.h"
};

struct recommendation {
    struct request_context *context;
    struct recommendation_in *in;
    bool wanted[RECOMMENDATION_WORKLOADS];
    struct options_question
        *jobs[RECOMMENDATION_JOBS]; /* results of the searches; NULL if not wanted */
    struct inference_options *service;
    struct rent_schedule schedule;             /* of the service */
    struct recommendation_gpu_type *gpu_types; /* GPU types that pass the filters */
    struct recommendation_ask ask;
    struct recommendation_list list;
    const struct hosted_row *hosted; /* NULL if not compared */
    struct recommendation_ruled_out *ruled_out;
    size_t n_ruled_out;
};

/* For each excluded GPU, the rule that excluded it; filters are checked first. */
void recommendation_rule_out(struct recommendation *recommendation);

/* True if a budget is given without a workload: the answer is what the budget pays for. Call after
 * recommendation_prepare(). */
bool recommendation_is_budget_alone(const struct recommendation *recommendation);
/* The best affordable row: the first confirmed one, else the first; NULL if the budget pays for
 * none. *value is the row with the most compute for the money among those with at least half the
 * compute. */
const struct recommendation_affordable *
recommendation_afford(struct recommendation *recommendation,
                      const struct recommendation_affordable **value);
/* The compute of a row relative to another. */
double recommendation_compute_ratio(const struct recommendation_affordable *row,
                                    const struct recommendation_affordable *other);
extern const struct fields recommendation_affordable_table;
/* The row as an option of one part, for functions that describe options. */
const struct recommendation_option *
recommendation_affordable_option(const struct recommendation *recommendation,
                                 const struct recommendation_affordable *row);
/* The budget of those months; infinite without one. */
double recommendation_budget_of(const struct recommendation_in *in, double months);

/* The answer's tables. */
extern const struct fields recommendation_row_table, recommendation_reason_table,
    recommendation_stage_table;
/* Add the rows of the options, in list order. */
const struct recommendation_row *recommendation_add_rows(struct recommendation *recommendation);
/* With explain=1: the derivation of each figure of the recommended option. */
void recommendation_explain(struct recommendation *recommendation,
                            const struct recommendation_row *rows);
/* Total cost of a job's plan at its GPUs' price. */
struct range recommendation_job_cost(const struct recommendation *recommendation,
                                     const struct recommendation_option *option,
                                     enum recommendation_workload job);
/* How measured runs corrected the estimate of a workload; all NAN if none is similar to it. */
struct recommendation_correction {
    double runs, factor;
    double without; /* uncorrected days, or p95 seconds of an answer */
};
struct recommendation_correction
recommendation_correction(const struct recommendation *recommendation,
                          const struct recommendation_option *option,
                          enum recommendation_workload workload);
/* Warn if a set is named but none of its runs corrects any option. */
void recommendation_warn_correction(const struct recommendation *recommendation);

/* Table `upgrade_path` of a growing load: the GPUs to use, and from which month. The sums are
 * NAN if no GPU carries the load of some month. */
struct recommendation_path {
    struct range cost;     /* as the total of an option, moves included */
    double paid;           /* as its payments */
    double migration_cost; /* the part of `paid` spent on moves */
    double throughout;     /* total of the cheapest confirmed option without moves */
    const char *sentence;
};
bool recommendation_add_stages(struct recommendation *recommendation,
                               struct recommendation_path *found, struct err *err) MUST_CHECK;

#endif
