#include "api/canonical_query.h"

#include "base/text.h"

#include <assert.h>
#include <stdint.h>

static void add_one(struct buf *out, const struct field *field, const char *value)
{
    if (out->length)
        buf_char(out, '&');
    buf_add(out, field->name, field->length);
    buf_char(out, '=');
    buf_encoded(out, value);
}

void canonical_query_add(struct buf *out, struct fields fields, const struct params *params,
                         const char *but)
{
    enum { WORD = 64 };
    uint64_t given[FIELDS_MAX / WORD] = {0}; /* one bit per field */

    assert(fields.n <= FIELDS_MAX);
    for (size_t i = 0; i < params->n; i++) {
        const struct field *field = fields_find(fields, params->at[i].name);
        size_t at = field ? (size_t)(field - fields.at) : 0;
        if (field && !text_in_list(but, field->name))
            given[at / WORD] |= (uint64_t)1 << at % WORD;
    }
    for (size_t word = 0; word < FIELDS_MAX / WORD; word++)
        for (; given[word]; given[word] &= given[word] - 1) {
            const struct field *field =
                &fields.at[word * WORD + (size_t)__builtin_ctzll(given[word])];
            const char *value = params_find(params, field->name);
            if (value[0])
                add_one(out, field, value);
        }
}
