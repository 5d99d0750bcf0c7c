#include "answer/json_fragments.h"
#include "answer/value.h"
#include "answer/write.h"

#include <assert.h>
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

/* The text before a member, or before the first one of an object; copied with a fixed size. */
struct gap {
    char text[8]; /* padded, since all bytes are copied */
    size_t n;
};

static const struct gap in_answer[] = {{",\n  ", 4}, {"\n  ", 3}};
static const struct gap in_inputs[] = {{",\n    ", 6}, {"\n    ", 5}};
static const struct gap in_row = {", ", 2};

/* Start the member of that field. */
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

static void members(struct buf *out, struct json_fragments *fragments, bool *first,
                    struct fields fields, const void *values)
{
    struct fragment fragment;

    json_fragments_begin(&fragment, fragments, fields, &in_answer[*first], out);
    for (size_t i = 0; i < fields.n; i++) {
        i += json_fragments_repeated(&fragment, fields.at + i, values, NULL, fields.n - i);
        if (i == fields.n)
            break;
        json_fragments_flush(&fragment);
        key(out, &in_answer[*first && i == 0], &fields.at[i]);
        value_json(out, &fields.at[i], values);
        json_fragments_wrote(&fragment, &fields.at[i],
                             (struct fragment_key){fragment_key_value(&fields.at[i], values), 0});
    }
    *first = *first && !fields.n;
    json_fragments_end(&fragment);
}

/* The rows of one table, in sequence. */
struct rows {
    struct fragment fragment;
    struct fields fields;
    const char *before; /* previous row, or NULL */
};

static void row(struct rows *rows, const char *values)
{
    static const struct gap first = {"\n    {", 6}, next = {",\n    {", 7};
    const struct fields fields = rows->fields;
    struct buf *out = rows->fragment.out;

    for (size_t i = 0; i < fields.n; i++) {
        i += json_fragments_repeated(&rows->fragment, fields.at + i, values, NULL, fields.n - i);
        if (i == fields.n)
            break;
        json_fragments_flush(&rows->fragment);
        key(out, i ? &in_row : rows->before ? &next : &first, &fields.at[i]);
        value_json(out, &fields.at[i], values);
        if (i + 1 == fields.n)
            buf_char(out, '}');
        json_fragments_wrote(&rows->fragment, &fields.at[i],
                             (struct fragment_key){fragment_key_value(&fields.at[i], values), 0});
    }
    rows->before = values;
}

/* Each type of answer has cached tables of its own. */
static void table(struct buf *out, struct json_fragments *fragments, const char *kind,
                  const struct table *table)
{
    struct rows rows = {.fields = table->fields};
    const char *values = table->rows;

    buf_char(out, '[');
    json_fragments_begin(&rows.fragment, fragments, table->fields, kind, out);
    for (size_t i = 0; i < table->n; i++, values += table->stride)
        row(&rows, values);
    json_fragments_end(&rows.fragment);
    buf_text(out, table->n ? "\n  ]" : "]");
}

/* The texts of label_source(), as members. */
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

static void inputs(struct buf *out, struct json_fragments *fragments, const struct inputs *in,
                   const char *currency)
{
    bool usual = strcmp(currency, "USD") == 0; /* other currencies change the units */
    uint64_t references[FIELDS_MAX];
    size_t n = in->fields.n;
    struct fragment fragment;

    assert(n <= FIELDS_MAX);
    for (size_t i = 0; i < n; i++)
        references[i] = fragment_key_reference(in->references[i], in->sources[i]);
    buf_char(out, '{');
    json_fragments_begin(&fragment, usual ? fragments : NULL, in->fields, in_inputs, out);
    for (size_t i = 0; i < n; i++) {
        i += json_fragments_repeated(&fragment, in->fields.at + i, in->values, references + i,
                                     n - i);
        if (i == n)
            break;
        json_fragments_flush(&fragment);
        input(out, in, i, currency);
        json_fragments_wrote(&fragment, &in->fields.at[i],
                             (struct fragment_key){
                                 fragment_key_value(&in->fields.at[i], in->values), references[i]});
    }
    json_fragments_end(&fragment);
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

/* Members that only lists have. */
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

/* Estimated length of the document. */
static size_t length_of(const struct answer *answer)
{
    const size_t value = 48, input = 128;
    size_t values = answer->fields.n;

    for (size_t i = 0; i < answer->n_tables; i++)
        values += answer->tables[i].n * answer->tables[i].fields.n;
    return values * value + answer->inputs.fields.n * input;
}

void json_write(const struct answer *answer, struct json_fragments *fragments, struct buf *out)
{
    bool first = true;

    buf_expect(out, length_of(answer));
    buf_char(out, '{');
    members(out, fragments, &first, answer->fields, answer->values);
    members(out, fragments, &first, answer_meta_fields, &answer->meta);
    list_members(out, &first, answer);
    for (size_t i = 0; i < answer->n_tables; i++) {
        member(out, &first, answer->tables[i].name);
        table(out, fragments, answer->name, &answer->tables[i]);
    }
    if (answer->inputs.fields.n) {
        member(out, &first, "inputs");
        inputs(out, fragments, &answer->inputs, answer->meta.currency);
    }
    member(out, &first, "warnings");
    warnings(out, answer);
    member(out, &first, "links");
    links(out, answer);
    buf_text(out, "\n}\n");
}
