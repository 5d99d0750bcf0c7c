/* ask_table.h - a TSV sheet as columns that a person can read. */
#ifndef ASK_TABLE_H
#define ASK_TABLE_H

#include "base/buf.h"

/* Columns are as wide as their cells, up to a limit; those of numbers are set flush right. */
void ask_table(const char *tsv, struct buf *out);

#endif
