/* zip.h - unpacks a ZIP archive (PKWARE APPNOTE 6.3) with a single member, stored or deflated, and
 * verifies its checksum. Archives with several members are refused rather than guessing which is
 * meant. */
#ifndef FEED_ZIP_H
#define FEED_ZIP_H

#include "base/attr.h"
#include "base/err.h"

#include <stddef.h>

enum { ZIP_NAME_MAX = 256 };

/* True if the bytes begin like an archive. */
bool zip_is(const char *bytes, size_t n);

/* Unpack the member, of at most `max` bytes. The caller frees *out. */
bool zip_unpack(const char *bytes, size_t n, size_t max, char **out, size_t *n_out,
                char name[ZIP_NAME_MAX], struct err *err) MUST_CHECK;

#endif
