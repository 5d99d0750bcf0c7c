/* workbook_address.h - the address that a workbook fetches from, replaced in its stored ZIP
 * members: the archive keeps its size, as blanks after the address leave room for a longer one. */
#ifndef HTTP_FILES_WORKBOOK_ADDRESS_H
#define HTTP_FILES_WORKBOOK_ADDRESS_H

#include "base/buf.h"

/* Whether the file is a workbook with the address that api/sheets/make.py puts in. */
bool workbook_address_in(const struct buf *file);

/* A copy of such a file with another address; with the same one where the other is not plain text
 * for XML, or longer than there is room for. */
void workbook_address_fill(struct buf *out, const struct buf *file, const char *address);

#endif
