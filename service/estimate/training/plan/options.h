/* options.h - every GPU type, number of GPUs and strategy for one training, ranked. The best
 * strategy of each type and number is one option; the Pareto frontier consists of options that no
 * other beats in both cost and time. Also the inverse questions: the most tokens, the largest
 * model.
 *
 * Candidates are independent: training_options_of() may run in one thread each, with an arena each;
 * training_options_rank() merges the parts.
 */
#ifndef ESTIMATE_TRAINING_PLAN_OPTIONS_H
#define ESTIMATE_TRAINING_PLAN_OPTIONS_H

#include "base/arena.h"
#include "estimate/training/plan/search.h"

/* A GPU type to consider. */
struct training_candidate {
    const struct training_job *job;   /* includes its GPU, precision, network and power */
    const struct training_goal *goal; /* only its price is used, in USD; without one it is ranked by
                                       * GPU-hours or time, after the others */
};

enum training_rank {
    TRAINING_RANK_COST, /* options that meet the deadline come first, of these the ones within the
                         * budget, of these the confirmed ones; then the cheapest */
    TRAINING_RANK_TIME, /* with a budget, options within it come first, and confirmed ones before
                         * others, and clusters that idle after both; then the fastest */
    TRAINING_RANKS
};

struct training_options_ask {
    const struct training_candidate *candidates;
    size_t n_candidates;
    const struct training_strategy *pinned; /* gpu_count NAN: the sizes of training_counts() */
    double gpu_count_max;                   /* at most TRAINING_GPUS_MAX */
    struct training_goal goal;              /* with tokens; the price is the candidate's */
    enum training_rank rank;
    /* Skip an open number of GPUs if it takes more GPU-hours than the best number for its type
     * divided by this ratio; 0: never. */
    double efficiency_floor;
    bool named; /* the GPUs were asked for by name */
};

/* A number of GPUs of one type with its fastest strategy. */
struct training_option {
    size_t candidate; /* index */
    struct training_plan plan;
    struct training_totals totals;
    double cost;      /* USD; NAN if unknown */
    bool on_frontier; /* no other option is both cheaper and faster */
    bool confirmed;   /* they are not rented, or price_doubt() finds nothing */
    bool idle;        /* a cluster that is billed for most of its hours without working */
    double meets_deadline, within_budget; /* 1, 0, or NAN if not asked or unknown */
};

/* Why a GPU type is not among the options or, for the last two, why none of its options suffices:
 * these are listed after the ones that do. */
enum training_ruled_out {
    TRAINING_RULED_IN,
    TRAINING_RULED_OUT_PRECISION, /* no arithmetic of that precision */
    TRAINING_RULED_OUT_MEMORY,    /* does not fit on any number tried */
    TRAINING_RULED_OUT_STRATEGY,  /* the pinned values are impossible */
    TRAINING_RULED_OUT_DEADLINE,  /* fits, but no number meets the deadline */
    TRAINING_RULED_OUT_BUDGET,    /* fits, but nothing is within the budget */
    TRAINING_RULED_OUT_FIGURES,   /* its data sheet lacks a figure that the estimate needs */
    TRAINING_RULED_OUT_SOFTWARE,  /* its maker's training software is no longer supported */
    TRAINING_RULED_OUT_POWER,     /* fits, but every suitable option exceeds the power limit */
};

/* Whether they are several servers whose rent is billed for more than PRICE_BILLED_RATIO_MAX times
 * the hours they work. */
bool training_options_is_idle(const struct training_job *job, const struct training_goal *goal,
                              double gpu_count, double gpu_hours);

/* Whether the plan leaves memory to spare, and its GPUs can surely be rented at the book's price;
 * the latter also without a book. */
bool training_options_is_confirmed(const struct price_book *book, const struct training_plan *plan,
                                   const struct training_phases *phases);

struct training_option_list {
    struct training_option *at; /* ranked, in the arena */
    size_t n;
    enum training_ruled_out *ruled_out; /* per candidate */
    size_t n_considered;                /* strategies considered, pruned or estimated */
    size_t n_weighed;                   /* the number estimated in full */
};

/* The options of one candidate, sorted by number of GPUs. */
struct training_options_part {
    struct training_option *at; /* in the arena */
    size_t n;
    enum training_ruled_out ruled_out;
    size_t n_considered, n_weighed;
};

/* The options of ask->candidates[candidate], in the arena. A candidate that can do nothing is
 * excluded; that is not an error. */
void training_options_of(const struct training_options_ask *ask, size_t candidate,
                         struct arena *arena, struct training_options_part *part);
/* The list, from one part per candidate in order. It does not refer to the parts. */
void training_options_rank(const struct training_options_ask *ask,
                           const struct training_options_part *parts, struct arena *arena,
                           struct training_option_list *list);

/* The most tokens for the job's model that a budget and a deadline allow on a number of GPUs, in
 * whole steps of the plan. A NAN deadline or budget is no limit; at least one must be given. 0 if
 * nothing fits. goal->tokens is ignored. */
double training_most_tokens(const struct training_job *job, const struct training_plan *plan,
                            const struct training_goal *goal);

/* Tokens per parameter that make the best model of a given compute (Hoffmann et al. 2022,
 * arXiv 2203.15556, table 3: 67e9 parameters, 1.5e12 tokens; 20 is the usual reading). */
#define TRAINING_TOKENS_PER_PARAMETER 20.0

/* The largest model of a typical dense shape (model_shape_typical()) that can be trained. */
struct training_largest {
    double parameters, tokens; /* 0 if not even the smallest can be */
    struct model_shape shape;
    struct training_plan plan; /* the cheapest suitable plan, or without a price the fastest */
    struct training_totals totals;
    double cost; /* USD; NAN if unknown */
};

/* The largest that meets goal->deadline_days and goal->budget, of which one is given, on
 * pinned->gpu_count GPUs or on any number of training_counts() up to gpu_count_max. goal->tokens
 * NAN: `tokens_per_parameter` times its parameters. All of the candidate's job but the shape
 * counts.
 *
 * Sizes are tried in steps of 1 %, from 1e6 parameters: the answer can be trained, the next size
 * cannot. A shape is made of whole layers, heads and widths, so that what fits and how fast is not
 * quite monotone in the parameters; from where bisection ends, the sizes up to 10 % beyond are
 * looked at too. */
void training_largest_model(const struct training_candidate *candidate,
                            const struct training_strategy *pinned,
                            const struct training_goal *goal, double tokens_per_parameter,
                            double gpu_count_max, struct training_largest *largest);

#endif
