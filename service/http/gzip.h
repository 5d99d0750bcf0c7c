/* gzip.h - compression of replies, and whether a client takes it. */
#ifndef HTTP_GZIP_H
#define HTTP_GZIP_H

#include "base/buf.h"

/* A compressor, used by one thread at a time; its 256 KiB are kept from one text to the next. */
struct gzip;

enum { GZIP_QUICK = 4, GZIP_BEST = 9 }; /* for answers; for files, compressed once */

struct gzip *gzip_new(int level);
void gzip_free(struct gzip *gzip); /* NULL is fine */

/* Write `n` bytes compressed into `out`, whose cap is set to n; false where they would not get
 * smaller, and then `out` is empty. */
bool gzip_pack(struct gzip *gzip, const char *bytes, size_t n, struct buf *out);

/* Whether an Accept-Encoding header takes gzip. */
bool gzip_accepted(const char *accept_encoding);

/* Whether a body of that type gets smaller; NULL does not. */
bool gzip_helps(const char *content_type);

#endif
