/* totals.h - the ledger's lines and their sums, each line rounded to cents once. */
#ifndef ESTIMATE_OWNERSHIP_TOTALS_H
#define ESTIMATE_OWNERSHIP_TOTALS_H

#include "estimate/ownership/cash_flow.h"

/* Compute every line as if the ledger ended with this month. */
void totals_close(struct cash_flow *flow);
void totals_as_of_month(struct cash_flow *flow, const struct ownership *in, int months);
/* The same for the lines of that side only. */
void totals_of_side(struct cash_flow *flow, const struct ownership *in, int months, enum side side);

/* Buying minus renting as if the ledger ended with this month, without computing the lines; the
 * sums of rounded lines differ from it by at most *off. NAN if a price is unknown. */
double totals_gap(const struct cash_flow *flow, double *off);

/* The line's quantity over all months; the sum of monthly prices that a ratio refers to. */
double totals_quantity(const struct cash_flow *flow, int line);
double totals_ratio_base(const struct cash_flow *flow, int line);

/* A line, in cents, and the sum of one side's lines, each rounded half-even to cents. */
double totals_cents(const struct cash_flow *flow, int line);
double totals_side(const struct cash_flow *flow, enum side side);

/* The sum of absolute amounts of all lines of both sides. */
long double totals_size(const struct cash_flow *flow);

/* Buying minus renting, unrounded. */
long double totals_difference(const struct cash_flow *flow);

#endif
