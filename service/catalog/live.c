#include "catalog/live.h"

#include "base/mem.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { CACHE_LINE = 64 };

/* Aligned to cache lines, so that neighbouring readers do not slow one another down. */
struct slot {
    _Alignas(CACHE_LINE) pthread_mutex_t lock;
    pthread_cond_t left;
    const struct catalog *catalog; /* for readers that enter now */
    const struct catalog *read;    /* in use by the reader; NULL if none */
};

struct live {
    unsigned n_readers;
    atomic_uint_fast64_t serial;
    struct catalog *current; /* owned; accessed only by the refresher */
    struct slot slots[];
};

struct live *live_new(unsigned n_readers)
{
    struct live *live = mem_aligned(CACHE_LINE, sizeof(*live) + n_readers * sizeof(live->slots[0]));

    live->n_readers = n_readers;
    for (unsigned i = 0; i < n_readers; i++) {
        pthread_mutex_init(&live->slots[i].lock, NULL);
        pthread_cond_init(&live->slots[i].left, NULL);
    }
    return live;
}

unsigned live_readers(const struct live *live)
{
    return live->n_readers;
}

void live_free(struct live *live)
{
    if (!live)
        return;
    for (unsigned i = 0; i < live->n_readers; i++) {
        pthread_cond_destroy(&live->slots[i].left);
        pthread_mutex_destroy(&live->slots[i].lock);
    }
    catalog_free(live->current);
    free(live);
}

const struct catalog *live_enter(struct live *live, unsigned reader)
{
    struct slot *slot = &live->slots[reader];

    assert(reader < live->n_readers);
    pthread_mutex_lock(&slot->lock);
    assert(!slot->read);
    const struct catalog *catalog = slot->read = slot->catalog;
    pthread_mutex_unlock(&slot->lock);
    return catalog;
}

void live_exit(struct live *live, unsigned reader)
{
    struct slot *slot = &live->slots[reader];

    pthread_mutex_lock(&slot->lock);
    slot->read = NULL;
    pthread_cond_signal(&slot->left);
    pthread_mutex_unlock(&slot->lock);
}

/* First publish to all slots, then wait for readers still using the old catalog: this takes as long
 * as the slowest, not the sum. Readers that enter meanwhile get the new one, so a slot that is
 * always busy does not block. */
void live_publish(struct live *live, struct catalog *next)
{
    struct catalog *old = live->current;

    for (unsigned i = 0; i < live->n_readers; i++) {
        pthread_mutex_lock(&live->slots[i].lock);
        live->slots[i].catalog = next;
        pthread_mutex_unlock(&live->slots[i].lock);
    }
    atomic_fetch_add(&live->serial, 1);
    for (unsigned i = 0; old && i < live->n_readers; i++) {
        pthread_mutex_lock(&live->slots[i].lock);
        while (live->slots[i].read == old)
            pthread_cond_wait(&live->slots[i].left, &live->slots[i].lock);
        pthread_mutex_unlock(&live->slots[i].lock);
    }
    live->current = next;
    catalog_free(old);
}

uint64_t live_serial(const struct live *live)
{
    return atomic_load(&live->serial);
}
