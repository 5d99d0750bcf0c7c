#include "answer/write.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

static void add(struct cells *cells, struct cell cell)
{
    if (cells->n < CELLS_MAX)
        cells->at[cells->n++] = cell;
}

static void add_fields(struct cells *cells, struct fields fields, const void *values)
{
    for (size_t i = 0; i < fields.n; i++)
        add(cells, (struct cell){NULL, fields.at[i].name, &fields.at[i], NULL, values});
}

static void add_keyed(struct cells *cells, const struct table *table)
{
    const struct field *key = fields_find(table->fields, "key");
    const struct field *unit = fields_find(table->fields, "unit");
    const struct field *value = fields_find(table->fields, table->value_field);

    for (size_t i = 0; i < table->n; i++) {
        const void *row = (const char *)table->rows + i * table->stride;
        add(cells, (struct cell){table->name, field_text(key, row), value, unit, row});
    }
}

void cells_of(const struct answer *answer, struct cells *cells)
{
    cells->n = 0;
    if (answer->fields.n)
        add_fields(cells, answer->fields, answer->values);
    else if (answer->n_tables && answer->tables[0].n)
        add_fields(cells, answer->tables[0].fields, answer->tables[0].rows);
    add_fields(cells, answer_meta_fields, &answer->meta);
    for (size_t i = 0; i < answer->n_tables; i++)
        if (answer->tables[i].value_field)
            add_keyed(cells, &answer->tables[i]);
}

bool cell_is(const struct cell *cell, const char *name, size_t n)
{
    if (cell->prefix) {
        size_t length = strlen(cell->prefix);
        if (n <= length || memcmp(cell->prefix, name, length) != 0 || name[length] != '.')
            return false;
        name += length + 1;
        n -= length + 1;
    }
    return strlen(cell->name) == n && memcmp(cell->name, name, n) == 0;
}

void cell_print_name(const struct cell *cell, struct buf *out)
{
    if (cell->prefix) {
        buf_text(out, cell->prefix);
        buf_char(out, '.');
    }
    buf_text(out, cell->name);
}

bool cells_missing(const struct cells *cells, const char *parameter, const char *name,
                   struct err *err)
{
    char best[128] = "";
    size_t least = (size_t)-1;

    for (size_t i = 0; i < cells->n; i++) {
        const struct cell *cell = &cells->at[i];
        char full[128];
        snprintf(full, sizeof(full), "%s%s%s", cell->prefix ? cell->prefix : "",
                 cell->prefix ? "." : "", cell->name);
        size_t distance = text_distance(name, full);
        if (distance < least) {
            least = distance;
            memcpy(best, full, sizeof(best));
        }
    }
    return err_add(err, parameter, name, "unknown_field",
                   "this answer has no such field; the nearest is %s", best);
}
