/* zip.h - writes a ZIP archive (PKWARE APPNOTE) into a buffer: deflated members, no dates. */
#ifndef ANSWER_ZIP_H
#define ANSWER_ZIP_H

#include "base/buf.h"

struct zip {
    struct buf *out;
    struct buf directory; /* the central directory so far */
    unsigned members;
};

/* `cap` limits the size of the directory. The archive is complete after zip_end(). */
void zip_begin(struct zip *zip, struct buf *out, size_t cap);
/* Sets out->full if the member does not fit. */
void zip_add(struct zip *zip, const char *name, const struct buf *content);
void zip_end(struct zip *zip);

#endif
