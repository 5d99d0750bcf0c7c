#include "store/table.h"

#include "base/buf.h"
#include "base/text.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { SQL_MAX = 4096 };

/* Where a cell goes: copied bytewise, as offsetof gives no type. */
#define PUT(to, value) memcpy((to), &(value), sizeof(value))

static bool put_number(const char *text, enum column_type type, void *to)
{
    double number = (double)NAN;

    if (text && !text_number(text, &number))
        return false;
    if (type == COLUMN_YEAR) {
        int year = isnan(number) ? 0 : (int)number;
        PUT(to, year);
    } else {
        PUT(to, number);
    }
    return true;
}

static bool put_day(const char *text, void *to)
{
    int32_t day = 0;

    if (text && !text_day(text, &day))
        return false;
    PUT(to, day);
    return true;
}

/* `text` is NULL for null. */
static bool put(const char *text, enum column_type type, struct arena *arena, void *to)
{
    switch (type) {
    case COLUMN_TEXT: {
        const char *copy = arena_text(arena, text ? text : "");
        PUT(to, copy);
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
    case COLUMN_YEAR:
        return put_number(text, type, to);
    }
    return false;
}

static bool read_row(const struct table *table, const PGresult *result, int row,
                     struct arena *arena, char *to, struct err *err)
{
    for (size_t i = 0; i < table->n_columns; i++) {
        const struct column *column = &table->columns[i];
        int at = (int)i;
        const char *text = PQgetisnull(result, row, at) ? NULL : PQgetvalue(result, row, at);

        if (!put(text, column->type, arena, to + column->offset))
            return err_set(err, ERR_INTERNAL, "column %s of %s holds %.40s", column->sql,
                           table->from, text);
    }
    return true;
}

static bool select_all(PGconn *conn, const struct table *table, PGresult **out, struct err *err)
{
    struct buf sql;

    buf_init(&sql, SQL_MAX);
    buf_text(&sql, "select ");
    for (size_t i = 0; i < table->n_columns; i++)
        buf_print(&sql, "%s%s", i ? ", " : "", table->columns[i].sql);
    buf_print(&sql, " from %s", table->from);
    bool done = db_query(conn, buf_data(&sql), out, err);
    buf_free(&sql);
    return done;
}

bool table_load(PGconn *conn, const struct table *table, struct arena *arena, void **rows,
                size_t *n_rows, struct err *err)
{
    PGresult *result;

    if (!select_all(conn, table, &result, err))
        return false;
    int n = PQntuples(result);
    char *to = arena_alloc(arena, (size_t)n * table->row_size);
    bool good = true;
    for (int row = 0; good && row < n; row++)
        good = read_row(table, result, row, arena, to + (size_t)row * table->row_size, err);
    PQclear(result);
    *rows = to;
    *n_rows = (size_t)n;
    return good;
}
