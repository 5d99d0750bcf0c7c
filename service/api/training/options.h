/* options.h - shared by the files of /v1/training-plan/options: its inputs, the GPU types compared,
 * and the options found. */
#ifndef API_TRAINING_OPTIONS_H
#define API_TRAINING_OPTIONS_H

#include "api/options/options.h"
#include "api/training/plan.h"
#include "estimate/training/plan/options.h"

/* The plan's inputs come first, so that their table's offsets are valid here too. */
struct training_options_in {
    struct training_plan_in plan;
#include "base/field/members.h"
#include "api/options/options_filter.def"
#include "api/training/options_in.def"
#include "base/field/end.h"
};

enum options_maximize { MAXIMIZE_NOTHING, MAXIMIZE_TOKENS, MAXIMIZE_PARAMETERS };

/* An option found, from which its row is made. */
struct options_found {
    size_t candidate; /* index, equal to that of its GPU type */
    const struct training_plan *plan;
    struct training_totals totals;
    double tokens, parameters, cost;                   /* cost is NAN without a price */
    double on_frontier, meets_deadline, within_budget; /* 1, 0, or NAN if not asked or unknown */
    bool confirmed, idle;                              /* see struct training_option */
    struct training_extras extras;                     /* for that model */
};

struct options_question {
    struct request_context *context;
    struct training_options_in *in;
    enum options_maximize maximize;
    bool every; /* GPUs that train in FP16 too, which otherwise have to be named */
    struct training_question *questions; /* the question for each GPU type, by candidate */
    struct training_candidate *candidates;
    size_t n_candidates;
    size_t n_unpriced; /* candidates without a price */
    struct options_staleness stale;
    struct option_list list;
    double gpu_count_max;
    double *power_kw_least; /* per candidate: least power of the designs that only the limit rules
                               out */
    struct options_found *found; /* ranked */
    size_t n_found, n_strategies;
    const struct evidence *evidence;
};

/* Check the inputs, and ask the plan's question for every GPU type: types that can be estimated
 * become candidates, the others refusals. */
bool training_options_read(struct options_question *question, struct err *err) MUST_CHECK;

/* Search the candidates, rank the results, and give a reason for each unsuitable candidate. */
void training_options_solve(struct options_question *question);

/* True if the option meets the deadline and the budget, if given. */
bool training_options_will_do(const struct options_question *question,
                              const struct options_found *found);

/* The goal of an option; and its bill for a changed goal, such as another price. */
struct training_goal training_options_goal(const struct options_question *question,
                                           const struct options_found *found);
/* Its days and step time as estimated without measured runs. */
struct training_totals training_options_uncorrected(const struct options_question *question,
                                                    const struct options_found *found);
struct training_cost training_options_bill(const struct options_question *question,
                                           const struct options_found *found,
                                           const struct training_goal *goal);

/* The warnings of the list; `best` is the recommended option, NULL if there is none. */
void training_options_warn(struct options_question *question, const struct options_found *best);

/* The address of the plan of exactly this option; NULL if the model was posted in the body. */
const char *training_options_plan_link(const struct options_question *question,
                                       const struct options_found *found);

#endif
