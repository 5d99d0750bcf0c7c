#include "http/files/workbook_address.h"

#include "base/number.h"

#include <stdint.h>
#include <string.h>
#include <zlib.h>

/* Sizes and offsets of the records in a ZIP archive (PKWARE APPNOTE, 4.3.7 and 4.3.12). */
enum {
    LOCAL_SIZE = 30,
    LOCAL_CRC = 14,
    LOCAL_PACKED = 18,
    LOCAL_NAME = 26,
    ENTRY_SIZE = 46,
    ENTRY_CRC = 16,
    ENTRY_NAME = 28,
    ENTRY_LOCAL = 42,
    TAIL_MAX = 256 /* maximum length of the tags between the address and its blanks */
};

static const char FIRST[] = "http://127.0.0.1:8080";
static const char ROOM[] = "                ";

static void write_number(char *at, uint32_t number)
{
    for (int i = 0; i < 4; i++)
        at[i] = (char)(number >> 8 * i & 0xff);
}

bool workbook_address_in(const struct buf *file)
{
    return file->length > LOCAL_SIZE && memcmp(file->data, "PK\3\4", 4) == 0 &&
           memmem(file->data, file->length, FIRST, strlen(FIRST));
}

static bool is_plain(const char *address)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                  "-._~:/[]";

    return address[strspn(address, allowed)] == '\0';
}

/* Returns where the address was written, or NULL if it does not fit. */
static const char *replace(struct buf *book, const char *address)
{
    char *at = memmem(book->data, book->length, FIRST, strlen(FIRST));
    char *tail = at + strlen(FIRST);
    size_t left = (size_t)(book->data + book->length - tail);
    char *room = memmem(tail, left < TAIL_MAX ? left : TAIL_MAX, ROOM, strlen(ROOM));

    if (!room)
        return NULL;
    size_t whole = (size_t)(room - at) + strspn(room, " "), n_tail = (size_t)(room - tail);
    size_t n = strlen(address);
    if (n + n_tail > whole)
        return NULL;
    memmove(at + n, tail, n_tail);
    memcpy(at, address, n);
    memset(at + n + n_tail, ' ', whole - n - n_tail);
    return at;
}

/* Update both checksums of the member that contains `changed`. */
static void sum_again(struct buf *book, const char *changed)
{
    size_t at = 0, member = 0;
    uint32_t sum = 0;

    while (at + LOCAL_SIZE < book->length && memcmp(book->data + at, "PK\3\4", 4) == 0) {
        char *head = book->data + at;
        size_t size = number_little_endian(head + LOCAL_PACKED, 4);
        size_t start = at + LOCAL_SIZE + number_little_endian(head + LOCAL_NAME, 2) +
                       number_little_endian(head + LOCAL_NAME + 2, 2);
        if (start > book->length || size > book->length - start)
            return;
        at = start + size;
        if (changed < book->data + start || changed >= book->data + at)
            continue;
        member = (size_t)(head - book->data);
        sum = (uint32_t)crc32(0, (const Bytef *)book->data + start, (uInt)size);
        write_number(head + LOCAL_CRC, sum);
    }
    while (at + ENTRY_SIZE < book->length && memcmp(book->data + at, "PK\1\2", 4) == 0) {
        char *entry = book->data + at;
        if (number_little_endian(entry + ENTRY_LOCAL, 4) == member)
            write_number(entry + ENTRY_CRC, sum);
        at += ENTRY_SIZE + number_little_endian(entry + ENTRY_NAME, 2) +
              number_little_endian(entry + ENTRY_NAME + 2, 2) +
              number_little_endian(entry + ENTRY_NAME + 4, 2);
    }
}

void workbook_address_fill(struct buf *out, const struct buf *file, const char *address)
{
    buf_add(out, file->data, file->length);
    if (out->full || !is_plain(address))
        return;
    const char *changed = replace(out, address);
    if (changed)
        sum_again(out, changed);
}
