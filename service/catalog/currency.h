/* currency.h - currency conversion: rates by day, single amounts, and a view of the whole catalogue
 * in one currency. */
#ifndef CATALOG_CURRENCY_H
#define CATALOG_CURRENCY_H

#include "catalog/catalog.h"

/* The currency of the catalogue's amounts: USD as loaded. */
const char *catalog_currency(const struct catalog *catalog);

/* The latest rate of the currency up to the day; NULL if there is none, and for USD. */
const struct exchange_rate *catalog_rate(const struct catalog *catalog, const char *currency,
                                         day as_of);

/* A view of the catalogue in `currency` at the rate of the day: assumptions are converted at once,
 * offers and hardware on access. NULL if there is no rate. Allocated in the arena; valid as long as
 * the loaded catalogue. A view of a view is made from its origin. */
const struct catalog *catalog_in_currency(const struct catalog *catalog, const char *currency,
                                          day as_of, struct arena *arena);

/* Converts an amount in currency `from` to the catalogue's currency at the rates of the day. Exact
 * if the currencies are equal; NAN if a rate is missing. */
double catalog_amount(const struct catalog *catalog, double amount, const char *from, day as_of);

/* The currencies with a rate on the day, as "USD, CHF, EUR". */
const char *catalog_currencies(const struct catalog *catalog, day as_of, struct arena *arena);

#endif
