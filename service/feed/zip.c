#include "feed/zip.h"

#include "base/mem.h"
#include "base/number.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#define ZLIB_CONST
#include <zlib.h>

/* Fixed sizes of the records, and offsets of their fields. */
enum { LOCAL_SIZE = 30, ENTRY_SIZE = 46, END_SIZE = 22, COMMENT_MAX = 65535 };
enum { STORED = 0, DEFLATED = 8, ENCRYPTED = 1 };

/* The member's entry in the directory. */
struct member {
    unsigned flags, method;
    uint32_t crc;
    size_t packed, unpacked, local;
};

bool zip_is(const char *bytes, size_t n)
{
    return n >= 4 && memcmp(bytes, "PK\3\4", 4) == 0;
}

/* The end record, which a comment may follow; NULL if there is none. */
static const char *find_end(const char *bytes, size_t n)
{
    size_t looked_at = END_SIZE + COMMENT_MAX;

    for (size_t back = END_SIZE; back <= n && back <= looked_at; back++)
        if (memcmp(bytes + n - back, "PK\5\6", 4) == 0)
            return bytes + n - back;
    return NULL;
}

static bool read_directory(const char *bytes, size_t n, struct member *member,
                           char name[ZIP_NAME_MAX], struct err *err)
{
    const char *end = find_end(bytes, n);

    if (!end)
        return err_set(err, ERR_INVALID,
                       "is not a complete ZIP archive: it has no directory at "
                       "its end");
    unsigned members = number_little_endian(end + 10, 2);
    size_t at = number_little_endian(end + 16, 4);
    if (members != 1)
        return err_set(err, ERR_INVALID, "is a ZIP archive of %u files, not one", members);
    if (at > n || n - at < ENTRY_SIZE || memcmp(bytes + at, "PK\1\2", 4) != 0)
        return err_set(err, ERR_INVALID, "is not a ZIP archive: its directory is misplaced");
    const char *entry = bytes + at;
    size_t length = number_little_endian(entry + 28, 2);
    *member = (struct member){
        .flags = number_little_endian(entry + 8, 2),
        .method = number_little_endian(entry + 10, 2),
        .crc = number_little_endian(entry + 16, 4),
        .packed = number_little_endian(entry + 20, 4),
        .unpacked = number_little_endian(entry + 24, 4),
        .local = number_little_endian(entry + 42, 4),
    };
    if (length >= ZIP_NAME_MAX || n - at - ENTRY_SIZE < length)
        return err_set(err, ERR_INVALID, "is a ZIP archive whose file has too long a name");
    memcpy(name, entry + ENTRY_SIZE, length);
    name[length] = '\0';
    return true;
}

/* Where the member's bytes are; NULL if outside the file. */
static const char *find_bytes(const char *bytes, size_t n, const struct member *member)
{
    const char *local = bytes + member->local;

    if (member->local > n || n - member->local < LOCAL_SIZE || memcmp(local, "PK\3\4", 4) != 0)
        return NULL;
    size_t before =
        LOCAL_SIZE + number_little_endian(local + 26, 2) + number_little_endian(local + 28, 2);
    size_t left = n - member->local;
    return left >= before && left - before >= member->packed ? local + before : NULL;
}

static bool inflate_all(const char *from, const struct member *member, char *to)
{
    z_stream stream = {
        .next_in = (const unsigned char *)from,
        .avail_in = (unsigned)member->packed,
        .next_out = (unsigned char *)to,
        .avail_out = (unsigned)member->unpacked,
    };

    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
        return false;
    int ended = inflate(&stream, Z_FINISH);
    inflateEnd(&stream);
    return ended == Z_STREAM_END && stream.avail_out == 0;
}

bool zip_unpack(const char *bytes, size_t n, size_t max, char **out, size_t *n_out,
                char name[ZIP_NAME_MAX], struct err *err)
{
    struct member member = {0};

    if (!read_directory(bytes, n, &member, name, err))
        return false;
    const char *from = find_bytes(bytes, n, &member);
    if (!from)
        return err_set(err, ERR_INVALID, "is a ZIP archive without the bytes of \"%s\"", name);
    if ((member.flags & ENCRYPTED) || (member.method != STORED && member.method != DEFLATED) ||
        (member.method == STORED && member.packed != member.unpacked))
        return err_set(err, ERR_INVALID, "is a ZIP archive that is encrypted or packed unusually");
    if (member.unpacked > max)
        return err_set(err, ERR_INVALID, "holds %zu MB, at most %zu are unpacked",
                       member.unpacked / 1000000, max / 1000000);
    *out = mem_alloc(member.unpacked + 1);
    *n_out = member.unpacked;
    bool whole = true;
    if (member.method == STORED)
        memcpy(*out, from, member.unpacked);
    else
        whole = inflate_all(from, &member, *out);
    if (whole && crc32(0, (const unsigned char *)*out, (unsigned)*n_out) == member.crc)
        return true;
    free(*out);
    *out = NULL;
    return err_set(err, ERR_INVALID, "is a damaged ZIP archive: \"%s\" fails its checksum", name);
}
