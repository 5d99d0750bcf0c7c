/* flatten.h - an answer flattened to one row of cells, for the one-row formats. */
#ifndef ANSWER_FLATTEN_H
#define ANSWER_FLATTEN_H

#include "answer/answer.h"

/* One value of a flattened answer: a headline value, a value of a keyed table as table.key, or one
 * of the fields common to every answer. For a list: a column of its first row. */
struct cell {
    const char *prefix; /* table name before the dot, or NULL */
    const char *name;
    const struct field *field;
    const struct field *unit; /* the column that holds the unit, or NULL if `field` gives it */
    const void *values;
};

enum { CELLS_MAX = 512 };

struct cells {
    size_t n;
    struct cell at[CELLS_MAX];
};

void flatten_answer(const struct answer *answer, struct cells *cells);
/* True if the cell's name, such as table.key, equals the n bytes at `name`. */
bool flatten_cell_is(const struct cell *cell, const char *name, size_t n);
/* The cell named by the n bytes at `name`, a part of the parameter `fields`. If there is none, adds
 * a culprit and returns NULL.
 */
const struct cell *flatten_find(const struct cells *cells, const char *name, size_t n,
                                struct err *err);
void flatten_print_name(const struct cell *cell, struct buf *out);
/* Reports an unknown field as ERR_INVALID, suggesting the nearest name. */
bool flatten_missing(const struct cells *cells, const char *parameter, const char *name,
                     struct err *err);

#endif
