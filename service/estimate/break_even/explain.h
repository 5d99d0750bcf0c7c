/* explain.h - the derivation of each figure of a break-even: every ledger line, the sums, and the
 * investment figures. */
#ifndef ESTIMATE_BREAK_EVEN_EXPLAIN_H
#define ESTIMATE_BREAK_EVEN_EXPLAIN_H

#include "estimate/break_even/investment.h"
#include "estimate/figures/explain.h"

/* Lines that are 0 get no row; if a price is unknown there are no rows. */
void break_even_explain(const struct ownership *in, const struct break_even *found,
                        const struct investment *investment, struct explanations *to);

#endif
