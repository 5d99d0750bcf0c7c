/* feed.h - reading a price feed: bytes in, checked rows of our tables out, and for every row of the
 * file that gave none the reason. No files, no database.
 *
 * A format is a field table (what columns it has) and a function that makes rows of a record.
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

/* What is read, and what is to be known of it. */
struct feed_input {
    const char *bytes;
    size_t n;
    const char *provider; /* the provider; "" if the rows name it */
    const char *observed; /* yyyy-mm-dd, for rows without a date; "" if all must have one */
    const char *source;   /* for rows that do not say */
    const struct feed_known *known;
    bool new_providers; /* offers of unknown providers are accepted */
};

/* A row of the file that was refused. */
struct feed_refusal {
    size_t line;
    const char *text; /* the line, not NUL-terminated */
    size_t length;
    const char *why;
    const char *unknown; /* the accelerator's name if it has no row in gpu_name, else NULL */
};

struct feed_sink {
    void *context;
    /* A row of the table, in the order of its columns, NULL for null; borrowed for the call. False
     * ends the reading. A line may give several rows. */
    bool (*row)(void *context, size_t line, const char *const *values);
    void (*refuse)(void *context, const struct feed_refusal *refusal);
};

/* Each row of the file is one of these. */
struct feed_counts {
    size_t read, good, refused;
    size_t no_gpu;   /* passed: about something else */
    size_t no_price; /* skipped: not offered, or the price is unknown */
};

/* A table of ours that a feed fills. */
struct feed_table {
    const char *name;
    const char *const *columns;
    size_t n_columns;
    const char *key;     /* columns that name what a row is about, by commas */
    const char *content; /* columns in which two rows about one thing must agree */
};

struct feed_reader;

/* The outcome of a record. */
enum feed_fate {
    FEED_GOOD,
    FEED_REFUSED,
    FEED_NO_GPU,
    FEED_NO_PRICE,
    FEED_LATER, /* to be settled at the end of the file */
};

struct feed_format {
    const char *name, *sentence;
    struct fields fields;
    size_t row_size; /* of the struct of the fields */
    bool open;       /* unknown columns are ignored */
    bool many;       /* its rows name the provider */
    bool dated;      /* its rows have a date */
    const char
        *next; /* the member of a JSON reply that names the next page; NULL: there is one page */
    const char *index; /* the file that names the {version} of an address; NULL: "version" does */
    const char *rows;  /* where the rows of a JSON document are (json_rows.h); NULL: it is CSV */
    const char *home;  /* the publisher's public address of such files; NULL: the format is ours */
    const char *needs; /* columns that have to be there though cells may be empty; by blanks */
    const struct feed_table *table;
    enum feed_fate (*take)(struct feed_reader *reader, const void *row);
    void (*finish)(struct feed_reader *reader); /* NULL: nothing is left for later */
};

/* One file being read; for the formats. */
struct feed_reader {
    const struct feed_format *format;
    const struct feed_input *input;
    const struct feed_sink *sink;
    struct feed_counts counts;
    struct csv csv;
    struct arena arena; /* until the end of the file */
    void *state;        /* the format's own */
    char published[11]; /* the day that stands before the header; "": none does */
    char why[320];
    char unknown[FEED_NAME_MAX];
    bool stopped; /* by the sink */
};

enum { FEED_COLUMNS_MAX = 64 };

/* Every format, the last one NULL. */
extern const struct feed_format *const feed_formats[];

/* NULL where there is none of that name. */
const struct feed_format *feed_format_find(const char *name);
/* Detected by the header of the file or the first row of a JSON document; NULL if no format
 * matches, with an error that says what the file has. */
const struct feed_format *feed_format_guess(const char *bytes, size_t n, struct err *err);

/* Read all of it. False if the whole file is unusable, or the sink ended it. */
bool feed_read(const struct feed_format *format, const struct feed_input *input,
               const struct feed_sink *sink, struct feed_counts *counts,
               struct err *err) MUST_CHECK;

/* For the formats: give a row to the sink; refuse a record, saying why; settle one left for later.
 */
void feed_give(struct feed_reader *reader, size_t line, const char *const *values);
enum feed_fate feed_refuse(struct feed_reader *reader, const char *fmt, ...) PRINTF_LIKE(2, 3);
void feed_settle(struct feed_reader *reader, enum feed_fate fate, size_t line, const char *text,
                 size_t length);

/* A number as the text that reads back as it; `to` takes 32 bytes. */
const char *feed_print(double number, char to[32]);

#endif
