#include "base/recent.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

struct recent {
    struct entry {
        void *key, *result;
        size_t key_size;
    } * at; /* NULL until the first result */
    size_t n, room, oldest;
};

struct recents {
    unsigned n;
    struct recent threads[];
};

struct recents *recent_new(unsigned n_threads, size_t n)
{
    struct recents *all = mem_alloc(sizeof(*all) + n_threads * sizeof(all->threads[0]));

    all->n = n_threads;
    for (unsigned i = 0; i < n_threads; i++)
        all->threads[i].room = n;
    return all;
}

static void entry_free(struct entry *entry)
{
    free(entry->key);
    free(entry->result);
}

void recent_free(struct recents *all)
{
    for (unsigned i = 0; all && i < all->n; i++) {
        for (size_t j = 0; j < all->threads[i].n; j++)
            entry_free(&all->threads[i].at[j]);
        free(all->threads[i].at);
    }
    free(all);
}

struct recent *recent_of(struct recents *all, unsigned thread)
{
    return &all->threads[thread];
}

const void *recent_find(const struct recent *recent, const void *key, size_t key_size)
{
    for (size_t i = 0; i < recent->n; i++) {
        const struct entry *entry = &recent->at[i];
        if (entry->key_size == key_size && memcmp(entry->key, key, key_size) == 0)
            return entry->result;
    }
    return NULL;
}

static void *copy(const void *bytes, size_t size)
{
    return memcpy(mem_alloc(size), bytes, size);
}

void recent_add(struct recent *recent, const void *key, size_t key_size, const void *result,
                size_t result_size)
{
    struct entry *entry;

    if (!recent->at)
        recent->at = mem_alloc(recent->room * sizeof(recent->at[0]));
    if (recent->n < recent->room) {
        entry = &recent->at[recent->n++];
    } else {
        entry = &recent->at[recent->oldest++ % recent->room];
        entry_free(entry);
    }
    entry->key = copy(key, key_size);
    entry->key_size = key_size;
    entry->result = copy(result, result_size);
}
