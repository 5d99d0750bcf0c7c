/* import.h - imports rows of a feed into the database: one transaction and one row of feed_run per
 * file, which can be undone. Used from one thread. */
#ifndef STORE_IMPORT_H
#define STORE_IMPORT_H

#include "base/err.h"
#include "catalog/model.h"
#include "feed/feed.h"

#include <stdint.h>

struct import;

/* Connect to a writable server, as gpuplan_importer if this user may, and read the catalogue's
 * known names. Returns NULL after a failure. */
struct import *import_open(const char *conninfo, struct err *err) MUST_CHECK;
void import_close(struct import *import); /* rolls back what is not committed; NULL is allowed */

/* What the catalogue knows, as of import_open() or import_learn(); valid until the next of
 * these. */
const struct feed_known *import_known(const struct import *import);
/* Read it again, after a file that may have added GPUs. */
bool import_learn(struct import *import, struct err *err) MUST_CHECK;

/* A file to import. */
struct import_file {
    const char *format, *file, *sha256;
    const char *provider, *observed; /* "" if the rows contain it */
    const char *feed_source;         /* NULL if given by hand */
    size_t direct_bytes; /* its size if rows may go straight into the catalogue; 0 if new providers
                          * come first */
};

/* Begin a transaction; up to import_commit() all files are imported or none. */
bool import_begin(struct import *import, struct err *err) MUST_CHECK;
bool import_commit(struct import *import, struct err *err) MUST_CHECK;
bool import_rollback(struct import *import, struct err *err) MUST_CHECK;

/* An earlier run of the same file that has not been undone. */
struct import_earlier {
    int64_t run; /* 0 if there is none */
    bool whole;  /* no row was refused or undone: there is nothing to do and no run is begun */
};

/* Begin a run. */
bool import_start(struct import *import, const struct import_file *file,
                  const struct feed_table *table, struct import_earlier *earlier,
                  struct err *err) MUST_CHECK;

/* Add a row of the table. Suitable for struct feed_sink: the reason of a failure is returned by the
 * next call.
 */
bool import_row(void *import, size_t line, const char *const *values);

/* Lines with different values for the same key. */
struct import_contradiction {
    size_t line, other;
};

/* Check after the last row: returns contradictions, which the caller frees. */
bool import_check(struct import *import, struct import_contradiction **out, size_t *n,
                  struct err *err) MUST_CHECK;
/* Merge the rows into the catalogue, and unknown providers if new_providers is set; sets *changed
 * to the number of lines that changed something. */
bool import_take(struct import *import, bool new_providers, size_t *changed,
                 struct err *err) MUST_CHECK;

/* The result of a run: every row of the file is counted once. */
struct import_counts {
    size_t taken, unchanged, passed, refused;
};
bool import_finish(struct import *import, const struct import_counts *counts, int64_t *run,
                   struct err *err) MUST_CHECK;

/* Undo a run; sets *rows to the number of rows. */
bool import_undo(struct import *import, int64_t run, size_t *rows, struct err *err) MUST_CHECK;

/* A row of table feed_source, as text. */
struct import_source {
    const char *name, *url, *format, *provider, *interval_hours, *licence, *attribution;
    const char *enabled, *due; /* "t" or "f" */
    const char *etag, *last_success, *last_error;
};
/* All sources sorted by name, in the arena. */
bool import_sources(struct import *import, struct arena *arena, struct import_source **sources,
                    size_t *n, struct err *err) MUST_CHECK;
/* Record the result: `error`, or NULL for success, with the ETag of the imported file. */
bool import_source_done(struct import *import, const char *name, const char *etag,
                        const char *error, struct err *err) MUST_CHECK;

/* A run as listed, all as text. */
struct import_run {
    const char *run, *at, *by, *format, *provider, *observed, *file, *sha256;
    const char *read, *taken, *unchanged, *passed, *refused, *undone;
};
/* The runs, newest first, in the arena. */
bool import_list(struct import *import, struct arena *arena, struct import_run **runs, size_t *n,
                 struct err *err) MUST_CHECK;

#endif
