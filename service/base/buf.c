#include "base/buf.h"

#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { FIRST_ROOM = 1024, PRINT_SIZE = 256 };

void buf_init(struct buf *buf, size_t cap)
{
    *buf = (struct buf){.cap = cap};
}

void buf_free(struct buf *buf)
{
    free(buf->data);
    buf_init(buf, buf->cap);
}

bool buf_grow(struct buf *buf, size_t n)
{
    if (n >= buf->cap || buf->length >= buf->cap - n) {
        buf->full = true;
        return false;
    }
    size_t need = buf->length + n + 1;
    if (need <= buf->room)
        return true;
    size_t room = buf->room ? buf->room : FIRST_ROOM;
    while (room < need)
        room *= 2;
    if (room > buf->cap) /* room never exceeds cap, so callers that have room need not check the
                          * cap */
        room = buf->cap;
    buf->data = mem_resize(buf->data, room);
    buf->room = room;
    return true;
}

void buf_expect(struct buf *buf, size_t n)
{
    if (n < buf->cap && buf->length < buf->cap - n && n >= buf->room - buf->length)
        buf_grow(buf, n);
}

void buf_print(struct buf *buf, const char *fmt, ...)
{
    char text[PRINT_SIZE];
    va_list ap, again;

    va_start(ap, fmt);
    va_copy(again, ap);
    int length = vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    size_t n = length > 0 ? (size_t)length : 0;
    if (n < sizeof(text)) {
        buf_add(buf, text, n);
    } else if (buf_grow(buf, n)) {
        vsnprintf(buf->data + buf->length, n + 1, fmt, again);
        buf->length += n;
    }
    va_end(again);
}

/* True if the character needs no escape in a query. */
static bool is_plain(unsigned char c)
{
    unsigned char letter = c | 0x20;

    return (letter >= 'a' && letter <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
           c == '_' || c == '~' || c == ',';
}

void buf_encoded(struct buf *buf, const char *text)
{
    for (const char *run = text;; text++) {
        if (is_plain((unsigned char)*text))
            continue;
        buf_add(buf, run, (size_t)(text - run));
        if (!*text)
            return;
        buf_print(buf, "%%%02X", (unsigned char)*text);
        run = text + 1;
    }
}

const char *buf_data(const struct buf *buf)
{
    return buf->data ? buf->data : "";
}

void buf_trim(struct buf *buf)
{
    if (buf->room > buf->length + 1) {
        buf->room = buf->length + 1;
        buf->data = mem_resize(buf->data, buf->room);
    }
}

char *buf_steal(struct buf *buf)
{
    char *data = buf->data;

    buf_init(buf, buf->cap);
    return data;
}
