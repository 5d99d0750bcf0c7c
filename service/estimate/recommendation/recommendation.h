/* recommendation.h - from workloads and limits to a short list: which GPUs, how many, rented or
 * bought, for training, fine-tuning and serving together.
 *
 * The searches of training/plan/options.h and inference/serving/options.h find what each GPU type
 * can do for each workload. Here these configurations are combined, priced by the ledger of
 * ownership/ownership.h and checked against the limits, and a few are selected. Jobs run one after
 * the other from month 0, then the service. Every option serves for the months that the horizon
 * leaves after the fastest way to do the jobs: a slower option serves, and is paid, beyond the
 * horizon. GPUs paid by the hour are paid while they work, those of a service for the hours of its
 * schedule; bought and reserved GPUs are paid from month 0 to the horizon, and do all workloads
 * assigned to them in turn.
 */
#ifndef ESTIMATE_RECOMMENDATION_RECOMMENDATION_H
#define ESTIMATE_RECOMMENDATION_RECOMMENDATION_H

#include "base/arena.h"
#include "base/parallel.h"
#include "estimate/ownership/ownership.h"
#include "estimate/inference/serving/serving.h"

/* In order of execution. */
enum recommendation_workload {
    RECOMMENDATION_TRAIN,
    RECOMMENDATION_FINETUNE,
    RECOMMENDATION_SERVE,
    RECOMMENDATION_WORKLOADS,
    RECOMMENDATION_JOBS = RECOMMENDATION_SERVE /* workloads before it are jobs, which end */
};

/* How GPUs are acquired. */
enum recommendation_acquisition {
    RECOMMENDATION_ON_DEMAND,
    RECOMMENDATION_SPOT, /* only for jobs: a service cannot be interrupted */
    RECOMMENDATION_RESERVED_1YR,
    RECOMMENDATION_RESERVED_3YR,
    RECOMMENDATION_BOUGHT,
    RECOMMENDATION_IN_HAND, /* bought earlier: a sunk cost */
    RECOMMENDATION_ACQUISITIONS
};

/* A number of GPUs doing one workload. */
struct recommendation_configuration {
    double gpu_count;
    double connected;    /* how many of them must be connected; all for a job */
    double complexity;   /* serving_complexity(); 0 for a job */
    struct range time;   /* for a job: days; for the service: p95 seconds of a request */
    bool meets_limits;   /* the service meets its latency limits */
    bool unlinked;       /* serving_is_unlinked(); false for a job */
    bool tight;          /* training_phases_are_tight(); false for the service */
    bool keeps_up;       /* it also carries its load if it is as slow as its interval allows */
    double used, rented; /* fractions of its time: 1 for a job; for the service by load and
                          * schedule */
    double hours_ratio;  /* GPU-hours paid per GPU-hour of its time, including experiments and
                          * repeated runs */
    double spot_ratio;   /* slowdown of a job on spot instances */
    double other_cost;   /* for a job, in addition to GPU-hours: USD */
    size_t index;        /* index for the caller's use */
};

/* A GPU type and its configurations. */
struct recommendation_gpu_type {
    const struct gpu *gpu;                                      /* in the catalogue */
    const struct price_book *book[RECOMMENDATION_ACQUISITIONS]; /* NULL if not wanted, or without
                                                                 * offers */
    const struct price_book *on_demand; /* always set if there are offers: the alternative to
                                         * buying */
    bool may_buy;                       /* wanted, whether or not its price is known */
    bool used;                          /* what is bought is used */
    double in_hand;                     /* GPUs already owned; 0 if none */
    struct recommendation_configuration *configurations[RECOMMENDATION_WORKLOADS];
    size_t n_configurations[RECOMMENDATION_WORKLOADS];
};

struct recommendation_ask {
    const struct catalog *catalog;
    day as_of;
    const struct recommendation_gpu_type *gpu_types;
    size_t n_gpu_types;
    bool wanted[RECOMMENDATION_WORKLOADS];
    struct ownership ledger; /* common inputs; those that depend on the GPUs are set here */
    double horizon_months;
    double deadline_days, budget, budget_per_month; /* NAN for no limit */
    double deadline_days_at_high; /* limit for days_high; NAN if the deadline is a default */
    double power_budget_kw;       /* NAN if none; for bought and owned GPUs, at the meter */
    double fast_enough_days;      /* jobs that end sooner do not count as faster */
    bool overhead_given;          /* rental_overhead_ratio was given and applies to jobs too */
    double delay_cost_per_month;
    /* Days of all jobs with their experiments, each in its fastest configuration; set by
     * recommendation_find().
     */
    double earliest_days;
};

/* GPUs of one type acquired in one way: one ledger. */
struct recommendation_part {
    size_t gpu_type;
    enum recommendation_acquisition acquisition;
    double gpu_count;
    double connected; /* how many of them must be connected */
    int months;       /* the period counted: the horizon, or until the service has run its months */
    bool jobs_only;   /* rented briefly at today's price, which does not decline */
    /* Fractions of all hours of those months: in use; rented, if paid by the hour; reserved for the
     * work. */
    double utilization, rented_ratio, held_ratio;
    double other_cost;   /* of its jobs, in addition to GPU-hours, USD */
    double spot_ratio;   /* added to its jobs' hours by interruptions */
    bool unlinked;       /* a configuration of it is */
    bool tight;          /* likewise */
    double unused_ratio; /* if it does only jobs: rent billed beyond their hours, as a fraction of
                          * the rent */
    struct range length; /* what its jobs cost at the ends of their days, relative to the middle */
    bool has_term;   /* that is not in proportion to the hours: clusters have shortest rentals */
    double total;    /* USD at the horizon, including cost of capital and resale */
    double payments; /* USD paid, without cost of capital and resale */
    double credits, credits_used; /* USD of cloud credits: available to it; used for its rent */
    double power_kw;              /* peak at the caller's meter; 0 for rented GPUs */
    double
        electricity_kwh; /* of its months, with the facility; rented GPUs while they are rented */
    /* Set with the total: */
    enum price_doubt doubt; /* about its rent */
    double price;           /* today's rent in USD per GPU-hour; NAN if the GPUs are not rented */
    bool resold;            /* bought for a job, and cheaper than its rent only by what selling the
                             * GPUs after it is assumed to bring */
    double paid_gpus;       /* with the idle ones of servers that are bought or rented whole */
};

/* Why an option is on the list. */
enum recommendation_role {
    RECOMMENDATION_CHEAPEST = 1,
    RECOMMENDATION_BEST_VALUE = 2, /* the knee of the cost-time curve */
    RECOMMENDATION_FASTEST = 4,
    RECOMMENDATION_BUY = 8, /* cheapest with bought GPUs, if cheaper than renting the same type */
    RECOMMENDATION_SMALLEST = 16,     /* fewest GPUs */
    RECOMMENDATION_MIXED = 32,        /* each workload on a type of its own, jobs rented */
    RECOMMENDATION_USES_OWN = 64,     /* cheapest that uses GPUs already owned */
    RECOMMENDATION_ONE_KIND = 256,    /* cheapest on a single GPU type, if mixing is cheaper */
    RECOMMENDATION_NEAREST = 128,     /* no option meets the limits and this one comes nearest: the
                                       * other roles are then assigned among all options */
    RECOMMENDATION_UNCONFIRMED = 512, /* unconfirmed, but costs less than the cheapest or is the
                                       * only one within the limits */
    RECOMMENDATION_AT_HIGH = 1024, /* cheapest that meets the limits also at the high ends, if the
                                    * cheapest does not */
};

struct recommendation_option {
    struct recommendation_part parts[RECOMMENDATION_WORKLOADS];
    size_t n_parts;
    size_t part[RECOMMENDATION_WORKLOADS];          /* part that does each workload */
    size_t configuration[RECOMMENDATION_WORKLOADS]; /* index into the configurations of the part's
                                                       type */
    double gpu_count;                               /* maximum at any time */
    struct range days;                              /* of all jobs; NAN without jobs */
    double ready_days;      /* until the service starts, including experiments */
    struct range latency;   /* seconds; NAN without a service */
    double months_served;   /* NAN without a service */
    double delay_cost;      /* included in the total */
    struct range total;     /* USD at the horizon; low and high from the jobs' intervals */
    struct range payments;  /* likewise */
    double power_kw;        /* at the caller's meter, all parts */
    double electricity_kwh; /* all parts, bought and rented */
    bool in_time, quick, paid, paid_monthly, powered; /* each limit is met, or not set */
    bool within;                                      /* all of them are met */
    /* At the high ends of intervals: all limits, a deadline and a budget are kept, and the service
     * keeps up with its load. */
    bool within_high, timely_high, paid_high, keeps_up;
    /* No replica is divided over servers of unlinked GPUs, no job fills their memory. Every rent is
     * offered for that many GPUs, by at least two providers unless the caller named them or has a
     * quote or one makes the GPU, and most of those prices are not derived; no purchase depends on
     * selling the GPUs after a job. If any option is confirmed, within the limits or not,
     * unconfirmed options can only have the role RECOMMENDATION_UNCONFIRMED. */
    bool confirmed;
    double billed_ratio; /* hours billed per hour that its GPUs work, of the rented job for which
                          * that is most; 1 if nothing is billed beyond them */
    bool on_frontier;    /* among those that may have a role: no other is both cheaper and faster */
    unsigned roles;
};

/* Why a GPU type that can do the work is excluded. */
enum recommendation_rule {
    RECOMMENDATION_RULED_IN,
    RECOMMENDATION_NO_WAY, /* it cannot do one of the workloads: the searches give the reason */
    RECOMMENDATION_NO_PRICE,
    RECOMMENDATION_HORIZON, /* the jobs do not end within the horizon */
    RECOMMENDATION_DEADLINE,
    RECOMMENDATION_LATENCY,
    RECOMMENDATION_POWER,
    RECOMMENDATION_BUDGET,
    RECOMMENDATION_BUDGET_PER_MONTH
};

struct recommendation_verdict {
    enum recommendation_rule rule;
    double value, limit; /* the least possible value, and the limit; NAN if not applicable */
    /* The least power at which buying it meets every other limit, if no way of buying meets all;
     * NAN if one does, or none meets the others. */
    double buy_power_kw;
};

enum { RECOMMENDATION_LIST_MAX = 6 };

struct recommendation_list {
    struct recommendation_option at[RECOMMENDATION_LIST_MAX]; /* cheapest first */
    size_t n;
    /* Faster than the fastest on the list, but billed beyond that ratio; without parts if none. */
    struct recommendation_option idle;
    size_t recommended; /* index; n if none meets the limits */
    size_t n_considered, n_within, n_frontier;
    struct recommendation_verdict *verdicts; /* per GPU type, in the arena */
};

/* Make the short list. GPU types are processed in parallel. */
void recommendation_find(struct recommendation_ask *ask, const struct parallel *parallel,
                         struct arena *arena, struct recommendation_list *list);

/* The time that options are compared by: days of jobs, at least fast_enough_days, or latency in
 * seconds if there are none. */
double recommendation_time(const struct recommendation_ask *ask,
                           const struct recommendation_option *option);

#endif
