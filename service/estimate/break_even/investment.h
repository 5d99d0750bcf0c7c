/* investment.h - buying as an investment whose returns are the avoided rents: net present value,
 * internal rate of return, payback.
 *
 * The cash flow of month j is the avoided rent minus the cost of owning; month 0 is the purchase.
 * Payments at the end of the horizon (resale less decommissioning, tax on the disposal, a loan
 * repaid) fall into its last month. Present values are discounted at cost_of_capital.
 */
#ifndef ESTIMATE_BREAK_EVEN_INVESTMENT_H
#define ESTIMATE_BREAK_EVEN_INVESTMENT_H

#include "estimate/break_even/break_even.h"

/* One month of both sides, in cents, rounded so that the months add up to the totals. */
struct investment_month {
    double buy, rent;                /* paid in the month, without the payments at the end of
                                      * owning */
    double buy_end;                  /* cost of the end of owning; negative if it yields money */
    double saving;                   /* rent minus buy, including buy_end */
    double present_value;            /* the saving discounted to month 0 */
    double saved, net_present_value; /* cumulative */
};

/* The month, interpolated linearly, by which avoided rents cover the cost of owning. */
struct payback {
    double months;         /* NAN if never, or if there never was a deficit */
    bool was_short;        /* at some point owning had cost more than the avoided rents */
    double month, missing; /* the last month with a deficit, and the deficit */
    double saved;          /* in the following month */
};

struct investment {
    double buy_undiscounted, rent_undiscounted; /* total cash up to the horizon */
    double buy_present, rent_present;           /* both totals discounted to month 0 */
    double net_present_value;                   /* present cost of renting minus that of buying */
    double internal_rate;                       /* per year; NAN if there is none */
    const char *internal_rate_status;
    struct payback payback, discounted_payback; /* without resale */
    char payback_status[40];                    /* of `payback` */
    double months;                              /* the horizon */
    struct investment_month at[SEARCH_MONTHS_MAX + 1];
};

/* Computed from the ledger at the horizon. */
void investment_appraise(const struct ownership *in, const struct break_even *found,
                         struct investment *out);

#endif
