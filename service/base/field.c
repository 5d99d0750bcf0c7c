#include "base/field.h"

#include <math.h>
#include <string.h>

bool field_is_text(const struct field *field)
{
    return field->type == FIELD_CHOICE || field->type == FIELD_TEXT || field->type == FIELD_DATE;
}

double field_number(const struct field *field, const void *values)
{
    double value;

    memcpy(&value, (const char *)values + field->offset, sizeof(value));
    return value;
}

const char *field_text(const struct field *field, const void *values)
{
    const char *text;

    memcpy(&text, (const char *)values + field->offset, sizeof(text));
    return text;
}

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

const struct field *fields_find(struct fields fields, const char *name)
{
    for (size_t i = 0; i < fields.n; i++)
        if (strcmp(fields.at[i].name, name) == 0)
            return &fields.at[i];
    return NULL;
}
