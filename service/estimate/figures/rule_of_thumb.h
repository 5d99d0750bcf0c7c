/* rule_of_thumb.h - a back-of-the-envelope figure, and what it leaves out: people arrive with
 * these. */
#ifndef ESTIMATE_FIGURES_RULE_OF_THUMB_H
#define ESTIMATE_FIGURES_RULE_OF_THUMB_H

#include <stddef.h>

struct rule {
    const char *key; /* as flop_6nd: named in CSV and .txt as rule_of_thumb.<key> */
    double value;    /* NAN where it does not apply */
    const char *unit, *formula, *leaves_out; /* static text */
};

enum { RULES_MAX = 64 };

struct rules {
    size_t n;
    struct rule at[RULES_MAX];
};

void rule_of_thumb_add(struct rules *rules, const char *key, double value, const char *unit,
                       const char *formula, const char *leaves_out);

#endif
