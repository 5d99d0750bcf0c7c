#include "api/analysis/risk_cache.h"

#include "base/buf.h"

#include <string.h>

enum { KEY_BYTES_MAX = 256 * 1024 };

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

void risk_cache_simulate(struct recent *cache, const struct risk_model *model, uint64_t seed,
                         size_t draws, const struct parallel *parallel, struct arena *arena,
                         struct risk *out)
{
    struct buf key;

    buf_init(&key, KEY_BYTES_MAX);
    if (cache)
        put_model(&key, model, seed, draws);
    bool usable = cache && !key.full;
    const struct risk *known = usable ? recent_find(cache, key.data, key.length) : NULL;
    if (known)
        *out = *known;
    else
        risk_simulate(model, seed, draws, parallel, arena, out);
    if (usable && !known && !(parallel && cancelled(parallel->cancel)))
        recent_add(cache, key.data, key.length, out, sizeof(*out));
    buf_free(&key);
}
