/* table.h - reads a whole table into an array of structs, driven by a description of its
 * columns. */
#ifndef STORE_TABLE_H
#define STORE_TABLE_H

#include "base/arena.h"
#include "store/db.h"

enum column_type {
    COLUMN_TEXT,   /* const char *, "" for null */
    COLUMN_NUMBER, /* double, NAN for null */
    COLUMN_FLAG,   /* bool, false for null */
    COLUMN_DAY,    /* int32_t as yyyymmdd, 0 for null */
    COLUMN_INT,    /* int, 0 for null */
    COLUMN_COUNT,  /* double from an integer column, NAN for null: cheaper to send than a numeric */
};

/* What to select, and its destination in the struct. */
struct column {
    const char *sql;
    enum column_type type;
    size_t offset;
};

struct table {
    const char *from; /* the rest of the query after "from": table and order */
    const struct column *columns;
    size_t n_columns, row_size;
};

/* Select all rows into an array in the arena; *rows is never NULL. Returns false, naming table and
 * column, if a value does not have its column's type. */
bool table_load(PGconn *conn, const struct table *table, struct arena *arena, void **rows,
                size_t *n_rows, struct err *err) MUST_CHECK;

/* A copy, in the arena, of rows that were loaded before. */
void *table_copy(const struct table *table, const void *rows, size_t n_rows, struct arena *arena);

/* Pass each row to `take` as it arrives; its texts are valid only during the call. Call inside a
 * transaction. */
bool table_each(PGconn *conn, const struct table *table,
                void (*take)(void *context, const void *row), void *context,
                struct err *err) MUST_CHECK;

#endif
