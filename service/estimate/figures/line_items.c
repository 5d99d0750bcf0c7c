#include "estimate/figures/line_items.h"

#include "base/cents.h"

#include "base/units.h"
#include "estimate/ownership/ownership.h"

#include <assert.h>
#include <math.h>

static void add(struct account *account, struct account_line line)
{
    assert(account->n < ACCOUNT_LINES_MAX);
    account->at[account->n++] = line;
}

static void add_value(struct account *account, const char *group, const char *key, double value,
                      const char *unit, const char *formula)
{
    const double none = (double)NAN;

    add(account, (struct account_line){group, key, unit, formula, value, none, none, none});
}

void account_add_memory(struct account *account, const char *key, double bytes, const char *formula)
{
    add_value(account, "memory", key, bytes / GIB, "GiB", formula);
}

void account_add_time(struct account *account, const char *key, double seconds, const char *formula)
{
    add_value(account, "time", key, seconds, "s", formula);
}

void account_add_cost(struct account *account, const char *key, double quantity, const char *unit,
                      double unit_price, const char *formula)
{
    add(account, (struct account_line){"cost", key, unit, formula, (double)NAN, quantity,
                                       unit_price, cents_round(quantity * unit_price)});
}
