#include "base/intern.h"

#include "base/arena.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS_FIRST = 64 };

struct intern_slot {
    void *item; /* NULL if the slot is free */
    size_t key;
    uint64_t hash;
};

/* Eight bytes at a time, since there are millions of keys. The lower bits select the slot, so the
 * upper ones are mixed into them. */
uint64_t intern_hash(const void *item, size_t n)
{
    const uint64_t golden = 0x9E3779B97F4A7C15U; /* 2^64 divided by the golden ratio */
    const char *bytes = item;
    uint64_t hash = n, word;

    for (; n >= sizeof(word); n -= sizeof(word), bytes += sizeof(word)) {
        memcpy(&word, bytes, sizeof(word));
        hash = (hash ^ word) * golden;
        hash ^= hash >> 32;
    }
    word = 0;
    memcpy(&word, bytes, n);
    hash = (hash ^ word) * golden;
    return hash ^ hash >> 32;
}

/* The slot that holds the item, or the free slot for it. */
static struct intern_slot *find(const struct intern *intern, const void *item, size_t key,
                                uint64_t hash)
{
    size_t at = hash & (intern->n_slots - 1);

    for (;; at = (at + 1) & (intern->n_slots - 1)) {
        struct intern_slot *slot = &intern->slots[at];
        if (!slot->item ||
            (slot->hash == hash && slot->key == key && memcmp(slot->item, item, key) == 0))
            return slot;
    }
}

/* Double the slots, so that at most half of them are used. */
static void grow(struct intern *intern)
{
    struct intern former = *intern;

    intern->n_slots = former.n_slots ? 2 * former.n_slots : SLOTS_FIRST;
    intern->slots = mem_alloc(intern->n_slots * sizeof(*intern->slots));
    for (size_t i = 0; i < former.n_slots; i++) {
        const struct intern_slot *slot = &former.slots[i];
        if (slot->item)
            *find(intern, slot->item, slot->key, slot->hash) = *slot;
    }
    free(former.slots);
}

void *intern_struct(struct intern *intern, const void *item, size_t key, size_t size)
{
    uint64_t hash = intern_hash(item, key);

    if (2 * intern->n >= intern->n_slots)
        grow(intern);
    struct intern_slot *slot = find(intern, item, key, hash);
    if (!slot->item) {
        *slot = (struct intern_slot){arena_alloc(intern->arena, size), key, hash};
        memcpy(slot->item, item, size);
        intern->n++;
    }
    return slot->item;
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
