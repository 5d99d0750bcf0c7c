/* import_model.c - writes a model as a row of its table, using the description it is loaded
 * with. */
#include "store/import_model.h"
#include "store/tables.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Aliases are kept, because no config.json contains them. */
static bool stays(const char *column)
{
    return strcmp(column, "aliases") == 0;
}

enum { COLUMNS_MAX = 64, EXTRA = 1 /* date_basis, which is not loaded */ };

/* Derived once from table_model; two models are compared by all columns except the source. */
static const char *columns[COLUMNS_MAX];
static struct feed_table table = {.name = "model", .columns = columns, .key = "slug"};

const struct feed_table *import_model_table(void)
{
    static char content[2048];
    size_t n = 0, length = 0;

    for (size_t i = 0; i < table_model.n_columns && n < COLUMNS_MAX - EXTRA; i++) {
        const char *name = table_model.columns[i].sql;
        if (stays(name))
            continue;
        columns[n++] = name;
        if (strcmp(name, "slug") != 0 && strncmp(name, "source", 6) != 0)
            length += (size_t)snprintf(content + length, sizeof(content) - length, "%s%s",
                                       length ? "," : "", name);
    }
    columns[n++] = "date_basis";
    table.n_columns = n;
    table.content = content;
    return &table;
}

static const char *print_value(struct arena *arena, const struct column *column, const void *from)
{
    const char *at = (const char *)from + column->offset;
    const char *text;
    double number;
    bool flag;

    switch (column->type) {
    case COLUMN_TEXT:
        memcpy(&text, at, sizeof(text));
        return text && text[0] ? text : NULL;
    case COLUMN_FLAG:
        memcpy(&flag, at, sizeof(flag));
        return flag ? "t" : "f";
    default:
        memcpy(&number, at, sizeof(number));
        return isnan(number) ? NULL : arena_print(arena, "%.15g", number);
    }
}

const char *const *import_model_values(struct arena *arena, const struct model *model)
{
    const char **values = arena_alloc(arena, (table_model.n_columns + EXTRA) * sizeof(*values));
    size_t n = 0;

    for (size_t i = 0; i < table_model.n_columns; i++)
        if (!stays(table_model.columns[i].sql))
            values[n++] = print_value(arena, &table_model.columns[i], model);
    values[n] = "collected";
    return values;
}
