/* writing.h - the writer thread: quotes, own runs and the archive of replies are written on one
 * thread with one connection, so that worker threads never wait for the database.
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
    struct thread_pool *pool;               /* has one thread, the writer */
    struct quote_writer quotes;             /* call on that thread only */
    struct measurement_writer measurements; /* likewise */
    struct archive archive;                 /* likewise, find() included */
    struct db_writer *db_writer;            /* this and the two below: on that thread only */
    struct quote_store *quote_store;
    struct archive_store *archive_store;
    atomic_uint waiting; /* replies queued for the thread */
    atomic_bool ending;  /* queued replies are stored only if the database answers */
};

/* `database` as of db_open(), archive_bytes as of archive_store_new(). The struct stays where it
 * is. False with *err where the thread is refused; stop it all the same. */
bool writing_start(struct writing *writing, const char *database, size_t archive_bytes,
                   struct err *err);
/* Call after the last request; does nothing if it was not started. */
void writing_stop(struct writing *writing);
/* Counters for the metrics. */
void writing_count(const struct writing *writing, struct admin_status *status);

#endif
