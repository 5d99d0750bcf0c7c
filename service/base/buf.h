/* buf.h - text that grows to a cap; past the cap it stays whole and says so. */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include "base/attr.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct buf {
    char *data; /* NUL-terminated once anything was added */
    size_t length, room, cap;
    bool full; /* something did not fit and was left out */
};

void buf_init(struct buf *buf, size_t cap);
void buf_free(struct buf *buf);
/* Make room for n more bytes and a NUL; false, and full, where that would pass the cap. */
bool buf_grow(struct buf *buf, size_t n);
void buf_print(struct buf *buf, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Percent-encoded, as the value of a query. */
void buf_encoded(struct buf *buf, const char *text);
/* The text, "" where nothing was added; borrowed until the next change. */
const char *buf_data(const struct buf *buf);
/* Give back the room that the text does not need. */
void buf_trim(struct buf *buf);
/* Hand the text over: free() it. The buffer is empty afterwards; NULL where nothing was added. */
char *buf_steal(struct buf *buf);

/* Room for about n more bytes, made at once rather than bit by bit; none where that would pass the
 * cap. */
void buf_expect(struct buf *buf, size_t n);

/* Here, because answers are written by a few bytes at a time. */
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
