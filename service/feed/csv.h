/* csv.h - a reader of comma-separated values (RFC 4180), one record at a time, with line numbers.
 *
 * A record ends with LF or CRLF; a UTF-8 byte order mark and empty lines are skipped. A malformed
 * record costs one line: reading continues with the next.
 */
#ifndef FEED_CSV_H
#define FEED_CSV_H

#include <stdbool.h>
#include <stddef.h>

enum { CSV_FIELDS_MAX = 128, CSV_RECORD_MAX = 65536 };

struct csv {
    const char *next, *end; /* the unread rest */
    char delimiter;         /* a comma unless changed after csv_open() */
    size_t next_line;
    /* The last record read. */
    size_t line;       /* its first line, counted from 1 */
    const char *start; /* the text of that line in the file */
    size_t length;
    const char *why; /* why it is malformed; NULL if the fields below are valid */
    size_t n;
    const char *at[CSV_FIELDS_MAX];
    char text[CSV_RECORD_MAX + CSV_FIELDS_MAX];
};

/* `bytes` is borrowed and must outlive the reading. */
void csv_open(struct csv *csv, const char *bytes, size_t n);

/* Read the next record, valid or not; false at the end. */
bool csv_next(struct csv *csv);

/* The field as a number; NAN if it is not one. */
double csv_number(const struct csv *csv, unsigned column);

#endif
