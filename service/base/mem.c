#include "base/mem.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

void mem_keep_freed(void)
{
    enum { MAP_FROM = 4 << 20, TRIM_FROM = 8 << 20 };

    mallopt(M_MMAP_THRESHOLD, MAP_FROM);
    mallopt(M_TRIM_THRESHOLD, TRIM_FROM);
}

void mem_give_back(void)
{
    (void)malloc_trim(0); /* the result, whether anything was freed, is not needed */
}

void *mem_alloc(size_t size)
{
    void *p = calloc(1, size ? size : 1);

    if (!p)
        abort();
    return p;
}

void *mem_aligned(size_t align, size_t size)
{
    void *p = aligned_alloc(align, (size + align - 1) / align * align);

    if (!p)
        abort();
    return memset(p, 0, size);
}

void *mem_resize(void *old, size_t size)
{
    void *p = realloc(old, size ? size : 1);

    if (!p)
        abort();
    return p;
}

void *mem_grow(void *array, size_t n, size_t *room, size_t size)
{
    enum { FIRST = 64 };

    if (n < *room)
        return array;
    *room = *room ? 2 * *room : FIRST;
    return mem_resize(array, *room * size);
}

char *mem_text(const char *text)
{
    size_t size = strlen(text) + 1;

    return memcpy(mem_alloc(size), text, size);
}
