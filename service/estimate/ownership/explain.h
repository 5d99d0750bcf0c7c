/* explain.h - derivation of each ledger line: quantity, price, and change of the price over the
 * months. */
#ifndef ESTIMATE_OWNERSHIP_EXPLAIN_H
#define ESTIMATE_OWNERSHIP_EXPLAIN_H

#include "estimate/figures/explain.h"
#include "estimate/ownership/ownership.h"

/* Such as buy_staff, prefixed with `before` to tell several ledgers of one answer apart. */
const char *ownership_line_key(struct explanations *to, const char *before,
                               const struct ledger_line *line);

/* Explains each line of the side that is not 0. The caller defines the symbol tax_rate.
 */
void ownership_explain_lines(const struct ownership *in, const struct ledger *ledger,
                             const char *side, const char *before, struct explanations *to);

/* The price of a used server, if it follows from its age. `before` as above. */
void ownership_explain_used(const struct ownership *in, const char *before,
                            struct explanations *to);

#endif
