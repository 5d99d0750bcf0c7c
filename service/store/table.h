/* table.h - reading a whole table into an array of structs, column by column from a description. */
#ifndef STORE_TABLE_H
#define STORE_TABLE_H

#include "base/arena.h"
#include "store/db.h"

enum column_type {
    COLUMN_TEXT,   /* const char *, "" where null */
    COLUMN_NUMBER, /* double, NAN where null */
    COLUMN_FLAG,   /* bool, false where null */
    COLUMN_DAY,    /* int32_t as yyyymmdd, 0 where null */
    COLUMN_INT,    /* int, 0 where null */
    COLUMN_COUNT, /* double, NAN where null, of an integer column: cheaper to send than a numeric */
};

/* What to select, and where it goes in the struct. */
struct column {
    const char *sql;
    enum column_type type;
    size_t offset;
};

struct table {
    const char *from; /* all that follows "from": the table and its order */
    const struct column *columns;
    size_t n_columns, row_size;
};

/* Select every row into an array that the arena owns; *rows is never NULL. False, naming table and
 * column, where a value is not what its column should hold. */
bool table_load(PGconn *conn, const struct table *table, struct arena *arena, void **rows,
                size_t *n_rows, struct err *err) MUST_CHECK;

/* Give every row to `take` as it arrives; its texts are gone when it returns.
 * Inside a transaction. */
bool table_each(PGconn *conn, const struct table *table,
                void (*take)(void *context, const void *row), void *context,
                struct err *err) MUST_CHECK;

#endif
