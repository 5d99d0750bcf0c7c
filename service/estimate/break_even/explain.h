/* explain.h - how each figure of a break-even came about: every line of the ledger, their sums, and
 * what buying is worth as an investment. */
#ifndef ESTIMATE_BREAK_EVEN_EXPLAIN_H
#define ESTIMATE_BREAK_EVEN_EXPLAIN_H

#include "estimate/break_even/investment.h"
#include "estimate/figures/explain.h"

/* Lines that come to nothing have no row; where a price is unknown there are none. */
void break_even_explain(const struct ownership *in, const struct break_even *found,
                        const struct investment *investment, struct explanations *to);

#endif
