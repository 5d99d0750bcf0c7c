/* archive.h - the table of replies to pinned links: bounded, and nothing in it is dropped.
 *
 * When it is full, nothing more is stored: evicting the least recently used would let anyone who
 * requests many links remove those that an order was signed on.
 */
#ifndef STORE_ARCHIVE_H
#define STORE_ARCHIVE_H

#include "catalog/archive.h"
#include "store/db_writer.h"

#include <stdint.h>

struct archive_store;

/* The connection is borrowed; max_bytes of disk, 0: nothing is stored. */
struct archive_store *archive_store_new(struct db_writer *writer, size_t max_bytes);
void archive_store_free(struct archive_store *store); /* NULL is fine */

/* What came of the replies so far; to be read from any thread. */
enum archive_outcome {
    ARCHIVE_STORED,
    ARCHIVE_KNOWN,   /* it was there before, and stays as it was */
    ARCHIVE_FULL,    /* the table is */
    ARCHIVE_LIMITED, /* it is too long, or its client has had its share of the day */
    ARCHIVE_BUSY,    /* too many were waiting */
    ARCHIVE_FAILED,  /* no database */
    ARCHIVE_OUTCOMES
};
extern const char *const archive_outcome_names[ARCHIVE_OUTCOMES];
void archive_store_count(struct archive_store *store, enum archive_outcome outcome);
uint64_t archive_store_counted(struct archive_store *store, enum archive_outcome outcome);

/* Store a reply and count what came of it. Like the next, from one thread at a time. */
void archive_store_keep(struct archive_store *store, const struct archive_entry *entry);
/* The `find` of struct archive, whose context differs: see there. */
bool archive_store_find(struct archive_store *store, const char *key, struct buf *body,
                        char at[ARCHIVE_TIME_SIZE], struct err *err) MUST_CHECK;

#endif
