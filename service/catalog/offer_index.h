/* offer_index.h - the offers of one GPU with all their observations: made once, then only read, and
 * shared by the snapshots between which none of them changed. */
#ifndef CATALOG_OFFER_INDEX_H
#define CATALOG_OFFER_INDEX_H

#include "base/err.h"
#include "base/arena.h"
#include "catalog/offer.h"

struct offer_index {
    struct arena arena;      /* owns what follows */
    unsigned users;          /* snapshots it stands in; counted by the thread that loads them */
    const char *gpu;         /* slug */
    const char *stamp;       /* differs after every change of the GPU's offers; "": unknown */
    struct rental **rentals; /* by offer_index_order() */
    size_t n_rentals, n_observations;
};

/* An observation as it is read: texts borrowed, neither quote nor `seen` in its rental. */
struct offer_index_row {
    struct rental rental;
    struct origin origin;
    struct observation seen;
};

struct offer_index_maker;

struct offer_index_maker *offer_index_begin(const char *gpu, const char *stamp);
/* A row of that GPU, in any order; copies what it needs. */
void offer_index_add(struct offer_index_maker *maker, const struct offer_index_row *row);
/* The same in two steps, for a caller who knows the rental again: it as it is kept, then each
 * observation of it. */
struct rental *offer_index_keep(struct offer_index_maker *maker, struct rental rental);
void offer_index_see(struct offer_index_maker *maker, struct rental *kept, struct origin origin,
                     struct observation seen);
/* Put in order. The shelf has one user. */
struct offer_index *offer_index_end(struct offer_index_maker *maker);

/* One user less, NULL is fine; the last one's going frees it. */
void offer_index_release(struct offer_index *index);

/* Compare two `struct rental *const *`, for sort_items(): by GPU, purchase option, provider, id. */
int offer_index_order(const void *left, const void *right);

/* How many observations there are up to the day. */
size_t offer_index_known(const struct rental *rental, day as_of);
/* The first day an observation of the rental no longer holds: the day of the next one, or an
 * earlier one that the source names; 0: it still does. */
day offer_index_until(const struct rental *rental, const struct observation *seen);
/* The observation valid on the day, or NULL. */
const struct observation *offer_index_at(const struct rental *rental, day as_of);

#endif
