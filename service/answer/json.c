#include "answer/value.h"
#include "answer/write.h"

#include <math.h>
#include <string.h>

/* Start the next member of an object: comma, newline, name. */
static void member(struct buf *out, bool *first, const char *name)
{
    buf_text(out, *first ? "\n  " : ",\n  ");
    *first = false;
    value_json_text(out, name);
    buf_text(out, ": ");
}

static void key(struct buf *out, const struct field *field)
{
    buf_add(out, field->key, field->length + FIELD_KEY_MARKS);
}

static void members(struct buf *out, bool *first, struct fields fields, const void *values)
{
    for (size_t i = 0; i < fields.n; i++) {
        buf_text(out, *first ? "\n  " : ",\n  ");
        *first = false;
        key(out, &fields.at[i]);
        value_json(out, &fields.at[i], values);
    }
}

static void row(struct buf *out, struct fields fields, const void *values)
{
    buf_char(out, '{');
    for (size_t i = 0; i < fields.n; i++) {
        if (i)
            buf_text(out, ", ");
        key(out, &fields.at[i]);
        value_json(out, &fields.at[i], values);
    }
    buf_char(out, '}');
}

static void table(struct buf *out, const struct table *table)
{
    buf_char(out, '[');
    for (size_t i = 0; i < table->n; i++) {
        buf_text(out, i ? ",\n    " : "\n    ");
        row(out, table->fields, (const char *)table->rows + i * table->stride);
    }
    buf_text(out, table->n ? "\n  ]" : "]");
}

/* What source_name() says, as a member. */
static const char *const sources[] = {
    [SOURCE_DEFAULT] = ", \"source\": \"default\"",
    [SOURCE_REQUEST] = ", \"source\": \"request\"",
    [SOURCE_CATALOG] = ", \"source\": \"catalog\"",
    [SOURCE_CHOSEN] = ", \"source\": \"chosen\"",
};

static void input(struct buf *out, const struct inputs *inputs, size_t i, const char *currency)
{
    const struct field *field = &inputs->fields.at[i];
    char unit[UNIT_SIZE];

    key(out, field);
    buf_text(out, "{\"value\": ");
    if (field_is_text(field))
        value_json(out, field, inputs->values);
    else
        value_echo(out, field, inputs->values, "null");
    if (field->unit[0]) {
        buf_text(out, ", \"unit\": ");
        value_json_text(out, value_unit(field->unit, currency, unit));
    }
    buf_text(out, sources[inputs->sources[i]]);
    if (inputs->references[i]) {
        buf_text(out, ", \"reference\": ");
        value_json_text(out, inputs->references[i]);
    }
    buf_char(out, '}');
}

static void inputs(struct buf *out, const struct inputs *in, const char *currency)
{
    buf_char(out, '{');
    for (size_t i = 0; i < in->fields.n; i++) {
        buf_text(out, i ? ",\n    " : "\n    ");
        input(out, in, i, currency);
    }
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

void write_json(const struct answer *answer, struct buf *out)
{
    bool first = true;

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
