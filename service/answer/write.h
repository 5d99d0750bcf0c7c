/* write.h - the writers behind answer_write(), and the cells the one-row formats share. */
#ifndef ANSWER_WRITE_H
#define ANSWER_WRITE_H

#include "answer/answer.h"

/* `earlier`: NULL, or what this thread wrote before. */
void json_write(const struct answer *answer, struct json_fragments *fragments, struct buf *out);
void xml_write(const struct answer *answer, struct buf *out);
void html_write(const struct answer *answer, struct buf *out);
void xlsx_write(const struct answer *answer, struct buf *out);
bool csv_write(const struct answer *answer, enum format format, const struct style *style,
               struct buf *out, struct err *err) MUST_CHECK;
bool text_write(const struct answer *answer, const char *field, struct buf *out,
                struct err *err) MUST_CHECK;

/* One value of an answer seen as a single row: its headline values, its keyed tables flattened as
 * table.key, and what every answer carries. For a list: the columns of its first row. */
struct cell {
    const char *prefix; /* table name before the dot, NULL where there is none */
    const char *name;
    const struct field *field;
    const struct field *unit; /* the column that holds its unit, NULL where the field does */
    const void *values;
};

enum { CELLS_MAX = 512 };

struct cells {
    size_t n;
    struct cell at[CELLS_MAX];
};

void flatten_answer(const struct answer *answer, struct cells *cells);
/* Whether the cell is called `name` of n bytes, as in table.key. */
bool flatten_cell_is(const struct cell *cell, const char *name, size_t n);
/* The cell called `name` of n bytes; NULL after a culprit, under `parameter`, where there is none.
 */
const struct cell *flatten_find(const struct cells *cells, const char *parameter, const char *name,
                                size_t n, struct err *err);
void flatten_print_name(const struct cell *cell, struct buf *out);
/* ERR_INVALID for a field that is not there, with the nearest that is. */
bool flatten_missing(const struct cells *cells, const char *parameter, const char *name,
                     struct err *err);

#endif
