/* cash_flow.h - the ledger of ownership/ownership.h month by month: what was paid so far, what that
 * has grown to, and every line as if all ended now.
 *
 * Sums over months are long double, so that a line is rounded to cents once and not before. */
#ifndef ESTIMATE_OWNERSHIP_CASH_FLOW_H
#define ESTIMATE_OWNERSHIP_CASH_FLOW_H

#include "estimate/ownership/facility.h"

#include <string.h>

/* What prices of month 1 that rise alike have become. */
struct path {
    enum side side;
    bool rented;                        /* a rent, which falls at releases too */
    double rise;                        /* a year */
    int term;                           /* months for which the price holds; 0: no term */
    long double monthly, first_monthly; /* all its lines in month 1; in the first phase */
    long double step;                   /* a month's factor */
    long double now;                    /* factor of this month */
    long double summed;                 /* and of the last that is summed up: run.summed */
    long double sum, first_sum; /* of all those months, by their shares; of the first phase */
    long double grown;          /* what the sum has grown to, where all months were whole ones */
};

/* A recurring line's quantity, price and amount of month 1 in the first phase. */
struct phase {
    double quantity, price;
    long double amount;
};

enum { PATHS_MAX = 8 };

/* Money of one side so far: what was paid, and what it has grown to at the cost of capital. */
struct money {
    long double paid, grown;
};

/* What is owed for the initial lines, and what it costs. */
struct debt {
    long double balance, interest; /* now; so far */
    long double step, payment;     /* a month's factor; each month, 0: at the end */
    int months;
};

struct cash_flow {
    const struct ownership *in;
    struct plant plant;
    struct entry entries[LINES];
    long double first[LINES]; /* once, or in month 1 */
    struct phase phase[LINES];
    /* The lines behind the initial ones that can come to more than nothing. */
    unsigned char later[SIDES][LINES];
    int n_later[SIDES];
    struct path paths[PATHS_MAX];
    /* Those of which a month behind the first phase costs something. */
    unsigned char paying[SIDES][PATHS_MAX];
    int n_paying[SIDES];
    bool is_leased, is_bought_out; /* the servers; at the end of their lease */
    int n_paths, month, summed;    /* whole months wait to be summed up until somebody asks */
    double scrap_cost;             /* of all servers */
    long double whole_from;        /* the first month behind all that takes a share of one */
    double kept, kept_a_month;     /* of what used servers bring: nearly */
    long double running[SIDES], first_running[SIDES]; /* months that the recurring lines ran after
                                                       * the first phase, and in it */
    long double waited;                               /* rent until delivery */
    struct money money[SIDES];
    long double growth; /* a month's factor of the cost of capital */
    struct debt debt;
    long double lease_payment, lease_end_value; /* a month; at the end of the term */
    long double leased, bought_out, lease_exit; /* paid so far */
    long double commitment_exit;                /* paid for leaving a reserved term */
    /* Rented lines: a month of them, as of month 1; in the first phase; paid by credits. */
    long double rented, first_rented, credited[SIDES];
    long double initial[SIDES], second; /* paid so far; in the second purchase */
    long double tax_saved[SIDES], written_off;
    long double amount[LINES]; /* as of totals_close() */
    double initial_cents[SIDES];
    long double closed_share; /* of the servers, bought when the initial lines were closed last */
};

/* Compares two of the ledger's few words, which mostly differ in their first letter. */
static inline bool cash_flow_same_word(const char *a, const char *b)
{
    return a[0] == b[0] && strcmp(a, b) == 0;
}

static inline long double cash_flow_times(long double a, long double b)
{
    return a == 0 || b == 0 ? 0 : a * b;
}

void cash_flow_start(struct cash_flow *flow, const struct ownership *in);
/* The same where `like` was started with inputs that differ in utilization and rent price only:
 * their rises, of which powers are taken, are not worked out again. */
void cash_flow_start_like(struct cash_flow *flow, const struct ownership *in,
                          const struct cash_flow *like);
/* The run `at`, which is closed, as it would be had it been started with inputs that differ in
 * those two. False where it has months that are no whole ones, or a price is unknown: then it takes
 * a run of its own. */
bool cash_flow_vary(struct cash_flow *flow, const struct ownership *in, const struct cash_flow *at);
void cash_flow_month(struct cash_flow *flow);
/* Month by month to the last of `months`, unless it is there. */
void cash_flow_advance(struct cash_flow *flow, int months);
/* Sum up the months of each path so far. */
void cash_flow_sum_up(struct cash_flow *flow);

/* All lines, and their sums. */
void ownership_fill_ledger(const struct cash_flow *flow, struct ledger *ledger);

#endif
