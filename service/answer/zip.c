#include "answer/zip.h"

#include <stdint.h>
#define ZLIB_CONST /* makes next_in a pointer to const */
#include <zlib.h>

/* APPNOTE.TXT 4.3: signatures, and values common to all records. */
enum {
    LOCAL_HEADER = 0x04034b50,
    CENTRAL_HEADER = 0x02014b50,
    CENTRAL_END = 0x06054b50,
    VERSION_DEFLATE = 20,
    NAMES_UTF8 = 0x0800,
    METHOD_DEFLATE = 8,
    FIRST_DAY = 0x21, /* 1980-01-01, so that the same answer gives the same bytes */
};

enum { RAW_WINDOW = -15, MEMORY_LEVEL = 8, LEVEL = 6 };

struct member {
    uint32_t crc, deflated, size;
};

static void put16(struct buf *out, unsigned value)
{
    buf_char(out, (char)(value & 0xff));
    buf_char(out, (char)(value >> 8 & 0xff));
}

static void put32(struct buf *out, uint32_t value)
{
    put16(out, value & 0xffff);
    put16(out, value >> 16);
}

/* The fields common to local header and directory. */
static void put_facts(struct buf *out, const struct member *member, const char *name)
{
    put16(out, VERSION_DEFLATE);
    put16(out, NAMES_UTF8);
    put16(out, METHOD_DEFLATE);
    put16(out, 0);
    put16(out, FIRST_DAY);
    put32(out, member->crc);
    put32(out, member->deflated);
    put32(out, member->size);
    put16(out, (unsigned)strlen(name));
    put16(out, 0);
}

/* Returns false if memory or room ran out. */
static bool deflate_into(struct buf *out, const struct buf *content)
{
    z_stream stream = {0};

    if (deflateInit2(&stream, LEVEL, Z_DEFLATED, RAW_WINDOW, MEMORY_LEVEL, Z_DEFAULT_STRATEGY))
        return false;
    uLong bound = deflateBound(&stream, content->length);
    bool room = buf_grow(out, bound);
    if (room) {
        stream.next_in = (const Bytef *)buf_data(content);
        stream.avail_in = (uInt)content->length;
        stream.next_out = (Bytef *)out->data + out->length;
        stream.avail_out = (uInt)bound;
        room = deflate(&stream, Z_FINISH) == Z_STREAM_END;
        out->length += stream.total_out;
        out->data[out->length] = '\0';
    }
    deflateEnd(&stream);
    return room;
}

void zip_begin(struct zip *zip, struct buf *out, size_t cap)
{
    *zip = (struct zip){.out = out};
    buf_init(&zip->directory, cap);
}

void zip_add(struct zip *zip, const char *name, const struct buf *content)
{
    struct buf deflated;
    uLong crc = crc32(0, (const Bytef *)buf_data(content), (uInt)content->length);
    uint32_t offset = (uint32_t)zip->out->length;

    buf_init(&deflated, zip->out->cap);
    if (content->full || !deflate_into(&deflated, content))
        zip->out->full = true;
    struct member member = {(uint32_t)crc, (uint32_t)deflated.length, (uint32_t)content->length};
    put32(zip->out, LOCAL_HEADER);
    put_facts(zip->out, &member, name);
    buf_text(zip->out, name);
    buf_add(zip->out, buf_data(&deflated), deflated.length);
    put32(&zip->directory, CENTRAL_HEADER);
    put16(&zip->directory, VERSION_DEFLATE);
    put_facts(&zip->directory, &member, name);
    for (int i = 0; i < 5; i++) /* no comment, one disk, no attributes */
        put16(&zip->directory, 0);
    put32(&zip->directory, offset);
    buf_text(&zip->directory, name);
    zip->members++;
    buf_free(&deflated);
}

void zip_end(struct zip *zip)
{
    uint32_t offset = (uint32_t)zip->out->length;

    buf_add(zip->out, buf_data(&zip->directory), zip->directory.length);
    put32(zip->out, CENTRAL_END);
    put32(zip->out, 0);
    put16(zip->out, zip->members);
    put16(zip->out, zip->members);
    put32(zip->out, (uint32_t)zip->directory.length);
    put32(zip->out, offset);
    put16(zip->out, 0);
    buf_free(&zip->directory);
}
