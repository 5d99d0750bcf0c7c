/* ask_table.h - tab-separated values as text in columns that fit a terminal. */
#ifndef COMMAND_ASK_TABLE_H
#define COMMAND_ASK_TABLE_H

#include "base/buf.h"

/* Columns with words flush left, columns of numbers flush right; the first line is the head. Cells
 * too long for their column go on in the lines below. Columns that do not fit into `width` come
 * after the others, beneath them, with the first column again. */
void ask_table(const char *tsv, size_t width, struct buf *out);

#endif
