#include "base/intern.h"

#include "base/arena.h"
#include "base/mem.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS_FIRST = 64 };

struct intern_slot {
    void *thing; /* NULL: free */
    size_t key;
    uint64_t hash;
};

/* Where the thing is or, where it is not, where it would go. */
static struct intern_slot *find(const struct intern *intern, const void *thing, size_t key,
                                uint64_t hash)
{
    size_t at = hash & (intern->n_slots - 1);

    for (;; at = (at + 1) & (intern->n_slots - 1)) {
        struct intern_slot *slot = &intern->slots[at];
        if (!slot->thing ||
            (slot->hash == hash && slot->key == key && memcmp(slot->thing, thing, key) == 0))
            return slot;
    }
}

/* Twice the slots, so that at most half of them are taken. */
static void grow(struct intern *intern)
{
    struct intern former = *intern;

    intern->n_slots = former.n_slots ? 2 * former.n_slots : SLOTS_FIRST;
    intern->slots = mem_alloc(intern->n_slots * sizeof(*intern->slots));
    for (size_t i = 0; i < former.n_slots; i++) {
        const struct intern_slot *slot = &former.slots[i];
        if (slot->thing)
            *find(intern, slot->thing, slot->key, slot->hash) = *slot;
    }
    free(former.slots);
}

void *intern_struct(struct intern *intern, const void *thing, size_t key, size_t size)
{
    uint64_t hash = text_hash(TEXT_HASH, thing, key);

    if (2 * intern->n >= intern->n_slots)
        grow(intern);
    struct intern_slot *slot = find(intern, thing, key, hash);
    if (!slot->thing) {
        *slot = (struct intern_slot){arena_alloc(intern->arena, size), key, hash};
        memcpy(slot->thing, thing, size);
        intern->n++;
    }
    return slot->thing;
}

const char *intern_text(struct intern *intern, const char *text)
{
    size_t size = strlen(text) + 1;

    return intern_struct(intern, text, size, size);
}

void intern_end(struct intern *intern)
{
    free(intern->slots);
    *intern = (struct intern){intern->arena, NULL, 0, 0};
}
