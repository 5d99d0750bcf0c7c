/* offer_index.h - the offers of one GPU with all observations: built once, then read-only, and
 * shared by successive snapshots until one of the offers changes. */
#ifndef CATALOG_OFFER_INDEX_H
#define CATALOG_OFFER_INDEX_H

#include "base/err.h"
#include "base/arena.h"
#include "catalog/offer.h"

struct offer_index {
    struct arena arena;      /* owns the members below */
    unsigned users;          /* number of snapshots that use it; changed by the loading thread
                              * only */
    const char *gpu;         /* slug */
    const char *stamp;       /* differs after every change of the GPU's offers; "" if unknown */
    struct rental **rentals; /* in offer_index_order() */
    size_t n_rentals, n_observations;
};

/* An observation as read from the database; texts are borrowed, rental.quote and rental.seen are
 * not set. */
struct offer_index_row {
    struct rental rental;
    struct origin origin;
    struct observation seen;
};

struct offer_index_maker;

struct offer_index_maker *offer_index_begin(const char *gpu, const char *stamp);
/* Add a row of that GPU, in any order; the row is copied. */
void offer_index_add(struct offer_index_maker *maker, const struct offer_index_row *row);
/* The same in two steps: add the rental, which is returned as stored, then each of its
 * observations. */
struct rental *offer_index_keep(struct offer_index_maker *maker, struct rental rental);
void offer_index_see(struct offer_index_maker *maker, struct rental *kept, struct origin origin,
                     struct observation seen);
/* Sort, and return the index with one user. */
struct offer_index *offer_index_end(struct offer_index_maker *maker);

/* Drop one user; the last one frees it. NULL is allowed. */
void offer_index_release(struct offer_index *index);

/* Comparison function for sort_items() on `struct rental *`: GPU, purchase option, provider, id. */
int offer_index_order(const void *left, const void *right);

/* Number of observations up to the day. */
size_t offer_index_known(const struct rental *rental, day as_of);
/* The first day an observation is no longer valid: the day of the next one, or the source's own end
 * date if earlier; 0 if still valid. */
day offer_index_until(const struct rental *rental, const struct observation *seen);
/* The observation valid on the day, or NULL. */
const struct observation *offer_index_at(const struct rental *rental, day as_of);

#endif
