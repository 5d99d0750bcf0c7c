/* recommendation.h - what the files of /v1/recommendation share: its inputs, the searches it asks,
 * and what comes of them. */
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
        *jobs[RECOMMENDATION_JOBS]; /* what the searches found; NULL not wanted */
    struct inference_options *service;
    struct rent_schedule schedule;         /* of the service */
    struct recommendation_gpu_type *kinds; /* those that the filters leave */
    struct recommendation_ask ask;
    struct recommendation_list list;
    const struct hosted_row *hosted; /* NULL: not compared */
    struct recommendation_ruled_out *ruled_out;
    size_t n_ruled_out;
};

/* For each excluded GPU, the rule that excluded it; filters are checked first. */
void recommendation_rule_out(struct recommendation *recommendation);

/* Where a budget is given and no workload: what it pays for. After recommendation_prepare(). */
bool recommendation_is_budget_alone(const struct recommendation *recommendation);
/* The first confirmed row, else the first; NULL if the budget pays for none. `value` is the one
 * with most compute for the money among those that have at least half as much. */
const struct recommendation_affordable *
recommendation_afford(struct recommendation *recommendation,
                      const struct recommendation_affordable **value);
/* How much compute a row is, relative to another. */
double recommendation_compute_ratio(const struct recommendation_affordable *row,
                                    const struct recommendation_affordable *other);
extern const struct fields recommendation_affordable_table;

/* The tables of the answer. */
extern const struct fields recommendation_row_table, recommendation_reason_table,
    recommendation_stage_table;
/* The rows of the options, in their order. */
const struct recommendation_row *recommendation_add_rows(struct recommendation *recommendation);
/* With explain=1: the derivation of each figure of the recommended option. */
void recommendation_explain(struct recommendation *recommendation,
                            const struct recommendation_row *rows);
/* Total cost of a job's plan at the price of its GPUs. */
struct range recommendation_job_cost(const struct recommendation *recommendation,
                                     const struct recommendation_option *option,
                                     enum recommendation_workload job);
/* How measured runs corrected the estimate of a workload; all NAN where none is similar to it. */
struct recommendation_correction {
    double runs, factor;
    double without; /* days, or seconds that 95 % of answers stay under */
};
struct recommendation_correction
recommendation_correction(const struct recommendation *recommendation,
                          const struct recommendation_option *option,
                          enum recommendation_workload workload);
/* Warn where a set is named and none of its runs corrects any option. */
void recommendation_warn_correction(const struct recommendation *recommendation);

/* Table `upgrade_path` of a load that grows: the GPUs to have from which month on. The sums are NAN
 * where some month's load is carried by none. */
struct recommendation_path {
    double cost, migration_cost; /* rent and moves; of it the moves */
    const char *sentence;
};
bool recommendation_add_stages(struct recommendation *recommendation,
                               struct recommendation_path *found, struct err *err) MUST_CHECK;

#endif
