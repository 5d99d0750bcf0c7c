#include "api/analysis/risk_cache.h"

#include "base/buf.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { ENTRIES = 16, KEY_BYTES_MAX = 256 * 1024 };

struct risk_cache {
    struct simulated {
        struct buf key;
        struct risk risk;
    } * at; /* NULL until the first simulation */
    size_t n, oldest;
};

struct risk_caches {
    unsigned n;
    struct risk_cache threads[];
};

struct risk_caches *risk_cache_new(unsigned n_threads)
{
    struct risk_caches *all = mem_alloc(sizeof(*all) + n_threads * sizeof(all->threads[0]));

    all->n = n_threads;
    return all;
}

void risk_cache_free(struct risk_caches *all)
{
    for (unsigned i = 0; all && i < all->n; i++) {
        for (size_t j = 0; j < all->threads[i].n; j++)
            buf_free(&all->threads[i].at[j].key);
        free(all->threads[i].at);
    }
    free(all);
}

struct risk_cache *risk_cache_of(struct risk_caches *all, unsigned thread)
{
    return &all->threads[thread];
}

/* ---- the key */

static void put_number(struct buf *key, double value)
{
    buf_add(key, (const char *)&value, sizeof(value));
}

static void put_count(struct buf *key, uint64_t value)
{
    buf_add(key, (const char *)&value, sizeof(value));
}

/* By value: words are not the same strings in every request. */
static void put_ledger(struct buf *key, const struct ownership *in)
{
    for (size_t i = 0; i < ownership_fields.n; i++) {
        const struct field *field = &ownership_fields.at[i];
        const char *word = field_is_text(field) ? field_text(field, in) : NULL;
        if (word)
            buf_add(key, word, strlen(word) + 1);
        else if (field_is_text(field))
            buf_char(key, '\0');
        else
            put_number(key, field_number(field, in));
    }
    put_number(key, in->new_server_price);
}

static void put_input(struct buf *key, const struct risk_input *input)
{
    put_count(key, (uint64_t)(input->field - ownership_fields.at));
    put_number(key, input->triangle.low);
    put_number(key, input->triangle.middle);
    put_number(key, input->triangle.high);
    put_count(key, input->values ? input->n_values : 0);
    for (size_t i = 0; input->values && i < input->n_values; i++)
        put_number(key, input->values[i]);
}

static void put_model(struct buf *key, const struct risk_model *model, uint64_t seed, size_t draws)
{
    put_count(key, seed);
    put_count(key, draws);
    put_count(key, model->n);
    put_count(key, model->leading);
    put_count(key, model->following);
    put_number(key, model->correlation);
    put_ledger(key, model->in);
    for (size_t i = 0; i < model->n; i++)
        put_input(key, &model->inputs[i]);
}

/* ---- finding and keeping */

static const struct risk *find(const struct risk_cache *cache, const struct buf *key)
{
    for (size_t i = 0; i < cache->n; i++) {
        const struct simulated *entry = &cache->at[i];
        if (entry->key.length == key->length &&
            memcmp(entry->key.data, key->data, key->length) == 0)
            return &entry->risk;
    }
    return NULL;
}

/* Takes the key. */
static void keep(struct risk_cache *cache, struct buf *key, const struct risk *risk)
{
    struct simulated *next;

    if (!cache->at)
        cache->at = mem_alloc(ENTRIES * sizeof(cache->at[0]));
    if (cache->n < ENTRIES) {
        next = &cache->at[cache->n++];
    } else {
        next = &cache->at[cache->oldest++ % ENTRIES];
        buf_free(&next->key);
    }
    buf_trim(key);
    next->key = *key;
    next->risk = *risk;
}

void risk_cache_simulate(struct risk_cache *cache, const struct risk_model *model, uint64_t seed,
                         size_t draws, const struct parallel *parallel, struct arena *arena,
                         struct risk *out)
{
    struct buf key;

    buf_init(&key, KEY_BYTES_MAX);
    if (cache)
        put_model(&key, model, seed, draws);
    const struct risk *known = cache && !key.full ? find(cache, &key) : NULL;
    if (known)
        *out = *known;
    else
        risk_simulate(model, seed, draws, parallel, arena, out);
    if (!cache || key.full || known || (parallel && cancelled(parallel->cancel)))
        buf_free(&key);
    else
        keep(cache, &key, out);
}
