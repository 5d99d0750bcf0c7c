#include "feed/columns.h"

#include "base/spelling.h"
#include "base/text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { CELL_SHOWN = 60 };

bool feed_same_column(const char *field, const char *header)
{
    for (; *field && *header; field++, header++)
        if (tolower((unsigned char)*field) != tolower((unsigned char)*header) &&
            !(*field == '_' && strchr(" /", *header)))
            return false;
    return *field == *header;
}

/* The field of a column; NULL if it is not in the format. */
static const struct field *column_field(const struct feed_format *format, const char *name)
{
    for (size_t i = 0; i < format->fields.n; i++)
        if (feed_same_column(format->fields.at[i].name, name))
            return &format->fields.at[i];
    return NULL;
}

static bool refuse_column(const struct feed_format *format, const char *name, struct err *err)
{
    struct spelling near = spelling_of(name);

    for (size_t i = 0; i < format->fields.n; i++)
        spelling_try(&near, format->fields.at[i].name);
    return err_set(err, ERR_INVALID, "format %s has no column \"%.60s\"; the nearest is \"%s\"",
                   format->name, name, near.nearest);
}

bool feed_column_required(const struct feed_format *format, const struct field *field)
{
    return strcmp(field->fallback, "required") == 0 ||
           (format->needs && text_in_words(format->needs, field->name));
}

bool feed_read_header(const struct feed_format *format, const struct csv *csv,
                      struct feed_columns *columns, struct err *err)
{
    columns->n = csv->n;
    for (size_t i = 0; i < format->fields.n; i++)
        columns->at[i] = SIZE_MAX;
    for (size_t i = 0; i < csv->n; i++) {
        const struct field *field = column_field(format, csv->at[i]);
        if (!field && !format->open)
            return refuse_column(format, csv->at[i], err);
        if (!field)
            continue;
        size_t *at = &columns->at[field - format->fields.at];
        if (*at != SIZE_MAX)
            return err_set(err, ERR_INVALID, "column \"%s\" comes twice", field->name);
        *at = i;
    }
    for (size_t i = 0; i < format->fields.n; i++)
        if (columns->at[i] == SIZE_MAX && feed_column_required(format, &format->fields.at[i]))
            return err_set(err, ERR_INVALID, "format %s needs a column \"%s\"", format->name,
                           format->fields.at[i].name);
    return true;
}

/* Identifies the field whose rule is broken. */
struct check {
    const struct field *field;
    const char *cell;
    char *why;
    size_t size;
};

static bool broken(const struct check *check, const char *rule)
{
    snprintf(check->why, check->size, "%s \"%.*s\" %s", check->field->name, CELL_SHOWN, check->cell,
             rule);
    return false;
}

static bool out_of_range(const struct check *check)
{
    char rule[80];

    snprintf(rule, sizeof(rule), "is not from %g to %g", check->field->min, check->field->max);
    return broken(check, rule);
}

static bool read_flag(const struct check *check, double *number)
{
    static const char *const words[] = {"0", "1", "false", "true", "f", "t"};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (strcasecmp(check->cell, words[i]) == 0) {
            *number = (double)(i % 2);
            return true;
        }
    }
    return broken(check, "is neither true nor false");
}

static bool read_number(const struct check *check, double *number)
{
    const struct field *field = check->field;

    if (field->type == FIELD_FLAG)
        return read_flag(check, number);
    if (!text_number(check->cell, number))
        return broken(check, "is not a number (digits, a point for decimals)");
    if (field->type == FIELD_COUNT && *number != floor(*number))
        return broken(check, "is not a whole number");
    if ((!isnan(field->min) && *number < field->min) ||
        (!isnan(field->max) && *number > field->max))
        return out_of_range(check);
    return true;
}

static bool is_plain(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            return false;
    return true;
}

static bool check_text(const struct check *check)
{
    const struct field *field = check->field;
    double max = isnan(field->max) ? FIELD_TEXT_MAX : field->max;
    int32_t day;

    if (!is_plain(check->cell))
        return broken(check, "holds control characters");
    if (field->type == FIELD_DATE)
        return text_day(check->cell, &day) || broken(check, "is not a day (yyyy-mm-dd)");
    if (field->type == FIELD_CHOICE) {
        const char *word = text_in_words(field->choices, check->cell);
        return (word && strncmp(word, check->cell, strlen(check->cell)) == 0) ||
               broken(check, "is not one of the allowed words");
    }
    return (double)strlen(check->cell) <= max || broken(check, "is too long");
}

static bool read_cell(const struct check *check, void *row)
{
    const struct field *field = check->field;
    double number = (double)NAN;
    bool required = strcmp(field->fallback, "required") == 0;
    bool empty = !check->cell[0];

    if (empty && required)
        return broken(check, "is required");
    if (field_is_text(field)) {
        if (!empty && !check_text(check))
            return false;
        const char *fallback = required ? "" : field->fallback;
        field_set_text(field, row, empty ? fallback : check->cell);
        return true;
    }
    if (!empty && !read_number(check, &number))
        return false;
    field_set_number(field, row, number);
    return true;
}

bool feed_read_record(const struct feed_format *format, const struct feed_columns *columns,
                      const struct csv *csv, void *row, char *why, size_t size)
{
    if (csv->why) {
        snprintf(why, size, "%s", csv->why);
        return false;
    }
    if (csv->n != columns->n) {
        snprintf(why, size, "has %zu fields where the header has %zu", csv->n, columns->n);
        return false;
    }
    for (size_t i = 0; i < format->fields.n; i++) {
        size_t at = columns->at[i];
        struct check check = {&format->fields.at[i], at == SIZE_MAX ? "" : csv->at[at], why, size};
        if (!read_cell(&check, row))
            return false;
    }
    return true;
}
