#include "answer/flatten.h"

#include "base/spelling.h"
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

void flatten_answer(const struct answer *answer, struct cells *cells)
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

bool flatten_cell_is(const struct cell *cell, const char *name, size_t n)
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

const struct cell *flatten_find(const struct cells *cells, const char *name, size_t n,
                                struct err *err)
{
    char shown[128];

    for (size_t i = 0; i < cells->n; i++)
        if (flatten_cell_is(&cells->at[i], name, n))
            return &cells->at[i];
    snprintf(shown, sizeof(shown), "%.*s", (int)n, name);
    flatten_missing(cells, "fields", shown, err);
    return NULL;
}

void flatten_print_name(const struct cell *cell, struct buf *out)
{
    if (cell->prefix) {
        buf_text(out, cell->prefix);
        buf_char(out, '.');
    }
    buf_text(out, cell->name);
}

bool flatten_missing(const struct cells *cells, const char *parameter, const char *name,
                     struct err *err)
{
    struct spelling near = spelling_of(name);
    char full[128], best[128] = "";

    for (size_t i = 0; i < cells->n; i++) {
        const struct cell *cell = &cells->at[i];
        snprintf(full, sizeof(full), "%s%s%s", cell->prefix ? cell->prefix : "",
                 cell->prefix ? "." : "", cell->name);
        if (spelling_try(&near, full))
            memcpy(best, full, sizeof(best));
    }
    return err_add(err, parameter, name, "unknown_field",
                   "this answer has no such field; did you mean %s?", best);
}

/* The rows kept of a keyed table. */
struct kept_table {
    struct table table;
    char *rows;
};

static struct kept_table *kept_of(struct kept_table kept[TABLES_MAX], size_t *n,
                                  const struct table *table, struct arena *arena)
{
    for (size_t i = 0; i < *n; i++)
        if (kept[i].table.name == table->name)
            return &kept[i];
    kept[*n].table = *table;
    kept[*n].table.rows = kept[*n].rows = arena_alloc(arena, table->n * table->stride);
    kept[*n].table.n = 0;
    return &kept[(*n)++];
}

/* Keep the row of the cell. Repeated names may exceed the table's rows; the excess is ignored. */
static void keep_row(const struct answer *answer, const struct cell *cell,
                     struct kept_table kept[TABLES_MAX], size_t *n, struct arena *arena)
{
    const struct table *table = answer->tables;

    while (table->name != cell->prefix)
        table++;
    struct kept_table *to = kept_of(kept, n, table, arena);
    if (to->table.n < table->n)
        memcpy(to->rows + to->table.n++ * table->stride, cell->values, table->stride);
}

bool answer_pick(struct answer *answer, const char *names, struct arena *arena, struct err *err)
{
    struct field *fields = arena_alloc(arena, (strlen(names) + 1) * sizeof(*fields));
    struct kept_table kept[TABLES_MAX];
    struct cells cells;
    size_t n_fields = 0, n_memos = 0;

    flatten_answer(answer, &cells);
    for (const char *p = names; *p;) {
        size_t n = strcspn(p, ",");
        const struct cell *cell = flatten_find(&cells, p, n, err);
        if (!cell)
            return false;
        if (cell->prefix)
            keep_row(answer, cell, kept, &n_memos, arena);
        else if (cell->values == answer->values)
            fields[n_fields++] = *cell->field;
        p += n + (p[n] == ',');
    }
    answer->fields = (struct fields){fields, n_fields, NULL};
    answer->inputs = (struct inputs){0};
    answer->n_tables = n_memos;
    for (size_t i = 0; i < n_memos; i++)
        answer->tables[i] = kept[i].table;
    return true;
}
