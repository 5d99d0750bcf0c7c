/* gzip.h - gzip compression of replies, and negotiation with the client. */
#ifndef HTTP_GZIP_H
#define HTTP_GZIP_H

#include "base/buf.h"

/* A compressor for use by one thread at a time; its 256 KiB state is reused for every text. */
struct gzip;

enum {
    GZIP_QUICK = 4,
    GZIP_BEST = 9
}; /* compression levels for answers, and for files, which are
    * compressed once */

struct gzip *gzip_new(int level);
void gzip_free(struct gzip *gzip); /* NULL is allowed */

/* Compress `n` bytes into `out`, whose cap is set to n. If they do not get smaller, returns false
 * and leaves `out` empty. */
bool gzip_pack(struct gzip *gzip, const char *bytes, size_t n, struct buf *out);

/* True if the Accept-Encoding header accepts gzip. */
bool gzip_accepted(const char *accept_encoding);

/* True if bodies of this content type compress well; false for NULL. */
bool gzip_helps(const char *content_type);

#endif
