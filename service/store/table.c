#include "store/table.h"

#include "base/buf.h"
#include "base/arena.h"
#include "base/mem.h"
#include "base/text.h"
#include "store/binary.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { SQL_MAX = 4096 };

/* Store a cell: copied bytewise, since offsetof gives no type. */
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

/* The text of a cell, shared with the previous row if equal, as sources and names often are. */
static const char *keep_text(const char *text, struct arena *arena, const char *before)
{
    if (!text || !arena)
        return text ? text : "";
    return before && strcmp(before, text) == 0 ? before : arena_text(arena, text);
}

/* `text` is NULL for null; without an arena it is not copied. `before` is the same cell of the
 * previous row, or NULL. */
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
    case COLUMN_COUNT:
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

/* Print the table's select, after `before`. */
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
    assert(to); /* the analyzer does not know returns_nonnull */
    for (int row = 0; good && row < n; row++) {
        char *at = to + (size_t)row * table->row_size;
        good = read_row(table, result, row, arena, row ? at - table->row_size : NULL, at, err);
    }
    PQclear(result);
    *rows = to;
    *n_rows = (size_t)n;
    return good;
}

/* The text at `cell` of a row to its place in the copy. A text that is shared with the row before,
 * `size` bytes earlier (0: there is none), is shared in the copy too. */
static void copy_text(const char *cell, char *to, size_t size, struct arena *arena)
{
    const char *text, *before = NULL;

    memcpy(&text, cell, sizeof(text));
    if (size)
        memcpy(&before, cell - size, sizeof(before));
    if (size && text == before)
        memcpy(&text, to - size, sizeof(text));
    else
        text = arena_text(arena, text);
    PUT(to, text);
}

void *table_copy(const struct table *table, const void *rows, size_t n_rows, struct arena *arena)
{
    size_t size = table->row_size;
    char *copy = memcpy(arena_room(arena, n_rows * size + 1), rows, n_rows * size);

    for (size_t row = 0; row < n_rows; row++)
        for (size_t i = 0; i < table->n_columns; i++) {
            size_t at = row * size + table->columns[i].offset;
            if (table->columns[i].type == COLUMN_TEXT)
                copy_text((const char *)rows + at, copy + at, row ? size : 0, arena);
        }
    return copy;
}

static bool put_binary(struct binary_value value, enum column_type type, char *to)
{
    const char *text = value.at ? (const char *)value.at : "";
    bool flag = text[0], good = true;
    double number;
    int32_t whole;

    switch (type) {
    case COLUMN_TEXT:
        PUT(to, text);
        break;
    case COLUMN_FLAG:
        PUT(to, flag);
        break;
    case COLUMN_DAY:
        good = binary_day(value, &whole);
        PUT(to, whole);
        break;
    case COLUMN_INT:
        good = binary_whole(value, &whole);
        PUT(to, whole);
        break;
    case COLUMN_COUNT:
        good = binary_count(value, &number);
        PUT(to, number);
        break;
    case COLUMN_NUMBER:
        good = binary_numeric(value, &number);
        PUT(to, number);
        break;
    }
    return good;
}

/* A row in COPY's binary format: the number of values, then each value's length and bytes. The
 * first row is preceded by a header of 19 bytes; -1 values end the copy. */
struct copied {
    unsigned char *at, *end;
};

enum { COPY_HEADER = 19 };

/* A text ends where the length of the next value begins, so its NUL is written once that length has
 * been read; libpq puts a NUL after the last. */
static bool next_value(struct copied *copied, struct binary_value *value)
{
    unsigned char *at = copied->at;

    if (copied->end - at < (ptrdiff_t)sizeof(int32_t))
        return false;
    int32_t size = binary_int32(at);
    *at = '\0';
    at += sizeof(int32_t);
    if (size > copied->end - at)
        return false;
    *value = size < 0 ? (struct binary_value){NULL, 0} : (struct binary_value){at, (size_t)size};
    copied->at = at + value->size;
    return true;
}

static bool read_copied(const struct table *table, struct copied copied, char *row, struct err *err)
{
    struct binary_value value;

    copied.at += sizeof(int16_t);
    for (size_t i = 0; i < table->n_columns; i++) {
        const struct column *column = &table->columns[i];
        if (!next_value(&copied, &value) || !put_binary(value, column->type, row + column->offset))
            return err_set(err, ERR_INTERNAL, "column %s of %s cannot be read", column->sql,
                           table->from);
    }
    return true;
}

/* Cast all columns to a few binary types, one per column type. */
static void print_copy(struct buf *sql, const struct table *table)
{
    static const char *const types[] = {
        [COLUMN_TEXT] = "text",    [COLUMN_NUMBER] = "numeric", [COLUMN_COUNT] = "bigint",
        [COLUMN_FLAG] = "boolean", [COLUMN_DAY] = "date",       [COLUMN_INT] = "integer"};

    buf_init(sql, SQL_MAX + strlen(table->from));
    buf_text(sql, "copy (select ");
    for (size_t i = 0; i < table->n_columns; i++)
        buf_print(sql, "%s%s::%s", i ? ", " : "", table->columns[i].sql,
                  types[table->columns[i].type]);
    buf_print(sql, " from %s) to stdout (format binary)", table->from);
}

/* Reads all rows from the connection, even after an invalid one. */
static bool take_copied(PGconn *conn, const struct table *table, void *row,
                        void (*take)(void *, const void *), void *context, struct err *err)
{
    size_t size, skip = COPY_HEADER;
    bool good = true;
    char *bytes;

    for (;;) {
        if (!db_copy_row(conn, &bytes, &size, err))
            return false;
        if (!bytes)
            return good;
        struct copied copied = {(unsigned char *)bytes + skip, (unsigned char *)bytes + size};
        bool whole = size >= skip + sizeof(int16_t);
        bool last = whole && binary_int16(copied.at) < 0;
        if (good && !last) {
            good = (whole || err_set(err, ERR_INTERNAL, "%s: a row is cut off", table->from)) &&
                   read_copied(table, copied, row, err);
            if (good)
                take(context, row);
        }
        PQfreemem(bytes);
        skip = 0;
    }
}

bool table_each(PGconn *conn, const struct table *table,
                void (*take)(void *context, const void *row), void *context, struct err *err)
{
    void *row = mem_alloc(table->row_size);
    struct buf sql;

    print_copy(&sql, table);
    /* No time limit on the rows: until the end of the transaction only a silent server ends a
     * statement. */
    bool good = db_run(conn, "set local statement_timeout = 0", err) &&
                db_copy_begin(conn, buf_data(&sql), err) &&
                take_copied(conn, table, row, take, context, err);
    buf_free(&sql);
    free(row);
    return good;
}
