/* training_options.h - every GPU, number of GPUs and strategy for one training, ranked; the best of
 * each GPU and number is one option, and those that no other beats in both cost and time are the
 * frontier.
 */
#ifndef ESTIMATE_TRAINING_OPTIONS_H
#define ESTIMATE_TRAINING_OPTIONS_H

#include "base/mem.h"
#include "estimate/training_search.h"

/* A kind of GPU to consider. */
struct training_candidate {
    const struct training_job *job; /* its GPU, precision, network and power among others */
    double price_per_gpu_hour;      /* USD; NAN unknown: ranked by time alone, after the others */
};

enum training_rank {
    TRAINING_RANK_COST, /* cheapest first; with a deadline, those that meet it before the others */
    TRAINING_RANK_TIME, /* fastest first; with a budget, those within it before the others */
    TRAINING_RANKS
};

struct training_options_ask {
    const struct training_candidate *candidates;
    size_t n_candidates;
    const struct training_strategy *pinned; /* gpu_count NAN: every size up to gpu_count_max */
    double gpu_count_max;                   /* at most TRAINING_GPUS_MAX */
    struct training_goal goal;              /* its price is the candidate's */
    enum training_rank rank;
};

/* One number of GPUs of one kind with its fastest strategy. */
struct training_option {
    size_t candidate; /* index */
    struct training_plan plan;
    struct training_totals totals;
    double cost;       /* USD; NAN where no price is known */
    bool on_frontier;  /* no other option is both cheaper and faster */
    double meets_deadline, within_budget; /* 1, 0, NAN not asked */
};

/* Why a kind of GPU is not among the options. */
enum training_ruled_out {
    TRAINING_RULED_IN,
    TRAINING_RULED_OUT_PRECISION, /* no arithmetic of that kind */
    TRAINING_RULED_OUT_MEMORY,    /* does not fit on any number tried */
    TRAINING_RULED_OUT_STRATEGY,  /* what is pinned cannot be */
    TRAINING_RULED_OUT_DEADLINE,  /* fits, but no number meets the deadline */
    TRAINING_RULED_OUT_BUDGET,    /* fits, but nothing is within the budget */
};

struct training_option_list {
    struct training_option *at; /* ranked, in the arena */
    size_t n;
    enum training_ruled_out *ruled_out; /* per candidate */
    size_t n_considered;                /* strategies looked at, bounded away or weighed */
    size_t n_weighed;                   /* of those, how many were estimated in full */
};

/* Fill the list from the arena. A candidate that can do nothing is ruled out, never an error. */
void training_options(const struct training_options_ask *ask, struct arena *arena,
                      struct training_option_list *list);

/* What a budget and a deadline buy on a number of GPUs: the most tokens for the job's model. NAN
 * deadline or budget: no such limit; both NAN is the caller's mistake. 0 where nothing fits. */
double training_most_tokens(const struct training_job *job, const struct training_plan *plan,
                            const struct training_goal *goal);

#endif
