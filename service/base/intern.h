/* intern.h - interning: keeps a single copy of equal structs or strings. */
#ifndef BASE_INTERN_H
#define BASE_INTERN_H

#include "base/arena.h"

#include <stddef.h>
#include <stdint.h>

/* Initialise to zero except for the arena, which owns the copies. */
struct intern {
    struct arena *arena;
    struct intern_slot *slots;
    size_t n, n_slots;
};

/* The copy whose first `key` bytes equal those of `item`, made if there is none. The key must have
 * no padding; the bytes after it, up to `size`, are not compared. */
void *intern_struct(struct intern *intern, const void *item, size_t key, size_t size)
    __attribute__((returns_nonnull));
const char *intern_text(struct intern *intern, const char *text) __attribute__((returns_nonnull));

/* The hash of the table; also for a caller's own table. */
uint64_t intern_hash(const void *item, size_t n);

/* Free the hash table; the copies remain. */
void intern_end(struct intern *intern);

#endif
