/* zip.h - the one member of a ZIP archive (PKWARE APPNOTE 6.3), stored or deflated, its checksum
 * checked. An archive of several is refused: which of them is meant would be a guess. */
#ifndef FEED_ZIP_H
#define FEED_ZIP_H

#include "base/attr.h"
#include "base/err.h"

#include <stddef.h>

enum { ZIP_NAME_MAX = 256 };

/* Whether it begins as an archive does. */
bool zip_is(const char *bytes, size_t n);

/* Unpack the member, of at most `max` bytes: free() *out. */
bool zip_unpack(const char *bytes, size_t n, size_t max, char **out, size_t *n_out,
                char name[ZIP_NAME_MAX], struct err *err) MUST_CHECK;

#endif
