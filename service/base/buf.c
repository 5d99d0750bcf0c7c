#include "base/buf.h"

#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 1024 };

void buf_init(struct buf *buf, size_t cap)
{
    *buf = (struct buf){.cap = cap};
}

void buf_free(struct buf *buf)
{
    free(buf->data);
    buf_init(buf, buf->cap);
}

/* Room for n more bytes and a NUL; false where that would pass the cap. */
static bool reserve(struct buf *buf, size_t n)
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
    buf->data = mem_resize(buf->data, room);
    buf->room = room;
    return true;
}

void buf_add(struct buf *buf, const char *bytes, size_t n)
{
    if (!reserve(buf, n))
        return;
    memcpy(buf->data + buf->length, bytes, n);
    buf->length += n;
    buf->data[buf->length] = '\0';
}

void buf_text(struct buf *buf, const char *text)
{
    buf_add(buf, text, strlen(text));
}

void buf_char(struct buf *buf, char c)
{
    buf_add(buf, &c, 1);
}

void buf_print(struct buf *buf, const char *fmt, ...)
{
    va_list ap, again;

    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    if (n > 0 && reserve(buf, (size_t)n)) {
        vsnprintf(buf->data + buf->length, (size_t)n + 1, fmt, again);
        buf->length += (size_t)n;
    }
    va_end(again);
}

void buf_encoded(struct buf *buf, const char *text)
{
    for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
        bool plain = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
                     (*p >= '0' && *p <= '9') || strchr("-._~,", *p);
        if (plain)
            buf_char(buf, (char)*p);
        else
            buf_print(buf, "%%%02X", *p);
    }
}

const char *buf_data(const struct buf *buf)
{
    return buf->data ? buf->data : "";
}

char *buf_steal(struct buf *buf)
{
    char *data = buf->data;

    buf_init(buf, buf->cap);
    return data;
}
