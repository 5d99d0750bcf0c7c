#include "answer/value.h"
#include "answer/write.h"

#include <math.h>

/* Flat, elements only, no namespace, so that FILTERXML and IMPORTXML can address everything. */

static void element(struct buf *out, const char *name, const char *text)
{
    buf_print(out, "<%s>", name);
    value_xml_text(out, text);
    buf_print(out, "</%s>", name);
}

static void field_element(struct buf *out, const struct field *field, const void *values,
                          bool echoed)
{
    if (!value_known(field, values)) {
        buf_print(out, "<%s/>", field->name);
    } else if (field_is_text(field)) {
        element(out, field->name, field_text(field, values));
    } else {
        buf_print(out, "<%s>", field->name);
        (echoed ? value_echo : value_text)(out, field, values, "");
        buf_print(out, "</%s>", field->name);
    }
}

static void elements(struct buf *out, struct fields fields, const void *values)
{
    for (size_t i = 0; i < fields.n; i++)
        field_element(out, &fields.at[i], values, false);
}

static void inputs(struct buf *out, const struct inputs *in)
{
    buf_text(out, "\n<inputs>");
    for (size_t i = 0; i < in->fields.n; i++)
        field_element(out, &in->fields.at[i], in->values, true);
    buf_text(out, "</inputs>");
}

static void table(struct buf *out, const struct table *table)
{
    for (size_t i = 0; i < table->n; i++) {
        buf_print(out, "\n<%s>", table->row_name);
        elements(out, table->fields, (const char *)table->rows + i * table->stride);
        buf_print(out, "</%s>", table->row_name);
    }
}

void xml_write(const struct answer *answer, struct buf *out)
{
    buf_print(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<%s>\n", answer->name);
    elements(out, answer->fields, answer->values);
    elements(out, answer_meta_fields, &answer->meta);
    if (isfinite(answer->count))
        buf_print(out, "<count>%.0f</count>", answer->count);
    if (answer->next_cursor)
        element(out, "next_cursor", answer->next_cursor);
    for (size_t i = 0; i < answer->n_tables; i++)
        table(out, &answer->tables[i]);
    if (answer->inputs.fields.n)
        inputs(out, &answer->inputs);
    for (size_t i = 0; i < answer->n_warnings; i++) {
        buf_text(out, "\n<warning>");
        element(out, "code", answer->warnings[i].code);
        element(out, "detail", answer->warnings[i].detail);
        buf_text(out, "</warning>");
    }
    buf_print(out, "\n</%s>\n", answer->name);
}
