/* recommendation.h - from workloads and limits to a short list: which GPUs, how many, rented or
 * bought, for training, fine-tuning and serving together.
 *
 * What each kind of GPU can do for each workload comes from the searches of training_options.h and
 * inference/serving/options.h; here the ways are combined, priced by the ledger of
 * ownership/ownership.h, held against the limits, and a few are picked. Jobs run one after the
 * other from month 0, then the service. Every option serves for as many months as the horizon
 * leaves after the quickest way of doing the jobs: what is ready later serves, and is paid, beyond
 * the horizon. GPUs paid by the hour are paid while they work, those of a service for the hours of
 * its schedule; bought and reserved ones from month 0 to the horizon, and do all that is asked of
 * them in turn.
 */
#ifndef ESTIMATE_RECOMMENDATION_RECOMMENDATION_H
#define ESTIMATE_RECOMMENDATION_RECOMMENDATION_H

#include "base/arena.h"
#include "base/parallel.h"
#include "estimate/ownership/ownership.h"
#include "estimate/inference/serving/serving.h"

/* In the order in which they run. */
enum recommendation_workload {
    RECOMMENDATION_TRAIN,
    RECOMMENDATION_FINETUNE,
    RECOMMENDATION_SERVE,
    RECOMMENDATION_WORKLOADS,
    RECOMMENDATION_JOBS = RECOMMENDATION_SERVE /* those before it end */
};

/* How GPUs are come by. */
enum recommendation_acquisition {
    RECOMMENDATION_ON_DEMAND,
    RECOMMENDATION_SPOT, /* jobs only: a service cannot be interrupted */
    RECOMMENDATION_RESERVED_1YR,
    RECOMMENDATION_RESERVED_3YR,
    RECOMMENDATION_BOUGHT,
    RECOMMENDATION_IN_HAND, /* bought before: their price is spent */
    RECOMMENDATION_ACQUISITIONS
};

/* One number of GPUs doing one workload. */
struct recommendation_configuration {
    double gpu_count;
    double connected;    /* of them those that must reach one another; all of a job's */
    double complexity;   /* serving_complexity(); 0 for a job */
    struct range time;   /* a job: days; the service: seconds of 95% of requests */
    bool meets_limits;   /* of the service's times */
    double used, rented; /* shares of its time: 1 of a job, by load and schedule of the service */
    double hours_ratio;  /* GPU-hours paid for over those of its time: experiments, repeated runs */
    double spot_ratio;   /* how much longer a job takes on spot */
    double other_cost;   /* of a job, besides GPU-hours: USD */
    size_t index;        /* the caller's */
};

/* A kind of GPU and what it can do. */
struct recommendation_gpu_type {
    const struct gpu *gpu;                                      /* the catalogue's */
    const struct price_book *book[RECOMMENDATION_ACQUISITIONS]; /* NULL: not wanted, or no offers */
    const struct price_book *on_demand; /* wanted or not: what buying is held against */
    bool may_buy;                       /* wanted; whether there is a price the ledger knows */
    double in_hand;                     /* GPUs owned already; 0 none */
    struct recommendation_configuration *ways[RECOMMENDATION_WORKLOADS];
    size_t n_ways[RECOMMENDATION_WORKLOADS];
};

struct recommendation_ask {
    const struct catalog *catalog;
    day as_of;
    const struct recommendation_gpu_type *kinds;
    size_t n_kinds;
    bool wanted[RECOMMENDATION_WORKLOADS];
    struct ownership ledger; /* inputs that all share; what depends on the GPUs is set here */
    double horizon_months;
    double deadline_days, budget, budget_per_month; /* NAN: no such limit */
    double deadline_days_at_high; /* what days_high must keep: NAN for a default deadline */
    double power_budget_kw;       /* NAN: none; of what is bought or in hand, at the meter */
    double fast_enough_days;      /* jobs that end sooner count as no faster */
    bool overhead_given;          /* the caller's rental_overhead_ratio, for jobs too */
    bool provider_given;          /* the caller's: that there is one alone is no news */
    double delay_cost_per_month;
    /* For all jobs with their experiments, each in its quickest way; set by recommendation_find().
     */
    double earliest_days;
};

/* Why a rented part is not confirmed, in the order in which it is said. */
enum recommendation_doubt {
    RECOMMENDATION_NO_DOUBT,
    RECOMMENDATION_NOT_OFFERED,
    RECOMMENDATION_DERIVED,
    RECOMMENDATION_ONE_PROVIDER
};

/* GPUs of one kind come by in one way: one ledger. */
struct recommendation_part {
    size_t kind;
    enum recommendation_acquisition means;
    double gpu_count;
    double connected; /* of them those that must reach one another */
    int months;       /* it is counted for: the horizon, or until the service has run its months */
    bool jobs_only;   /* rented at today's price, soon over: it does not decline */
    /* Shares of all hours of those months: in use; rented, where they are paid by the hour; held
     * for the work. */
    double utilization, rented_ratio, held_ratio;
    double other_cost;   /* what its jobs cost besides GPU-hours, USD */
    double spot_ratio;   /* what interruptions add to the hours of its jobs */
    double unused_ratio; /* what is billed beyond the hours of jobs, if it does nothing else, of
                            their rent */
    double total;        /* USD at the horizon: cost of capital in, resale out */
    double payments;     /* USD that are paid: no cost of capital, and nothing sold yet */
    double credits, credits_used; /* USD of cloud credits: left for it; that pay its rent */
    double power_kw; /* the most that they draw at the caller's meter; 0 of rented GPUs */
    enum recommendation_doubt doubt; /* with the total */
};

/* Why an option is on the list. */
enum recommendation_role {
    RECOMMENDATION_CHEAPEST = 1,
    RECOMMENDATION_BEST_VALUE = 2, /* the knee of cost over time */
    RECOMMENDATION_FASTEST = 4,
    RECOMMENDATION_BUY = 8, /* cheapest with bought GPUs that costs less than renting their kind */
    RECOMMENDATION_SMALLEST = 16,  /* fewest GPUs */
    RECOMMENDATION_MIXED = 32,     /* rented, each workload on its own kind */
    RECOMMENDATION_USES_OWN = 64,  /* cheapest with GPUs in hand */
    RECOMMENDATION_ONE_KIND = 256, /* cheapest on one kind of GPU, where mixing is cheaper */
    RECOMMENDATION_NEAREST = 128,  /* nothing keeps the limits, what comes nearest: the other roles
                                 are  among all options then */
    RECOMMENDATION_UNCONFIRMED = 512, /* costs less than the cheapest, or alone keeps the limits,
                                         but is not confirmed */
    RECOMMENDATION_AT_HIGH = 1024, /* cheapest that keeps the limits at the high ends too, where the
                                      cheapest does not */
};

struct recommendation_option {
    struct recommendation_part parts[RECOMMENDATION_WORKLOADS];
    size_t n_parts;
    size_t part[RECOMMENDATION_WORKLOADS]; /* that does the workload */
    size_t way[RECOMMENDATION_WORKLOADS];  /* of the part's kind */
    double gpu_count;                      /* the most at any time */
    struct range days;                     /* of all jobs; NAN without any */
    double ready_days;                     /* until the service begins: with experiments */
    struct range latency;                  /* seconds; NAN without a service */
    double months_served;                  /* NAN without a service */
    double delay_cost;                     /* in the total */
    struct range total;    /* USD at the horizon; low and high by the jobs' intervals */
    struct range payments; /* likewise */
    double power_kw;       /* at the caller's meter, of all parts */
    bool in_time, quick, paid, paid_monthly, powered; /* each limit kept, or not set */
    bool within, within_high;                         /* all of them; at the high ends too */
    /* Every rent is offered for that many GPUs, by two providers or more unless the caller named
     * them or has a quote, and most of those prices are not derived. Where any is, within the
     * limits or not, only such an option takes another role than RECOMMENDATION_UNCONFIRMED. */
    bool confirmed;
    bool on_frontier; /* of those that may take a role: no other is both cheaper and faster */
    unsigned roles;
};

/* What rules a kind of GPU out that can do the work. */
enum recommendation_rule {
    RECOMMENDATION_RULED_IN,
    RECOMMENDATION_NO_WAY, /* something asked for it cannot do: the searches say why */
    RECOMMENDATION_NO_PRICE,
    RECOMMENDATION_HORIZON, /* the jobs do not end before the horizon */
    RECOMMENDATION_DEADLINE,
    RECOMMENDATION_LATENCY,
    RECOMMENDATION_POWER,
    RECOMMENDATION_BUDGET,
    RECOMMENDATION_BUDGET_PER_MONTH
};

struct recommendation_verdict {
    enum recommendation_rule rule;
    double value, limit; /* the least of it that is possible, and what it may be; NAN where none */
    /* The least power at which buying it keeps every limit but the power, where no way of buying
     * keeps all; NAN where one does, or none keeps the others. */
    double buy_power_kw;
};

enum { RECOMMENDATION_LIST_MAX = 6 };

struct recommendation_list {
    struct recommendation_option at[RECOMMENDATION_LIST_MAX]; /* cheapest first */
    size_t n;
    size_t recommended; /* n where nothing keeps the limits */
    size_t n_considered, n_within, n_frontier;
    struct recommendation_verdict *verdicts; /* per kind, in the arena */
};

/* The short list. Kinds are worked on in parallel. */
void recommendation_find(struct recommendation_ask *ask, const struct parallel *parallel,
                         struct arena *arena, struct recommendation_list *list);

/* Days of jobs, at least fast_enough_days, or seconds where there are none: what is faster. */
double recommendation_time(const struct recommendation_ask *ask,
                           const struct recommendation_option *option);

#endif
