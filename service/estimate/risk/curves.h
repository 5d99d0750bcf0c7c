/* curves.h - buying less renting, month by month, as a function of the inputs that risk draws.
 *
 * The difference of the two sides of the ledger is linear in the rent price, the electricity price,
 * the utilization (with a product of the last two) and the failure ratio; the rent of a month and
 * the resale follow their yearly ratio. So a few runs of the ledger say what it is for all values
 * of these inputs: a unit test holds it against the ledger itself.
 */
#ifndef ESTIMATE_RISK_CURVES_H
#define ESTIMATE_RISK_CURVES_H

#include "estimate/break_even/break_even.h"

enum risk_input {
    RISK_RENT_PRICE,
    RISK_RENT_DECLINE,
    RISK_RETENTION,
    RISK_ELECTRICITY,
    RISK_UTILIZATION,
    RISK_FAILURES,
    RISK_INPUTS
};

/* As the inputs of the ledger are called. */
extern const char *const risk_input_names[RISK_INPUTS];

enum { RISK_MONTHS_MAX = SEARCH_MONTHS_MAX }; /* the horizon is no longer either */

/* What each input adds to the difference at the end of a month, USD. */
struct risk_month {
    double base; /* with all of them 0 */
    double per_electricity, per_utilization, per_both, per_failures;
    double sold; /* where all value is kept; less where it is not: see risk_curves_sold() */
    /* For this month alone, at 1 USD and without a decline; it grows on. What is paid whatever the
     * utilization, and what full use adds to that. */
    double rent_idle, rent_used;
};

struct risk_curves {
    int months;          /* the last there is */
    int horizon_months;  /* where both sides are compared */
    int search_months;   /* how far the break-even month is looked for */
    int term_months;     /* see ownership_term_months() */
    double growth;       /* of a month's money until the next */
    int second_month;    /* of the second purchase, */
    double second_share; /* which is this share of what is sold from then on */
    struct risk_month at[RISK_MONTHS_MAX + 1];
};

/* From complete inputs; what risk draws may have any value or none. */
void risk_curves_find(const struct ownership *in, struct risk_curves *out);

/* Whether the difference depends on the input at all. */
bool risk_curves_depend(const struct risk_curves *curves, enum risk_input input);

/* A yearly ratio takes this many equally likely values, in a row for each month; a
 * row has room at its end, so that the months are not in each other's way in the cache. */
enum { RISK_VALUES = 1024, RISK_ROW = RISK_VALUES + 8 };

/* The rent up to each month, at 1 USD, where rents fall by each of the ratios a year: what is paid
 * whatever the utilization, or what full use adds. And what the servers bring in each month where
 * that share of their value is kept a year; of a second purchase it is what they lose by their age,
 * as their price is in `base`, so that the curve has no step. All of months + 1 rows. */
void risk_curves_rent_idle(const struct risk_curves *curves,
                           const double yearly_declines[RISK_VALUES], double (*rent)[RISK_ROW]);
void risk_curves_rent_used(const struct risk_curves *curves,
                           const double yearly_declines[RISK_VALUES], double (*rent)[RISK_ROW]);
void risk_curves_sold(const struct risk_curves *curves, const double yearly_retentions[RISK_VALUES],
                      double (*sold)[RISK_ROW]);

#endif
