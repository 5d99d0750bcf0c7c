#include "base/arena.h"

#include "base/mem.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_SIZE = 16 * 1024, ALIGN = 16, PRINT_SIZE = 256 };

struct arena_block {
    struct arena_block *before;
    size_t used, size;
    _Alignas(ALIGN) unsigned char bytes[];
};

void *arena_room(struct arena *arena, size_t size)
{
    struct arena_block *block = arena->last;

    size = (size + ALIGN - 1) / ALIGN * ALIGN;
    if (!block || block->size - block->used < size) {
        size_t room = size > BLOCK_SIZE ? size : BLOCK_SIZE;
        block = mem_resize(NULL, sizeof(*block) + room);
        block->used = 0;
        block->size = room;
        block->before = arena->last;
        arena->last = block;
    }
    void *p = block->bytes + block->used;
    block->used += size;
    return p;
}

void *arena_alloc(struct arena *arena, size_t size)
{
    return memset(arena_room(arena, size), 0, size);
}

const char *arena_text(struct arena *arena, const char *text)
{
    if (!text)
        return NULL;
    size_t size = strlen(text) + 1;
    return memcpy(arena_room(arena, size), text, size);
}

const char *arena_part(struct arena *arena, const char *text, size_t n)
{
    char *part = memcpy(arena_room(arena, n + 1), text, n);

    part[n] = '\0';
    return part;
}

const char *arena_next_item(struct arena *arena, const char **list)
{
    const char *item = *list;

    if (!item || !*item)
        return NULL;
    size_t n = strcspn(item, ",");
    *list = item + n + (item[n] == ',');
    return arena_part(arena, item, n);
}

const char *arena_join_parts(struct arena *arena, const char *const *parts, size_t n)
{
    size_t length = 0;

    for (size_t i = 0; i < n; i++)
        length += strlen(parts[i]);
    char *text = arena_room(arena, length + 1), *end = text;

    *end = '\0'; /* for n = 0 */
    for (size_t i = 0; i < n; i++)
        end = stpcpy(end, parts[i]);
    return text;
}

const char *arena_print(struct arena *arena, const char *fmt, ...)
{
    char most[PRINT_SIZE];
    va_list ap, again;

    va_start(ap, fmt);
    va_copy(again, ap);
    int length = vsnprintf(most, sizeof(most), fmt, ap);
    va_end(ap);
    if (length < 0)
        abort();
    size_t size = (size_t)length + 1;
    char *text = arena_room(arena, size);
    if (size <= sizeof(most))
        memcpy(text, most, size);
    else
        vsnprintf(text, size, fmt, again);
    va_end(again);
    return text;
}

void arena_free(struct arena *arena)
{
    for (struct arena_block *block = arena->last; block;) {
        struct arena_block *before = block->before;
        free(block);
        block = before;
    }
    arena->last = NULL;
}
