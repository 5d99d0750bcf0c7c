/* cash_flow.h - runs the ledger of ownership/ownership.h month by month: cumulative payments, their
 * value with the cost of capital, and every line as if the ledger ended now.
 *
 * Sums over months are long double, so that each line is rounded to cents only once. */
#ifndef ESTIMATE_OWNERSHIP_CASH_FLOW_H
#define ESTIMATE_OWNERSHIP_CASH_FLOW_H

#include "estimate/ownership/facility.h"

#include <string.h>

/* Prices of month 1 that rise at the same rate. */
struct path {
    enum side side;
    bool rented;                        /* a rent, which also falls at GPU releases */
    double rise;                        /* per year */
    int term;                           /* months for which the price is fixed; 0 without a term */
    long double monthly, first_monthly; /* sum of its lines in month 1; in the first phase */
    long double step;                   /* factor per month */
    long double now;                    /* cumulative factor of this month */
    long double summed;                 /* the factor of the last month summed up,
                                         * cash_flow.summed */
    long double sum, first_sum; /* over all those months, weighted by their shares; over the first
                                 * phase */
    long double grown;          /* the sum with cost of capital, if all months were whole */
};

/* A recurring line's quantity, price and amount of month 1 in the first phase. */
struct phase {
    double quantity, price;
    long double amount;
};

enum { PATHS_MAX = 8 };

/* Money of one side so far: paid, and with cost of capital. */
struct money {
    long double paid, grown;
};

/* The loan for the initial lines, and its cost. */
struct debt {
    long double balance, interest; /* current; cumulative */
    long double step, payment;     /* factor per month; monthly payment, 0 if repaid at the end */
    int months;
};

struct cash_flow {
    const struct ownership *in;
    double scrap_cost; /* of all servers */
    struct facility facility;
    struct entry entries[LINES];
    long double first[LINES]; /* initial amount, or amount of month 1 */
    struct phase phase[LINES];
    /* The lines after the initial ones that can be non-zero. */
    unsigned char later[SIDES][LINES];
    int n_later[SIDES];
    struct path paths[PATHS_MAX];
    /* The paths with costs in months after the first phase. */
    unsigned char paying[SIDES][PATHS_MAX];
    int n_paying[SIDES];
    bool is_leased, is_bought_out; /* the servers are leased; and bought at the end of the lease */
    bool skips[SIDES];             /* sides that are not run, as their lines are not asked for */
    int n_paths, month, summed;    /* months after `summed` are summed up on demand */
    int replaced;                  /* month in which the servers in place were bought, without a
                                    * second purchase */
    double kept, kept_a_month;     /* resale value of used servers: approximate factors */
    long double whole_from;        /* the first month after all partial months */
    long double running[SIDES], first_running[SIDES]; /* months that the recurring lines ran after
                                                       * the first phase, and during it */
    long double waited;                               /* rent until delivery */
    struct money money[SIDES];
    long double growth; /* monthly factor of the cost of capital */
    struct debt debt;
    long double lease_payment, lease_end_value; /* per month; at the end of the term */
    long double leased, bought_out, lease_exit; /* cumulative */
    long double replacement;                    /* cumulative: servers bought again */
    long double commitment_exit;                /* penalty paid for leaving a reserved term */
    /* Rented lines: per month, as of month 1; in the first phase; paid by credits. */
    long double rented, first_rented, credited[SIDES];
    long double initial[SIDES], second; /* cumulative; of the second purchase */
    long double tax_saved[SIDES], written_off;
    long double amount[LINES]; /* set by totals_close() */
    double initial_cents[SIDES];
    long double closed_share; /* share of servers bought when the initial lines were last closed */
};

/* Compares two of the ledger's few words, which mostly differ in the first letter. */
static inline bool cash_flow_same_word(const char *a, const char *b)
{
    return a[0] == b[0] && strcmp(a, b) == 0;
}

/* Multiplies; 0 of something costs 0 even if the price is unknown (NAN). */
static inline long double cash_flow_times(long double a, long double b)
{
    return a == 0 || b == 0 ? 0 : a * b;
}

/* The state at month 0, after the initial payments; faster if `like` was started with inputs that
 * differ only in utilization and rent price: it reuses the monthly factors, which take powers to
 * compute. */
void cash_flow_start_like(struct cash_flow *flow, const struct ownership *in,
                          const struct cash_flow *like);
static inline void cash_flow_start(struct cash_flow *flow, const struct ownership *in)
{
    cash_flow_start_like(flow, in, NULL);
}
/* The same for one side only: the lines of the other are undefined, and so is what compares both. A
 * side whose price is unknown takes ten times as long: arithmetic with NAN in long double is that
 * slow on x86. */
void cash_flow_start_side(struct cash_flow *flow, const struct ownership *in, enum side side);
/* The state of the closed run `at`, as if it had been started with inputs that differ only in those
 * two. False if it has partial months or a price is unknown: then a run of its own is needed. */
bool cash_flow_vary(struct cash_flow *flow, const struct ownership *in, const struct cash_flow *at);
/* Advance by one month. */
void cash_flow_month(struct cash_flow *flow);
/* Advance to the last of `months`, unless already there. */
void cash_flow_advance(struct cash_flow *flow, int months);
/* Sum up the months of each path so far. */
void cash_flow_sum_up(struct cash_flow *flow);

/* Fill in all lines and their sums. */
void ownership_fill_ledger(const struct cash_flow *flow, struct ledger *ledger);

#endif
