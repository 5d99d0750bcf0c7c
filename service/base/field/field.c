#include "base/field/field.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

void field_set_number(const struct field *field, void *values, double value)
{
    memcpy((char *)values + field->offset, &value, sizeof(value));
}

void field_set_text(const struct field *field, void *values, const char *text)
{
    memcpy((char *)values + field->offset, &text, sizeof(text));
}

void fields_clear(struct fields fields, void *values)
{
    for (size_t i = 0; i < fields.n; i++) {
        if (field_is_text(&fields.at[i]))
            field_set_text(&fields.at[i], values, NULL);
        else
            field_set_number(&fields.at[i], values, (double)NAN);
    }
}

enum index_state { INDEX_NONE, INDEX_BEGUN, INDEX_READY };

static size_t slot_of(const char *name, size_t length)
{
    return text_few_hash(name, length) % FIELD_SLOTS;
}

/* One thread builds the index; the others search linearly until it is ready. */
static bool has_index(struct fields fields)
{
    struct field_index *index = fields.index;
    int state = INDEX_NONE;

    if (!index || fields.n > FIELD_SLOTS / 2 - 1)
        return false;
    if (atomic_load_explicit(&index->state, memory_order_acquire) == INDEX_READY)
        return true;
    if (!atomic_compare_exchange_strong(&index->state, &state, INDEX_BEGUN))
        return false;
    for (size_t i = 0; i < fields.n; i++) {
        size_t slot = slot_of(fields.at[i].name, fields.at[i].length);
        while (index->slots[slot])
            slot = (slot + 1) % FIELD_SLOTS;
        index->slots[slot] = (unsigned char)(i + 1);
    }
    atomic_store_explicit(&index->state, INDEX_READY, memory_order_release);
    return true;
}

static bool is_named(const struct field *field, const char *name, size_t length)
{
    return field->length == length && memcmp(field->name, name, length) == 0;
}

const struct field *fields_find(struct fields fields, const char *name)
{
    size_t length = strlen(name);

    if (has_index(fields)) {
        size_t slot = slot_of(name, length);
        for (size_t i; (i = fields.index->slots[slot]); slot = (slot + 1) % FIELD_SLOTS)
            if (is_named(&fields.at[i - 1], name, length))
                return &fields.at[i - 1];
        return NULL;
    }
    for (size_t i = 0; i < fields.n; i++)
        if (is_named(&fields.at[i], name, length))
            return &fields.at[i];
    return NULL;
}
