/* mem.h - allocation that aborts when memory is out, and arenas that free all at once.
 *
 * Body limits times connection limits bound what can be asked for, so running out is a fault to
 * stop at, not a case to handle at every call.
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include "base/attr.h"

#include <stddef.h>

/* Have malloc keep what is freed for the next request: a training plan takes half a megabyte, which
 * otherwise goes back to the system and comes again page by page. Once, before there are threads.
 */
void mem_keep_freed(void);

/* Zeroed memory; free() it. */
void *mem_alloc(size_t size) __attribute__((returns_nonnull, malloc));
void *mem_aligned(size_t align, size_t size) __attribute__((returns_nonnull, malloc));
/* Grow or shrink; the new part is not zeroed. */
void *mem_resize(void *old, size_t size) __attribute__((returns_nonnull));
char *mem_text(const char *text) __attribute__((returns_nonnull, malloc));

/* An arena hands out memory that lives until arena_free(). */
struct arena {
    struct arena_block *last;
};

/* Zeroed. */
void *arena_alloc(struct arena *arena, size_t size) __attribute__((returns_nonnull));
/* As it comes, for who fills it at once. */
void *arena_room(struct arena *arena, size_t size) __attribute__((returns_nonnull));
/* A copy of `text`; NULL stays NULL. */
const char *arena_text(struct arena *arena, const char *text);
/* A copy of the first n bytes of it, with a NUL behind. */
const char *arena_part(struct arena *arena, const char *text, size_t n)
    __attribute__((returns_nonnull));
/* All the texts as one: arena_join(arena, "a", b, "c"). */
#define arena_join(arena, ...)                                  \
    arena_join_parts(arena, (const char *const[]){__VA_ARGS__}, \
                     sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))
const char *arena_join_parts(struct arena *arena, const char *const *parts, size_t n)
    __attribute__((returns_nonnull));
const char *arena_print(struct arena *arena, const char *fmt, ...) PRINTF_LIKE(2, 3)
    __attribute__((returns_nonnull));
/* Free everything handed out; the arena is empty and usable again. */
void arena_free(struct arena *arena);

#endif
