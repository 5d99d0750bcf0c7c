/* history.h - what rows without days of their own said earlier: what changes are undone with.
 *
 * For each change only the row before it is stored. The rows of a past day are those of today with
 * every later change undone, made anew for each question: a catalogue that was edited on a thousand
 * days is a thousand rows bigger, not a thousand catalogues.
 */
#ifndef CATALOG_HISTORY_H
#define CATALOG_HISTORY_H

#include "base/arena.h"
#include "catalog/offer.h"

/* A row as it was on the days before `until`, back to its former change. */
struct history_row {
    const void *row;
    day until;
    bool gone; /* it was not there: only the key of `row` is filled in */
};

/* The former rows of one table; that of a day is the first of its key with a later `until`. */
struct history {
    struct history_row *rows; /* by key, then until */
    size_t n, n_keys, row_size;
    int (*compare)(const void *row, const void *other); /* by key alone */
    day newest; /* the latest `until`: from then on nothing has changed */
};

/* What one change made of one field, for who wants to know who did it. */
struct row_change {
    double number; /* in the order they were made */
    const char *table, *key, *action;
    const char *changed_at, *changed_by;
    const char *field, *before, *after; /* "" of a row that came or went */
    day recorded;
};

/* After the rows were filled in. */
void history_sort(struct history *history);

/* The `*n` former rows with the key of `like`, in order of days. After history_sort(). */
struct history_row *history_find(const struct history *history, const void *like, size_t *n);

/* The `*n` rows of today, sorted by key, as they were on a day: `now` itself where nothing has
 * changed since, else an array of the arena's. */
void *history_as_of(const struct history *history, void *now, size_t *n, day as_of,
                    struct arena *arena);

/* Whether a row became another between the two days, whichever is the earlier. */
bool history_differs(const struct history *history, day a, day b);

#endif
