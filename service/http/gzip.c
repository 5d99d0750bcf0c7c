#include "http/gzip.h"

#include "base/mem.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#define ZLIB_CONST
#include <zlib.h>

enum { GZIP_WINDOW = 15 + 16, MEMORY_LEVEL = 8, PIECE = 16 * 1024 };

struct gzip {
    z_stream stream;
};

struct gzip *gzip_new(int level)
{
    struct gzip *gzip = mem_alloc(sizeof(*gzip));

    if (deflateInit2(&gzip->stream, level, Z_DEFLATED, GZIP_WINDOW, MEMORY_LEVEL,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        abort(); /* out of memory */
    return gzip;
}

void gzip_free(struct gzip *gzip)
{
    if (!gzip)
        return;
    deflateEnd(&gzip->stream);
    free(gzip);
}

bool gzip_pack(struct gzip *gzip, const char *bytes, size_t n, struct buf *out)
{
    z_stream *stream = &gzip->stream;
    char piece[PIECE];
    int rc;

    buf_init(out, n);
    if (n > UINT_MAX || deflateReset(stream) != Z_OK)
        return false;
    stream->next_in = (const Bytef *)bytes;
    stream->avail_in = (uInt)n;
    do {
        stream->next_out = (Bytef *)piece;
        stream->avail_out = PIECE;
        rc = deflate(stream, Z_FINISH);
        buf_add(out, piece, PIECE - stream->avail_out);
    } while (rc == Z_OK && !out->full);
    if (rc == Z_STREAM_END && !out->full)
        return true;
    buf_free(out);
    return false;
}

/* True if the parameters of a coding, up to the next comma, give it quality 0. */
static bool refused(const char *parameters)
{
    size_t n = strcspn(parameters, ",");

    for (const char *p = parameters; p < parameters + n; p++)
        if ((*p == 'q' || *p == 'Q') && p[1] == '=')
            return strtod(p + 2, NULL) <= 0;
    return false;
}

bool gzip_accepted(const char *accept_encoding)
{
    bool any = false;

    for (const char *p = accept_encoding; *p;) {
        p += strspn(p, ", \t");
        size_t n = strcspn(p, ",; \t");
        if ((n == 4 && strncasecmp(p, "gzip", 4) == 0) ||
            (n == 6 && strncasecmp(p, "x-gzip", 6) == 0))
            return !refused(p + n);
        if (n == 1 && *p == '*')
            any = !refused(p + 1);
        p += n;
        p += strcspn(p, ",");
    }
    return any;
}

bool gzip_helps(const char *content_type)
{
    return content_type && (strncmp(content_type, "text/", 5) == 0 ||
                            strstr(content_type, "json") || strstr(content_type, "xml") ||
                            strstr(content_type, "opendocument")); /* our OpenDocument files are not
                                                                    * deflated */
}
