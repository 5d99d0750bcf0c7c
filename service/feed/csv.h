/* csv.h - comma-separated values after RFC 4180, one record at a time, each with its line.
 *
 * LF or CRLF ends a record, a UTF-8 byte order mark is skipped, empty lines do not count. What
 * cannot be read costs one line: reading goes on with the next.
 */
#ifndef FEED_CSV_H
#define FEED_CSV_H

#include <stdbool.h>
#include <stddef.h>

enum { CSV_FIELDS_MAX = 128, CSV_RECORD_MAX = 65536 };

struct csv {
    const char *next, *end; /* not read yet */
    char delimiter;         /* a comma; another may be set after csv_open() */
    size_t next_line;
    /* The record read last. */
    size_t line;       /* its first line, from 1 */
    const char *start; /* that line as it stands in the file */
    size_t length;
    const char *why; /* what is wrong with it; NULL: nothing, and the fields are these */
    size_t n;
    const char *at[CSV_FIELDS_MAX];
    char text[CSV_RECORD_MAX + CSV_FIELDS_MAX];
};

/* `bytes` stays with the caller and outlives the reading. */
void csv_open(struct csv *csv, const char *bytes, size_t n);

/* Read the next record, good or bad; false at the end. */
bool csv_next(struct csv *csv);

/* The field as a number; NAN where it is none. */
double csv_number(const struct csv *csv, int column);

#endif
