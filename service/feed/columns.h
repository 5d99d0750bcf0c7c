/* columns.h - decodes the fields of a record by a field table: by name, type and range. */
#ifndef FEED_COLUMNS_H
#define FEED_COLUMNS_H

#include "feed/feed.h"

/* Maps a format's fields to positions in a record. */
struct feed_columns {
    size_t n;                    /* fields per record */
    size_t at[FEED_COLUMNS_MAX]; /* by field of the table; SIZE_MAX if not in the file */
};

/* True if a file's column name matches the field; blanks and slashes match underscores.
 */
bool feed_same_column(const char *field, const char *header);

/* True if a file of the format must have the column. */
bool feed_column_required(const struct feed_format *format, const struct field *field);

/* Read the header from the current record of csv. */
bool feed_read_header(const struct feed_format *format, const struct csv *csv,
                      struct feed_columns *columns, struct err *err) MUST_CHECK;

/* Decode a record into the struct of the fields; false, with the reason in `why`, if it breaks a
 * rule. */
bool feed_read_record(const struct feed_format *format, const struct feed_columns *columns,
                      const struct csv *csv, void *row, char *why, size_t size) MUST_CHECK;

#endif
