/* history.h - former versions of rows that carry no dates, used to undo changes.
 *
 * Each change stores only the row's previous version. The rows of a past day are today's rows with
 * all later changes undone, recomputed for each query: a catalogue that was edited on a thousand
 * days is a thousand rows larger, not a thousand catalogues.
 */
#ifndef CATALOG_HISTORY_H
#define CATALOG_HISTORY_H

#include "base/arena.h"
#include "catalog/offer.h"

/* The version of a row before day `until`, back to the previous change. */
struct history_row {
    const void *row;
    day until;
    bool gone; /* the row did not exist: only the key of `row` is set */
};

/* The former rows of one table. The version as of a day is the first one of its key whose `until`
 * is later. */
struct history {
    struct history_row *rows; /* sorted by key, then until */
    size_t n, n_keys, row_size;
    int (*compare)(const void *row, const void *other); /* compares keys only */
    day newest; /* the latest `until`: nothing has changed since */
};

/* The change of one field, for the audit trail. */
struct row_change {
    double number; /* in order of change */
    const char *table, *key, *action;
    const char *changed_at, *changed_by;
    const char *field, *before, *after; /* "" if the row was added or removed */
    day recorded;
};

/* Call after filling in the rows. */
void history_sort(struct history *history);

/* The former rows with the same key as `like`, in order of days; sets *n. Call history_sort()
 * first. */
struct history_row *history_find(const struct history *history, const void *like, size_t *n);

/* Today's *n rows, sorted by key, as of a day: `now` itself if nothing has changed since, otherwise
 * an array in the arena. */
void *history_as_of(const struct history *history, void *now, size_t *n, day as_of,
                    struct arena *arena);

/* True if a row changed between the two days, given in either order. */
bool history_differs(const struct history *history, day a, day b);

#endif
