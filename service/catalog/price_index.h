/* price_index.h - a matched-model index of rent (Jevons): what the same offers cost at other times,
 * so that a change of mix is no change of price.
 *
 * An offer is the same where provider, GPU, GPUs of the machine, purchase option and who owns the
 * machine are; of a quarter its cheapest observation counts, in any region. Compared are pairs: an
 * offer's newest price, of the year before the day, and its price of an earlier quarter. The
 * logarithms of their ratios are averaged over the offers of a provider, then over providers, whose
 * prices move apart from one another; from their spread is the 95 % interval (Student's t).
 */
#ifndef CATALOG_PRICE_INDEX_H
#define CATALOG_PRICE_INDEX_H

#include "catalog/price.h"

struct price_change {
    double ratio, low, high; /* to the newest prices; NAN: no pair, of the ends: few providers */
    size_t n_pairs, n_providers;
};

struct price_index {
    struct price_quarter {
        day from;                  /* its first day */
        struct price_change level; /* 1 in the last quarter */
    } * quarters;                  /* that have pairs, ascending, and the last one observed */
    size_t n;
    struct price_change per_year; /* of pairs at least a year apart; 1: none */
    day first, last;              /* observed among those, 0: none */
};

/* Over all GPUs where the query names none; its job is not read. */
struct price_index price_index_of(const struct catalog *catalog, const struct price_query *query,
                                  struct arena *arena);

/* The price change since `then` of the offers that were valid on both days, seen in the year before
 * `then` and again since. */
struct price_change price_index_since(const struct catalog *catalog,
                                      const struct price_query *query, day then);

#endif
