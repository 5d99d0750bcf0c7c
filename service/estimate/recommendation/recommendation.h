/* recommendation.h - from workloads and limits to a short list: which GPUs, how many, rented or
 * bought, for training, fine-tuning and serving together.
 *
 * What each kind of GPU can do for each workload comes from the searches of training_options.h and
 * inference/sizing/options.h; here the ways are combined, priced by the ledger of
 * ownership/ownership.h, held against the limits, and a few are picked. Jobs run one after the
 * other from month 0; the service runs from their end to the horizon. GPUs paid by the hour are
 * paid while they work; bought and reserved ones from month 0 to the horizon, and do all that is
 * asked of them in turn.
 */
#ifndef ESTIMATE_RECOMMENDATION_RECOMMENDATION_H
#define ESTIMATE_RECOMMENDATION_RECOMMENDATION_H

#include "base/mem.h"
#include "base/parallel.h"
#include "estimate/ownership/ownership.h"
#include "estimate/inference/sizing/serving.h"

/* In the order in which they run. */
enum recommend_workload {
    RECOMMEND_TRAIN,
    RECOMMEND_FINETUNE,
    RECOMMEND_SERVE,
    RECOMMEND_WORKLOADS,
    RECOMMEND_JOBS = RECOMMEND_SERVE /* those before it end */
};

/* How GPUs are come by. */
enum recommend_means {
    RECOMMEND_ON_DEMAND,
    RECOMMEND_SPOT, /* jobs only: a service cannot be interrupted */
    RECOMMEND_RESERVED_1YR,
    RECOMMEND_RESERVED_3YR,
    RECOMMEND_BOUGHT,
    RECOMMEND_IN_HAND, /* bought before: their price is spent */
    RECOMMEND_MEANS
};

/* on_demand spot reserved_1yr reserved_3yr owned in_hand */
const char *recommend_means_name(enum recommend_means means);
/* Paid by the hour, and for nothing else. */
bool recommend_by_the_hour(enum recommend_means means);

/* One number of GPUs doing one workload. */
struct recommend_way {
    double gpu_count;
    struct range time; /* a job: days; the service: seconds of 95 of 100 requests */
    bool meets_limits; /* of the service's times */
    size_t index;      /* the caller's */
};

/* A kind of GPU and what it can do. */
struct recommend_kind {
    const struct gpu *gpu;         /* the catalogue's */
    double price[RECOMMEND_MEANS]; /* USD per GPU-hour; NAN: none, or not wanted */
    /* Of the providers that the price is the median of. */
    double cheapest[RECOMMEND_MEANS], dearest[RECOMMEND_MEANS];
    double on_demand; /* likewise, wanted or not: what buying is held against */
    bool may_buy;     /* wanted; whether there is a price the ledger knows */
    double in_hand;   /* GPUs owned already; 0 none */
    struct recommend_way *ways[RECOMMEND_WORKLOADS];
    size_t n_ways[RECOMMEND_WORKLOADS];
};

struct recommend_ask {
    const struct catalog *catalog;
    day as_of;
    const struct recommend_kind *kinds;
    size_t n_kinds;
    bool wanted[RECOMMEND_WORKLOADS];
    struct ownership ledger; /* inputs that all share; what depends on the GPUs is set here */
    double horizon_months;
    double deadline_days, budget, budget_per_month; /* NAN: no such limit */
    double fast_enough_days;                        /* jobs that end sooner count as no faster */
};

/* GPUs of one kind come by in one way: one ledger. */
struct recommend_part {
    size_t kind;
    enum recommend_means means;
    double gpu_count;
    bool jobs_only;     /* rented at today's price, soon over: it does not decline */
    double utilization; /* hours in use over all hours to the horizon */
    double total;       /* USD at the horizon: cost of capital in, resale out */
    double payments;    /* USD that are paid: no cost of capital, and nothing sold yet */
};

/* Why an option is on the list. */
enum recommend_role {
    RECOMMEND_CHEAPEST = 1,
    RECOMMEND_BEST_VALUE = 2, /* the knee of cost over time */
    RECOMMEND_FASTEST = 4,
    RECOMMEND_BUY = 8,       /* cheapest with bought GPUs, where that beats renting the same kind */
    RECOMMEND_SMALLEST = 16, /* fewest GPUs */
    RECOMMEND_MIXED = 32,    /* rented, each workload on its own kind */
    RECOMMEND_USES_OWN = 64, /* cheapest with GPUs in hand */
    RECOMMEND_ONE_KIND = 256, /* cheapest on one kind of GPU, where mixing is cheaper */
    RECOMMEND_NEAREST = 128,  /* nothing keeps the limits, what comes nearest: the other roles are
                                 among all options then */
};

struct recommend_option {
    struct recommend_part parts[RECOMMEND_WORKLOADS];
    size_t n_parts;
    size_t part[RECOMMEND_WORKLOADS]; /* that does the workload */
    size_t way[RECOMMEND_WORKLOADS];  /* of the part's kind */
    double gpu_count;                 /* the most at any time */
    struct range days;                /* of all jobs; NAN without any */
    struct range latency;             /* seconds; NAN without a service */
    double months_served;             /* NAN without a service */
    struct range total;               /* USD at the horizon; low and high by the jobs' intervals */
    struct range payments;            /* likewise */
    bool in_time, quick, paid, paid_monthly; /* each limit kept, or not set */
    bool within, within_high;                /* all of them; at the high ends too */
    bool on_frontier; /* of those within: no other is both cheaper and faster */
    unsigned roles;
};

/* What rules a kind of GPU out that can do the work. */
enum recommend_rule {
    RECOMMEND_RULED_IN,
    RECOMMEND_NO_WAY, /* something asked for it cannot do: the searches say why */
    RECOMMEND_NO_PRICE,
    RECOMMEND_HORIZON, /* the jobs do not end before the horizon */
    RECOMMEND_DEADLINE,
    RECOMMEND_LATENCY,
    RECOMMEND_BUDGET,
    RECOMMEND_BUDGET_PER_MONTH
};

struct recommend_verdict {
    enum recommend_rule rule;
    double value, limit; /* the least of it that is possible, and what it may be; NAN where none */
};

enum { RECOMMEND_LIST_MAX = 5 };

struct recommend_list {
    struct recommend_option at[RECOMMEND_LIST_MAX]; /* from cheap to dear */
    size_t n;
    size_t recommended; /* n where nothing keeps the limits */
    size_t n_considered, n_within, n_frontier;
    struct recommend_verdict *verdicts; /* per kind, in the arena */
};

/* The short list. Kinds are worked on in parallel. */
void recommend(const struct recommend_ask *ask, const struct parallel *parallel,
               struct arena *arena, struct recommend_list *list);

/* Days of jobs, at least fast_enough_days, or seconds where there are none: what is faster. */
double recommend_time(const struct recommend_ask *ask, const struct recommend_option *option);

/* The way in which it does a workload. */
const struct recommend_way *recommend_way_of(const struct recommend_ask *ask,
                                             const struct recommend_option *option,
                                             enum recommend_workload workload);

/* The total where every rent is that of the cheapest, or of the dearest, provider; of what is
 * bought one price is known. */
struct range recommend_total_over_providers(const struct recommend_ask *ask,
                                            const struct recommend_option *option);

/* The inputs of a part's ledger, complete: with them ownership_ledger() gives its total. Of bought
 * GPUs the rent side is that of the same hours on demand. False where it lacks a figure. */
bool recommend_ledger(const struct recommend_ask *ask, const struct recommend_part *part,
                      struct ownership *own);

#endif
