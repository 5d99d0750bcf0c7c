/* writing.h - all that the daemon writes: changes of quotes and the archive of replies, on one
 * thread with one connection, so that whoever answers requests never waits for the database. */
#ifndef WRITING_H
#define WRITING_H

#include "catalog/archive.h"
#include "catalog/quote.h"
#include "http/admin.h"
#include "http/thread_pool.h"
#include "store/archive.h"
#include "store/quote_store.h"

#include <stdatomic.h>

struct writing {
    struct thread_pool *pool;    /* of the one thread */
    struct quote_writer quotes;  /* to be called on it */
    struct archive archive;      /* its find() as well */
    struct db_writer *db_writer; /* used on it only, like the two that follow */
    struct quote_store *quote_store;
    struct archive_store *archive_store;
    atomic_uint waiting; /* replies, for the thread */
    atomic_bool ending;  /* what waits is stored only where the database is there */
};

/* `database` as of db_open(), archive_bytes as of archive_store_new(). The struct stays where it
 * is. False with *err where the thread is refused; stop it all the same. */
bool writing_start(struct writing *writing, const char *database, size_t archive_bytes,
                   struct err *err);
/* Once nobody asks for anything; one that was not started is fine. */
void writing_stop(struct writing *writing);
/* What has come of it all, for the metrics. */
void writing_count(const struct writing *writing, struct admin_status *status);

#endif
