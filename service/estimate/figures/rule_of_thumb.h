/* rule_of_thumb.h - a back-of-the-envelope figure, and what it omits: users know these and
 * compare. */
#ifndef ESTIMATE_FIGURES_RULE_OF_THUMB_H
#define ESTIMATE_FIGURES_RULE_OF_THUMB_H

#include <stddef.h>

struct rule {
    const char *key; /* such as flop_6nd; named rule_of_thumb.<key> in CSV and .txt */
    double value;    /* NAN if not applicable */
    const char *unit, *formula, *leaves_out; /* static text */
};

enum { RULES_MAX = 64 };

struct rules {
    size_t n;
    struct rule at[RULES_MAX];
};

/* Adds one rule; the caller keeps within RULES_MAX. */
void rule_of_thumb_add(struct rules *rules, const char *key, double value, const char *unit,
                       const char *formula, const char *leaves_out);

#endif
