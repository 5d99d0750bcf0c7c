#include "store/table.h"

#include "base/buf.h"
#include "base/arena.h"
#include "base/mem.h"
#include "base/text.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { SQL_MAX = 4096 };

/* Where a cell goes: copied bytewise, as offsetof gives no type. */
#define PUT(to, value) memcpy((to), &(value), sizeof(value))

static bool put_number(const char *text, enum column_type type, void *to)
{
    double number = (double)NAN;

    if (text && !text_number(text, &number))
        return false;
    if (type == COLUMN_INT) {
        int whole = isnan(number) ? 0 : (int)number;
        PUT(to, whole);
    } else {
        PUT(to, number);
    }
    return true;
}

static bool put_day(const char *text, void *to)
{
    const int32_t none = 0;
    int32_t day;

    if (!text)
        PUT(to, none);
    else if (text_day(text, &day))
        PUT(to, day);
    else
        return false;
    return true;
}

/* The text of a cell as it is kept: the one of the row before where it is the same, as sources and
 * names often are. */
static const char *keep_text(const char *text, struct arena *arena, const char *before)
{
    if (!text || !arena)
        return text ? text : "";
    return before && strcmp(before, text) == 0 ? before : arena_text(arena, text);
}

/* `text` is NULL for null; without an arena it is not copied. `before` is the same cell of the row
 * before, NULL: there is none. */
static bool put(const char *text, enum column_type type, struct arena *arena, const void *before,
                void *to)
{
    switch (type) {
    case COLUMN_TEXT: {
        const char *kept = NULL;
        if (before)
            memcpy(&kept, before, sizeof(kept));
        kept = keep_text(text, arena, kept);
        PUT(to, kept);
        return true;
    }
    case COLUMN_FLAG: {
        bool flag = text && text[0] == 't';
        PUT(to, flag);
        return true;
    }
    case COLUMN_DAY:
        return put_day(text, to);
    case COLUMN_NUMBER:
    case COLUMN_INT:
        return put_number(text, type, to);
    }
    return false;
}

static bool read_row(const struct table *table, const PGresult *result, int row,
                     struct arena *arena, const char *before, char *to, struct err *err)
{
    for (size_t i = 0; i < table->n_columns; i++) {
        const struct column *column = &table->columns[i];
        int at = (int)i;
        const char *text = PQgetisnull(result, row, at) ? NULL : PQgetvalue(result, row, at);

        if (!put(text, column->type, arena, before ? before + column->offset : NULL,
                 to + column->offset))
            return err_set(err, ERR_INTERNAL, "column %s of %s holds %.40s", column->sql,
                           table->from, text);
    }
    return true;
}

/* What the table selects, after `before`. */
static void print_select(struct buf *sql, const char *before, const struct table *table)
{
    buf_init(sql, SQL_MAX);
    buf_print(sql, "%s select ", before);
    for (size_t i = 0; i < table->n_columns; i++)
        buf_print(sql, "%s%s", i ? ", " : "", table->columns[i].sql);
    buf_print(sql, " from %s", table->from);
}

bool table_load(PGconn *conn, const struct table *table, struct arena *arena, void **rows,
                size_t *n_rows, struct err *err)
{
    PGresult *result;
    struct buf sql;

    print_select(&sql, "", table);
    bool good = db_query(conn, buf_data(&sql), &result, err);
    buf_free(&sql);
    if (!good)
        return false;
    int n = PQntuples(result);
    char *to = arena_alloc(arena, (size_t)n * table->row_size);
    for (int row = 0; good && row < n; row++) {
        char *at = to + (size_t)row * table->row_size;
        good = read_row(table, result, row, arena, row ? at - table->row_size : NULL, at, err);
    }
    PQclear(result);
    *rows = to;
    *n_rows = (size_t)n;
    return good;
}

/* The next rows of the cursor; `row` has room for one. */
static bool take_portion(PGconn *conn, const struct table *table, void *row,
                         void (*take)(void *, const void *), void *context, int *n, struct err *err)
{
    PGresult *result;
    bool good = true;

    if (!db_query(conn, "fetch 5000 from portions", &result, err))
        return false;
    *n = PQntuples(result);
    for (int i = 0; good && i < *n; i++) {
        good = read_row(table, result, i, NULL, NULL, row, err);
        if (good)
            take(context, row);
    }
    PQclear(result);
    return good;
}

bool table_each(PGconn *conn, const struct table *table,
                void (*take)(void *context, const void *row), void *context, struct err *err)
{
    void *row = mem_alloc(table->row_size);
    struct buf sql;
    int n = 1;

    print_select(&sql, "declare portions no scroll cursor for", table);
    bool good = db_run(conn, buf_data(&sql), err);
    while (good && n)
        good = take_portion(conn, table, row, take, context, &n, err);
    good = good && db_run(conn, "close portions", err);
    buf_free(&sql);
    free(row);
    return good;
}
