/* workbook_address.h - replaces the address that a workbook fetches from, in place, in uncompressed
 * ZIP members: blanks after the address leave room for a longer one, so the archive keeps its
 * size. */
#ifndef HTTP_FILES_WORKBOOK_ADDRESS_H
#define HTTP_FILES_WORKBOOK_ADDRESS_H

#include "base/buf.h"

/* True if the file is a workbook that contains the address set by api/sheets/make.py. */
bool workbook_address_in(const struct buf *file);

/* Copy such a file with a new address. If the new address needs XML escaping or does not fit, the
 * copy keeps the old one. */
void workbook_address_fill(struct buf *out, const struct buf *file, const char *address);

#endif
