/* command/import.h - the rows of a feed into the database: a transaction and a row of feed_run for
 * each file, which can be undone. From one thread. */
#ifndef STORE_IMPORT_H
#define STORE_IMPORT_H

#include "base/err.h"
#include "catalog/model.h"
#include "feed/feed.h"

#include <stdint.h>

struct import;

/* Connect to a server that can be written to, as gpuplan_importer where this user may, and read
 * what the catalogue knows. NULL after a failure. */
struct import *import_open(const char *conninfo, struct err *err) MUST_CHECK;
void import_close(struct import *import); /* what is not committed is not done; NULL is fine */

/* What the catalogue knows, as of import_open() or import_learn(); borrowed until the next. */
const struct feed_known *import_known(const struct import *import);
/* Read it again, after a file that may have brought GPUs. */
bool import_learn(struct import *import, struct err *err) MUST_CHECK;

/* A file that is to be imported. */
struct import_file {
    const char *format, *file, *sha256;
    const char *provider, *observed; /* "": the rows say */
    const char *feed_source;         /* NULL: given by hand */
};

/* Begin a transaction; all files until import_commit() are taken or none is. */
bool import_begin(struct import *import, struct err *err) MUST_CHECK;
bool import_commit(struct import *import, struct err *err) MUST_CHECK;
bool import_rollback(struct import *import, struct err *err) MUST_CHECK;

/* A run of the same file that has not been undone. */
struct import_earlier {
    int64_t run; /* 0: there is none */
    bool whole;  /* no row was refused or taken back: there is nothing to do, no run is begun */
};

/* Begin a run. */
bool import_start(struct import *import, const struct import_file *file,
                  const struct feed_table *table, struct import_earlier *earlier,
                  struct err *err) MUST_CHECK;

/* Add a row of the table; for a struct feed_sink, the reason of a failure comes from the next call.
 */
bool import_row(void *import, size_t line, const char *const *values);

/* Lines that say different things of one key. */
struct import_contradiction {
    size_t line, other;
};

/* All rows are there: refuse contradictions (to be freed by the caller). */
bool import_check(struct import *import, struct import_contradiction **out, size_t *n,
                  struct err *err) MUST_CHECK;
/* Merge them into the catalogue, together with unknown providers if those are accepted; returns
 * the number of lines that changed something. */
bool import_take(struct import *import, bool new_providers, size_t *changed,
                 struct err *err) MUST_CHECK;

/* How a run went: every row of the file is in one of the four. */
struct import_counts {
    size_t taken, unchanged, passed, refused;
};
bool import_finish(struct import *import, const struct import_counts *counts, int64_t *run,
                   struct err *err) MUST_CHECK;

/* Take back what a run did; the number of rows. */
bool import_undo(struct import *import, int64_t run, size_t *rows, struct err *err) MUST_CHECK;

/* A row of table feed_source, all as text. */
struct import_source {
    const char *name, *url, *format, *provider, *interval_hours, *licence, *attribution;
    const char *enabled, *due; /* "t" or "f" */
    const char *etag, *last_success, *last_error;
};
/* All of them by name, in the arena. */
bool import_sources(struct import *import, struct arena *arena, struct import_source **sources,
                    size_t *n, struct err *err) MUST_CHECK;
/* Note how it went: `error`, or NULL, and then the ETag of what was imported. */
bool import_source_done(struct import *import, const char *name, const char *etag,
                        const char *error, struct err *err) MUST_CHECK;

/* A run as it is listed, all as text. */
struct import_run {
    const char *run, *at, *by, *format, *provider, *observed, *file, *sha256;
    const char *read, *taken, *unchanged, *passed, *refused, *undone;
};
/* The newest runs first, in the arena. */
bool import_list(struct import *import, struct arena *arena, struct import_run **runs, size_t *n,
                 struct err *err) MUST_CHECK;

#endif
