/* price_index.h - a matched-model price index of rent (Jevons): the prices of the same offers at
 * different times, so that a change in the mix of offers is not a price change.
 *
 * Offers are the same if provider, GPU, GPUs per machine, purchase option and owner type are equal;
 * each quarter counts an offer's cheapest observation in any region. A pair is an offer's newest
 * price, within the year before the day, and its price in an earlier quarter. The log price ratios
 * are averaged over each provider's offers, then over providers, whose prices move independently;
 * their spread gives the 95 % interval (Student's t).
 */
#ifndef CATALOG_PRICE_INDEX_H
#define CATALOG_PRICE_INDEX_H

#include "catalog/price.h"

struct price_change {
    double ratio, low, high; /* relative to the newest prices; ratio is NAN without pairs, low and
                              * high also with too few providers */
    size_t n_pairs, n_providers;
};

struct price_index {
    struct price_quarter {
        day from;                  /* first day of the quarter */
        struct price_change level; /* 1 in the last quarter */
    } * quarters;                  /* quarters with pairs, ascending, and the last one observed */
    size_t n;
    struct price_change per_year; /* from pairs at least a year apart; 1 if there are none */
    day first, last;              /* first and last observation among those pairs; 0 if none */
};

/* Covers all GPUs if the query names none; the query's job is ignored. */
struct price_index price_index_of(const struct catalog *catalog, const struct price_query *query,
                                  struct arena *arena);

enum { PRICE_CHANGES_MAX = 4 };

/* The price changes since each of `n` days, up to PRICE_CHANGES_MAX, of offers that were valid on
 * that day and are on the query's, observed in the year before it and again since. */
void price_index_since(const struct catalog *catalog, const struct price_query *query,
                       const day *since, size_t n, struct price_change *changes);

#endif
