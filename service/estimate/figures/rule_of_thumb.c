#include "estimate/figures/rule_of_thumb.h"

#include <assert.h>

void rule_of_thumb_add(struct rules *rules, const char *key, double value, const char *unit,
                       const char *formula, const char *leaves_out)
{
    assert(rules->n < RULES_MAX);
    rules->at[rules->n++] = (struct rule){key, value, unit, formula, leaves_out};
}
