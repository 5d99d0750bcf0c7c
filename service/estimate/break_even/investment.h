/* investment.h - buying as an investment whose returns are the rents not paid: net present value,
 * internal rate of return, payback.
 *
 * The cash of month j is the rent not paid less what owning takes; month 0 is the purchase. What
 * the end of the horizon brings (resale less decommissioning, tax on the disposal, a loan repaid)
 * comes with the horizon's month. Present values are at cost_of_capital.
 */
#ifndef ESTIMATE_BREAK_EVEN_INVESTMENT_H
#define ESTIMATE_BREAK_EVEN_INVESTMENT_H

#include "estimate/break_even/break_even.h"

/* A month of both sides, in cents: rounded so that the months add up to the totals. */
struct investment_month {
    double buy, rent;                /* paid in it, without what the end of owning brings */
    double buy_end;                  /* what that takes; negative where it brings money in */
    double saving;                   /* rent less buy, with its end */
    double present_value;            /* the saving discounted to month 0 */
    double saved, net_present_value; /* so far */
};

/* The month, linear between two, by which rents not paid make up for what owning took. */
struct payback {
    double months;         /* NAN: never, or nothing was short */
    bool was_short;        /* owning had taken more than the rents not paid */
    double month, missing; /* the last that is short, and by how much */
    double saved;          /* in the next one */
};

struct investment {
    double buy_undiscounted, rent_undiscounted; /* all cash up to the horizon */
    double buy_present, rent_present;           /* both totals at month 0 */
    double net_present_value;                   /* renting's present cost less buying's */
    double internal_rate;                       /* a year; NAN where there is none */
    const char *internal_rate_status;
    struct payback payback, discounted_payback; /* without resale */
    char payback_status[40];                    /* of the first */
    double months;                              /* of the horizon */
    struct investment_month at[SEARCH_MONTHS_MAX + 1];
};

/* From the ledger at the horizon. */
void investment_appraise(const struct ownership *in, const struct break_even *found,
                         struct investment *out);

#endif
