#include "answer/value.h"
#include "answer/write.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Start the next member of an object: comma, newline, name. */
static void member(struct buf *out, bool *first, const char *name)
{
    buf_text(out, *first ? "\n  " : ",\n  ");
    *first = false;
    value_json_text(out, name);
    buf_text(out, ": ");
}

/* What stands before a member, and before the first of an object: copied whole. */
struct gap {
    char text[8];
    size_t n;
};

static const struct gap in_answer[] = {{",\n  ", 4}, {"\n  ", 3}};
static const struct gap in_inputs[] = {{",\n    ", 6}, {"\n    ", 5}};
static const struct gap in_row[] = {{", ", 2}, {"", 0}};

/* Start the next member, of that field. */
static inline void key(struct buf *out, const struct gap *gap, const struct field *field)
{
    enum { USUAL = 32 };
    size_t length = field->length + FIELD_KEY_MARKS;

    if (out->room - out->length <= sizeof(gap->text) + FIELD_KEY_SIZE) {
        buf_add(out, gap->text, gap->n);
        buf_add(out, field->key, length);
        return;
    }
    char *to = out->data + out->length;
    memcpy(to, gap->text, sizeof(gap->text));
    memcpy(to + gap->n, field->key, USUAL);
    if (length > USUAL)
        memcpy(to + gap->n + USUAL, field->key + USUAL, FIELD_KEY_SIZE - USUAL);
    to[gap->n + length] = '\0';
    out->length += gap->n + length;
}

static void members(struct buf *out, bool *first, struct fields fields, const void *values)
{
    for (size_t i = 0; i < fields.n; i++) {
        key(out, &in_answer[*first], &fields.at[i]);
        *first = false;
        value_json(out, &fields.at[i], values);
    }
}

/* Where in the answer a member of the row before stands, with its name. */
struct place {
    size_t at, n;
};

enum { PLACES = 32 }; /* of the first columns */

/* Whether both rows hold the same number, or the same text at the same address. */
static inline bool is_same(const struct field *field, const void *values, const void *others)
{
    uint64_t value, other;

    _Static_assert(sizeof(value) == sizeof(double) && sizeof(value) == sizeof(char *),
                   "what a row holds of a field is as long as that");
    memcpy(&value, (const char *)values + field->offset, sizeof(value));
    memcpy(&other, (const char *)others + field->offset, sizeof(other));
    return value == other;
}

/* What a column repeats is copied from the row before: NULL where there is none. */
static void row(struct buf *out, struct fields fields, const void *values, const void *before,
                struct place places[PLACES])
{
    buf_char(out, '{');
    for (size_t i = 0; i < fields.n; i++) {
        const struct field *field = &fields.at[i];
        size_t start = out->length;
        if (before && i < PLACES && is_same(field, values, before)) {
            buf_again(out, places[i].at, places[i].n);
        } else {
            key(out, &in_row[i == 0], field);
            value_json(out, field, values);
        }
        if (i < PLACES)
            places[i] = (struct place){start, out->length - start};
    }
    buf_char(out, '}');
}

static void table(struct buf *out, const struct table *table)
{
    struct place places[PLACES];
    const char *before = NULL, *values = table->rows;

    buf_char(out, '[');
    for (size_t i = 0; i < table->n; i++) {
        buf_text(out, i ? ",\n    " : "\n    ");
        row(out, table->fields, values, before, places);
        before = values;
        values += table->stride;
    }
    buf_text(out, table->n ? "\n  ]" : "]");
}

/* What source_name() says, as a member. */
static const struct {
    const char *text;
    size_t length;
} sources[] = {
#define MEMBER(text)           \
    {                          \
        text, sizeof(text) - 1 \
    }
    [SOURCE_DEFAULT] = MEMBER(", \"source\": \"default\""),
    [SOURCE_REQUEST] = MEMBER(", \"source\": \"request\""),
    [SOURCE_CATALOG] = MEMBER(", \"source\": \"catalog\""),
    [SOURCE_CHOSEN] = MEMBER(", \"source\": \"chosen\""),
#undef MEMBER
};

static void input(struct buf *out, const struct inputs *inputs, size_t i, const char *currency)
{
    const struct field *field = &inputs->fields.at[i];
    char unit[UNIT_SIZE];

    key(out, &in_inputs[i == 0], field);
    buf_text(out, "{\"value\": ");
    if (field_is_text(field))
        value_json(out, field, inputs->values);
    else
        value_echo(out, field, inputs->values, "null");
    if (field->unit[0]) {
        buf_text(out, ", \"unit\": ");
        value_json_text(out, value_unit(field->unit, currency, unit));
    }
    buf_add(out, sources[inputs->sources[i]].text, sources[inputs->sources[i]].length);
    if (inputs->references[i]) {
        buf_text(out, ", \"reference\": ");
        value_json_text(out, inputs->references[i]);
    }
    buf_char(out, '}');
}

static void inputs(struct buf *out, const struct inputs *in, const char *currency)
{
    buf_char(out, '{');
    for (size_t i = 0; i < in->fields.n; i++)
        input(out, in, i, currency);
    buf_text(out, "\n  }");
}

static void warnings(struct buf *out, const struct answer *answer)
{
    buf_char(out, '[');
    for (size_t i = 0; i < answer->n_warnings; i++) {
        buf_text(out, i ? ",\n    {\"code\": " : "\n    {\"code\": ");
        value_json_text(out, answer->warnings[i].code);
        buf_text(out, ", \"detail\": ");
        value_json_text(out, answer->warnings[i].detail);
        buf_char(out, '}');
    }
    buf_text(out, answer->n_warnings ? "\n  ]" : "]");
}

static void links(struct buf *out, const struct answer *answer)
{
    buf_char(out, '{');
    for (size_t i = 0; i < answer->n_links; i++) {
        buf_text(out, i ? ",\n    " : "\n    ");
        value_json_text(out, answer->links[i].name);
        buf_text(out, ": ");
        value_json_text(out, answer->links[i].target);
    }
    buf_text(out, answer->n_links ? "\n  }" : "}");
}

/* What only a list has. */
static void list_members(struct buf *out, bool *first, const struct answer *answer)
{
    if (isfinite(answer->count)) {
        member(out, first, "count");
        value_number(out, FIELD_COUNT, answer->count);
    }
    if (answer->next_cursor) {
        member(out, first, "next_cursor");
        value_json_text(out, answer->next_cursor);
    }
}

/* About how long it gets. */
static size_t length_of(const struct answer *answer)
{
    const size_t value = 48, input = 128;
    size_t values = answer->fields.n;

    for (size_t i = 0; i < answer->n_tables; i++)
        values += answer->tables[i].n * answer->tables[i].fields.n;
    return values * value + answer->inputs.fields.n * input;
}

void write_json(const struct answer *answer, struct buf *out)
{
    bool first = true;

    buf_expect(out, length_of(answer));
    buf_char(out, '{');
    members(out, &first, answer->fields, answer->values);
    members(out, &first, answer_meta_fields, &answer->meta);
    list_members(out, &first, answer);
    for (size_t i = 0; i < answer->n_tables; i++) {
        member(out, &first, answer->tables[i].name);
        table(out, &answer->tables[i]);
    }
    if (answer->inputs.fields.n) {
        member(out, &first, "inputs");
        inputs(out, &answer->inputs, answer->meta.currency);
    }
    member(out, &first, "warnings");
    warnings(out, answer);
    member(out, &first, "links");
    links(out, answer);
    buf_text(out, "\n}\n");
}
