/* feed.h - reads a price feed: turns bytes into checked rows of our tables, and gives a reason for
 * each row of the file that yields none. Accesses neither files nor the database.
 *
 * A format consists of a field table (its columns) and a function that converts a record to rows.
 */
#ifndef FEED_FEED_H
#define FEED_FEED_H

#include "base/attr.h"
#include "base/err.h"
#include "base/field/field.h"
#include "base/arena.h"
#include "feed/csv.h"
#include "feed/known.h"

#include <stdint.h>

/* The bytes to read, with context. */
struct feed_input {
    const char *bytes;
    size_t n;
    const char *provider; /* the provider; "" if the rows name it */
    const char *observed; /* yyyy-mm-dd, for rows without a date; "" if all rows must have one */
    const char *source;   /* for rows that do not name one */
    const struct feed_known *known;
    bool new_providers; /* accept offers of unknown providers */
};

/* A refused row of the file. */
struct feed_refusal {
    size_t line;
    const char *text; /* the line, not NUL-terminated */
    size_t length;
    const char *why;
    const char *unknown; /* the accelerator's name if it is not in gpu_name, else NULL */
};

struct feed_sink {
    void *context;
    /* Receives a row of the table, in column order, NULL for null; borrowed for the call. Returns
     * false to stop reading. One line may yield several rows. */
    bool (*row)(void *context, size_t line, const char *const *values);
    void (*refuse)(void *context, const struct feed_refusal *refusal);
};

/* Each row of the file is counted as one of these. */
struct feed_counts {
    size_t read, good, refused;
    size_t no_gpu;   /* skipped: not about a GPU */
    size_t no_price; /* skipped: not offered, or the price is unknown */
};

/* A table that a feed fills. */
struct feed_table {
    const char *name;
    const char *const *columns;
    size_t n_columns;
    const char *key;     /* comma-separated key columns */
    const char *content; /* columns in which two rows with the same key must agree */
};

struct feed_reader;

/* The outcome of a record. */
enum feed_fate {
    FEED_GOOD,
    FEED_REFUSED,
    FEED_NO_GPU,
    FEED_NO_PRICE,
    FEED_LATER, /* decided at the end of the file */
};

struct feed_format {
    const char *name, *sentence;
    struct fields fields;
    size_t row_size;  /* size of the decoded struct */
    bool open;        /* unknown columns are ignored */
    bool many;        /* rows name the provider */
    bool dated;       /* rows have a date */
    const char *next; /* the JSON member that gives the next page; NULL if there is only one page */
    const char *index; /* the file that gives the {version} of an address; NULL: use "version" */
    const char *rows;  /* location of the rows in a JSON document (json_rows.h); NULL for CSV */
    const char *home;  /* the publisher's address of such files; NULL for our own formats */
    const char *needs; /* space-separated columns that must exist although cells may be empty */
    const struct feed_table *table;
    enum feed_fate (*take)(struct feed_reader *reader, const void *row);
    void (*finish)(struct feed_reader *reader); /* NULL if nothing is deferred */
};

/* State while one file is read; for the formats. */
struct feed_reader {
    const struct feed_format *format;
    const struct feed_input *input;
    const struct feed_sink *sink;
    struct feed_counts counts;
    struct csv csv;
    struct arena arena; /* freed at the end of the file */
    void *state;        /* private to the format */
    char published[11]; /* date given before the header; "" if none */
    char why[320];
    char unknown[FEED_NAME_MAX];
    bool stopped; /* by the sink */
};

enum { FEED_COLUMNS_MAX = 64 };

/* All formats, terminated by NULL. */
extern const struct feed_format *const feed_formats[];

/* NULL if there is no format with that name. */
const struct feed_format *feed_format_find(const char *name);
/* Detects the format by the file's header or the first row of a JSON document. NULL if none
 * matches, with an error that lists what the file has. */
const struct feed_format *feed_format_guess(const char *bytes, size_t n, struct err *err);

/* Read everything. False if the whole file is unusable, or the sink stopped it. */
bool feed_read(const struct feed_format *format, const struct feed_input *input,
               const struct feed_sink *sink, struct feed_counts *counts,
               struct err *err) MUST_CHECK;

/* For the formats: give a row to the sink; refuse a record with a reason; settle a deferred record.
 */
void feed_give(struct feed_reader *reader, size_t line, const char *const *values);
enum feed_fate feed_refuse(struct feed_reader *reader, const char *fmt, ...) PRINTF_LIKE(2, 3);
void feed_settle(struct feed_reader *reader, enum feed_fate fate, size_t line, const char *text,
                 size_t length);

/* Format the number so that it reads back exactly; `to` holds 32 bytes. */
const char *feed_print(double number, char to[32]);

#endif
