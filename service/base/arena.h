/* arena.h - region-based memory: many allocations, freed all at once. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "base/attr.h"

#include <stddef.h>

/* An arena hands out memory that lives until arena_free(). */
struct arena {
    struct arena_block *last;
};

/* Zeroed memory. */
void *arena_alloc(struct arena *arena, size_t size) __attribute__((returns_nonnull));
/* Uninitialised memory, for callers that fill it at once. */
void *arena_room(struct arena *arena, size_t size) __attribute__((returns_nonnull));
/* A copy of `text`; NULL for NULL. */
const char *arena_text(struct arena *arena, const char *text);
/* A NUL-terminated copy of the first n bytes. */
const char *arena_part(struct arena *arena, const char *text, size_t n)
    __attribute__((returns_nonnull));
/* A copy of the first item of the comma-separated *list, which moves on to the rest; NULL if *list
 * is empty or NULL. */
const char *arena_next_item(struct arena *arena, const char **list);
/* Concatenates strings: arena_join(arena, "a", b, "c"). */
#define arena_join(arena, ...)                                  \
    arena_join_parts(arena, (const char *const[]){__VA_ARGS__}, \
                     sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))
const char *arena_join_parts(struct arena *arena, const char *const *parts, size_t n)
    __attribute__((returns_nonnull));
const char *arena_print(struct arena *arena, const char *fmt, ...) PRINTF_LIKE(2, 3)
    __attribute__((returns_nonnull));
/* Free all allocations; the arena is empty and reusable. */
void arena_free(struct arena *arena);

#endif
