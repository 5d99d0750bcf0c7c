/* ask_table.h - formats tab-separated values as columns that fit a terminal. */
#ifndef COMMAND_ASK_TABLE_H
#define COMMAND_ASK_TABLE_H

#include "base/buf.h"

/* Text columns are left-aligned, number columns right-aligned; the first line is the header. Long
 * cells wrap within their column. Columns that do not fit into `width` follow below the others,
 * with the first column repeated. */
void ask_table(const char *tsv, size_t width, struct buf *out);

#endif
