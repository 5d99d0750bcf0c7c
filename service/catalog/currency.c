#include "catalog/currency.h"

#include <math.h>
#include <string.h>

static const char DOLLAR[] = "USD";

const char *catalog_currency(const struct catalog *catalog)
{
    return catalog->rate ? catalog->rate->currency : DOLLAR;
}

/* Number of rates before the first one of a later currency, or of this currency and a later day. */
static size_t rates_up_to(const struct catalog *catalog, const char *currency, day as_of)
{
    size_t low = 0, high = catalog->n_rates;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct exchange_rate *rate = &catalog->rates[middle];
        int order = strcmp(rate->currency, currency);
        if (order > 0 || (order == 0 && rate->observed > as_of))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

const struct exchange_rate *catalog_rate(const struct catalog *catalog, const char *currency,
                                         day as_of)
{
    size_t n = rates_up_to(catalog, currency, as_of);

    return n && strcmp(catalog->rates[n - 1].currency, currency) == 0 ? &catalog->rates[n - 1]
                                                                      : NULL;
}

/* The table's own unit is in USD, such as USD/kWh. */
static void convert_assumption(struct assumption *row, const struct exchange_rate *rate,
                               struct arena *arena)
{
    size_t n = strlen(DOLLAR);

    if (strncmp(row->unit, DOLLAR, n) != 0)
        return;
    row->unit = arena_print(arena, "%s%s", rate->currency, row->unit + n);
    row->low *= rate->per_usd;
    row->value *= rate->per_usd;
    row->high *= rate->per_usd;
}

const struct catalog *catalog_in_currency(const struct catalog *catalog, const char *currency,
                                          day as_of, struct arena *arena)
{
    const struct catalog *origin = catalog->origin ? catalog->origin : catalog;
    const struct exchange_rate *rate = catalog_rate(origin, currency, as_of);

    if (!rate)
        return strcmp(currency, DOLLAR) == 0 ? origin : NULL;
    if (rate == catalog->rate)
        return catalog;
    struct catalog *view = memcpy(arena_alloc(arena, sizeof(*view)), origin, sizeof(*view));
    size_t size = origin->n_assumptions * sizeof(view->assumptions[0]);
    view->origin = origin;
    view->n_memos = 0;
    view->rate = rate;
    view->assumptions = memcpy(arena_alloc(arena, size), origin->assumptions, size);
    for (size_t i = 0; i < view->n_assumptions; i++)
        convert_assumption(&view->assumptions[i], rate, arena);
    return view;
}

/* Units of the currency per US dollar. */
static double per_usd(const struct catalog *catalog, const char *currency, day as_of)
{
    const struct exchange_rate *rate = catalog_rate(catalog, currency, as_of);

    if (rate)
        return rate->per_usd;
    return strcmp(currency, DOLLAR) == 0 ? 1 : (double)NAN;
}

double catalog_amount(const struct catalog *catalog, double amount, const char *from, day as_of)
{
    if (strcmp(from, catalog_currency(catalog)) == 0)
        return amount;
    return amount / per_usd(catalog, from, as_of) * (catalog->rate ? catalog->rate->per_usd : 1);
}

const char *catalog_currencies(const struct catalog *catalog, day as_of, struct arena *arena)
{
    const day forever = 99991231;
    const char *list = DOLLAR;

    for (size_t i = 0; i < catalog->n_rates;) {
        const char *currency = catalog->rates[i].currency;
        if (catalog->rates[i].observed <= as_of) /* the first rate of the currency */
            list = arena_print(arena, "%s, %s", list, currency);
        i = rates_up_to(catalog, currency, forever);
    }
    return list;
}
