/* buf.h - a growable string with a maximum length; appends beyond it are dropped and flagged. */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include "base/attr.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct buf {
    char *data; /* NUL-terminated after the first append */
    size_t length, room, cap;
    bool full; /* something did not fit and was dropped */
};

void buf_init(struct buf *buf, size_t cap);
void buf_free(struct buf *buf);
/* Make room for n more bytes and a NUL. If that exceeds the cap, sets `full` and returns false. */
bool buf_grow(struct buf *buf, size_t n);
void buf_print(struct buf *buf, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Append percent-encoded, for use as a query value. */
void buf_encoded(struct buf *buf, const char *text);
/* The contents, "" if empty; valid until the next change. */
const char *buf_data(const struct buf *buf);
/* Release unused capacity. */
void buf_trim(struct buf *buf);
/* Returns the contents, which the caller frees, and empties the buffer. NULL if nothing was
 * added. */
char *buf_steal(struct buf *buf);

/* Reserve about n more bytes at once to avoid repeated growth; does nothing if that exceeds the
 * cap. */
void buf_expect(struct buf *buf, size_t n);

/* Inline because answers are written a few bytes at a time. */
static inline void buf_add(struct buf *buf, const char *bytes, size_t n)
{
    if (n >= buf->room - buf->length && !buf_grow(buf, n))
        return;
    memcpy(buf->data + buf->length, bytes, n);
    buf->length += n;
    buf->data[buf->length] = '\0';
}

static inline void buf_text(struct buf *buf, const char *text)
{
    buf_add(buf, text, strlen(text));
}

static inline void buf_char(struct buf *buf, char c)
{
    buf_add(buf, &c, 1);
}

#endif
