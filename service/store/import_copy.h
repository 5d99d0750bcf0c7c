/* import_copy.h - writes rows as COPY reads them. */
#ifndef STORE_IMPORT_COPY_H
#define STORE_IMPORT_COPY_H

#include "base/buf.h"
#include "feed/feed.h"

/* Add the row's line and values, without the newline, in which a caller may add more. */
void import_copy_row(struct buf *copy, const struct feed_table *table, size_t line,
                     const char *const *values);

#endif
