#include "store/history.h"

#include <stdalign.h>
#include <stddef.h>
#include <string.h>

/* Precedes each row; aligned for double, like the rows, so that both stay aligned throughout the
 * array. */
struct header {
    alignas(double) day until;
    bool gone;
};

static const struct column header_columns[] = {
    {"until", COLUMN_DAY, offsetof(struct header, until)},
    {"gone", COLUMN_FLAG, offsetof(struct header, gone)},
};
enum { HEADER_COLUMNS = sizeof(header_columns) / sizeof(header_columns[0]) };

/* A table like `table`, but read from the history and with a header before each row. */
static struct table with_header(const char *name, const struct table *table, struct arena *arena)
{
    size_t n = HEADER_COLUMNS + table->n_columns;
    struct column *columns = arena_alloc(arena, n * sizeof(*columns));

    memcpy(columns, header_columns, sizeof(header_columns));
    for (size_t i = 0; i < table->n_columns; i++) {
        columns[HEADER_COLUMNS + i] = table->columns[i];
        columns[HEADER_COLUMNS + i].offset += sizeof(struct header);
    }
    const char *from =
        arena_print(arena,
                    "(select p.until, p.before is null as gone, r.* from public.row_past p, "
                    "jsonb_populate_record(null::public.%s, coalesce(p.before, p.key)) r "
                    "where p.table_name = '%s') former",
                    name, name);
    return (struct table){from, columns, n, sizeof(struct header) + table->row_size};
}

bool history_load(PGconn *conn, const char *name, const struct table *table, struct arena *arena,
                  struct history *history, struct err *err)
{
    struct table former = with_header(name, table, arena);
    void *loaded;

    if (!table_load(conn, &former, arena, &loaded, &history->n, err))
        return false;
    history->rows = arena_alloc(arena, history->n * sizeof(*history->rows));
    for (size_t i = 0; i < history->n; i++) {
        const char *at = (const char *)loaded + i * former.row_size;
        const struct header *header = (const void *)at;
        history->rows[i] = (struct history_row){at + sizeof(*header), header->until, header->gone};
    }
    return true;
}
