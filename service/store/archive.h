/* archive.h - the table of replies to pinned links: bounded, with no eviction.
 *
 * When it is full, nothing more is stored: evicting the least recently used would let anyone who
 * requests many links remove replies that an order was based on.
 */
#ifndef STORE_ARCHIVE_H
#define STORE_ARCHIVE_H

#include "catalog/archive.h"
#include "store/db_writer.h"

#include <stdint.h>

struct archive_store;

/* The connection is borrowed; max_bytes limits the disk space, 0 disables storing. */
struct archive_store *archive_store_new(struct db_writer *writer, size_t max_bytes);
void archive_store_free(struct archive_store *store); /* NULL is allowed */

/* Outcomes of replies so far; readable from any thread. */
enum archive_outcome {
    ARCHIVE_STORED,
    ARCHIVE_KNOWN,   /* already stored; left unchanged */
    ARCHIVE_FULL,    /* the table is full */
    ARCHIVE_LIMITED, /* too long, or the client has used its daily share */
    ARCHIVE_BUSY,    /* too many were queued */
    ARCHIVE_FAILED,  /* no database */
    ARCHIVE_OUTCOMES
};
extern const char *const archive_outcome_names[ARCHIVE_OUTCOMES];
void archive_store_count(struct archive_store *store, enum archive_outcome outcome);
uint64_t archive_store_counted(struct archive_store *store, enum archive_outcome outcome);

/* Store a reply and count the outcome. This and the next: one thread at a time. */
void archive_store_keep(struct archive_store *store, const struct archive_entry *entry);
/* Implements the `find` of struct archive, with the store as context. */
bool archive_store_find(struct archive_store *store, const char *key, struct buf *body,
                        char at[ARCHIVE_TIME_SIZE], struct err *err) MUST_CHECK;

#endif
