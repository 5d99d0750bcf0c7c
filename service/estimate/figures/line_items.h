/* line_items.h - a plan as lines: memory of a GPU, time of a step, money. */
#ifndef ESTIMATE_FIGURES_LINE_ITEMS_H
#define ESTIMATE_FIGURES_LINE_ITEMS_H

#include <stddef.h>

/* All texts are static. A key stands once in an account. */
struct account_line {
    const char *group; /* memory time cost */
    const char *key, *unit, *formula;
    double value;                        /* GiB, s; NAN for money */
    double quantity, unit_price, amount; /* money only, NAN else; the amount is rounded to cents */
};

enum { ACCOUNT_LINES_MAX = 24 };

struct account {
    size_t n;
    struct account_line at[ACCOUNT_LINES_MAX];
};

void account_add_memory(struct account *account, const char *key, double bytes,
                        const char *formula);
void account_add_time(struct account *account, const char *key, double seconds,
                      const char *formula);
/* The amount is quantity times unit price in USD. */
void account_add_cost(struct account *account, const char *key, double quantity, const char *unit,
                      double unit_price, const char *formula);

#endif
