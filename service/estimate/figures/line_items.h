/* line_items.h - a plan as line items: memory per GPU, time per step, money. */
#ifndef ESTIMATE_FIGURES_LINE_ITEMS_H
#define ESTIMATE_FIGURES_LINE_ITEMS_H

#include <stddef.h>

/* All texts are static. Keys are unique. */
struct line_item {
    const char *group; /* memory, time or cost */
    const char *key, *unit, *formula;
    double value;                        /* GiB or s; NAN for money */
    double quantity, unit_price, amount; /* money only, else NAN; the amount is rounded to cents */
};

enum { LINE_ITEMS_MAX = 28 };

struct line_items {
    size_t n;
    struct line_item at[LINE_ITEMS_MAX];
};

/* Each adds one line; the caller keeps within LINE_ITEMS_MAX. Bytes are kept as GiB. */
void line_items_add_memory(struct line_items *line_items, const char *key, double bytes,
                           const char *formula);
void line_items_add_time(struct line_items *line_items, const char *key, double seconds,
                         const char *formula);
/* The amount is quantity times unit price, in USD. */
void line_items_add_cost(struct line_items *line_items, const char *key, double quantity,
                         const char *unit, double unit_price, const char *formula);

/* GPU-hours at a price per GPU-hour, with a given amount: the remainder of a rounded sum. */
void line_items_add_cost_rest(struct line_items *line_items, const char *key, double gpu_hours,
                              double price, double amount, const char *formula);

#endif
