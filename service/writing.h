/* writing.h - the writer thread: quotes, own runs and archived replies are written by one thread on
 * one connection, so that worker threads never wait for the database.
 */
#ifndef WRITING_H
#define WRITING_H

#include "catalog/archive.h"
#include "catalog/measurement.h"
#include "catalog/quote.h"
#include "http/admin.h"
#include "http/thread_pool.h"
#include "store/archive.h"
#include "store/quote_store.h"

#include <stdatomic.h>

struct writing {
    struct thread_pool *pool;               /* the single writer thread */
    struct quote_writer quotes;             /* call on that thread only */
    struct measurement_writer measurements; /* likewise */
    struct archive archive;                 /* likewise, including find() */
    struct db_writer *db_writer;            /* this and the next two are used on that thread only */
    struct quote_store *quote_store;
    struct archive_store *archive_store;
    atomic_uint waiting; /* replies queued for the thread */
    atomic_bool ending;  /* queued replies are stored only if the database answers */
};

/* `database` as for db_open(), archive_bytes as for archive_store_new(). The struct must not move.
 * Returns false with *err if the thread cannot be created; call writing_stop() even then. */
bool writing_start(struct writing *writing, const char *database, size_t archive_bytes,
                   struct err *err);
/* Call after the last request; does nothing if it was not started. */
void writing_stop(struct writing *writing);
/* Counters for the metrics. */
void writing_count(const struct writing *writing, struct admin_status *status);

#endif
