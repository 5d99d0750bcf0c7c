/* import_direct.h - which rows of offers go straight into their table. COPY costs the server little
 * more than half of what rows cost that pass through a temporary table to be compared there, so
 * only those do that may be in the table already, or come twice in the file. */
#ifndef STORE_IMPORT_DIRECT_H
#define STORE_IMPORT_DIRECT_H

#include "base/buf.h"
#include "base/number.h"
#include "store/db.h"
#include "store/import_keys.h"

/* Initialise to zero for each file. */
struct import_direct {
    bool on;
    struct import_keys known;  /* observations that were there before the file */
    struct buf rest;           /* rows to be compared, as COPY takes them */
    size_t n_lines, last_line; /* lines of the rows that went straight */
    bool out_of_order;         /* a line may have been counted twice */
};

/* Go straight if the file is large and there is not much to compare it with. Call inside a
 * transaction. */
bool import_direct_begin(struct import_direct *direct, PGconn *conn, size_t file_bytes,
                         struct err *err) MUST_CHECK;
void import_direct_end(struct import_direct *direct);

/* True if the row, whose key is new in its file, goes straight: nothing is known of its offer on
 * its day. Counts its line and prints what it costs per GPU, as the database computes it. */
bool import_direct_takes(struct import_direct *direct, size_t line, const char *const *values,
                         char per_gpu[NUMBER_SIZE]);

/* The columns of the table after those of the feed, for COPY: price per GPU and run. */
#define IMPORT_DIRECT_COLUMNS "price_per_gpu_hour, run_id"
/* Moves the rows of run $1 back to "incoming" whose key is that of a row there. */
extern const char import_direct_recall[];

#endif
