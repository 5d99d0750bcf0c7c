#include "estimate/figures/line_items.h"

#include "base/cents.h"

#include "base/units.h"
#include "estimate/ownership/ownership.h"

#include <assert.h>
#include <math.h>

static void add(struct line_items *line_items, struct line_item line)
{
    assert(line_items->n < LINE_ITEMS_MAX);
    line_items->at[line_items->n++] = line;
}

static void add_value(struct line_items *line_items, const char *group, const char *key,
                      double value, const char *unit, const char *formula)
{
    const double none = (double)NAN;

    add(line_items, (struct line_item){group, key, unit, formula, value, none, none, none});
}

void line_items_add_memory(struct line_items *line_items, const char *key, double bytes,
                           const char *formula)
{
    add_value(line_items, "memory", key, bytes / GIB, "GiB", formula);
}

void line_items_add_time(struct line_items *line_items, const char *key, double seconds,
                         const char *formula)
{
    add_value(line_items, "time", key, seconds, "s", formula);
}

void line_items_add_cost(struct line_items *line_items, const char *key, double quantity,
                         const char *unit, double unit_price, const char *formula)
{
    add(line_items, (struct line_item){"cost", key, unit, formula, (double)NAN, quantity,
                                       unit_price, cents_round(quantity * unit_price)});
}

void line_items_add_cost_rest(struct line_items *line_items, const char *key, double gpu_hours,
                              double price, double amount, const char *formula)
{
    add(line_items, (struct line_item){"cost", key, "GPU-hours", formula, (double)NAN, gpu_hours,
                                       price, cents_round(amount)});
}
