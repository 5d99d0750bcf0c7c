/* intern.h - equal things kept once: of each a single copy, found again by its bytes. */
#ifndef BASE_INTERN_H
#define BASE_INTERN_H

#include "base/arena.h"

#include <stddef.h>
#include <stdint.h>

/* Zeroed but for the arena, which owns the copies. */
struct intern {
    struct arena *arena;
    struct intern_slot *slots;
    size_t n, n_slots;
};

/* The first copy of a thing whose first `key` bytes are equal, made if there is none. A key must
 * have no padding; bytes after it, up to `size`, may differ. */
void *intern_struct(struct intern *intern, const void *thing, size_t key, size_t size)
    __attribute__((returns_nonnull));
const char *intern_text(struct intern *intern, const char *text) __attribute__((returns_nonnull));

/* The hash that things are found by; for a table of the caller's own. */
uint64_t intern_hash(const void *thing, size_t n);

/* Forget where the copies are; they stay. */
void intern_end(struct intern *intern);

#endif
