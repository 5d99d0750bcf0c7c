#include "ask_table.h"

#include <stdlib.h>
#include <string.h>

/* A cell that is longer pushes the rest of its row to the right. */
enum { COLUMNS_MAX = 128, WIDTH_MAX = 44 };

struct column {
    size_t width;
    bool words; /* something in it is no number */
};

static bool is_number(const char *cell, size_t n)
{
    char *end;

    (void)strtod(cell, &end);
    return n == 0 || end == cell + n;
}

static const char *end_of_cell(const char *cell)
{
    return cell + strcspn(cell, "\t\n");
}

static void measure(const char *tsv, struct column *columns)
{
    size_t column = 0;
    bool head = true;

    for (const char *cell = tsv; *cell;) {
        const char *end = end_of_cell(cell);
        size_t n = (size_t)(end - cell);
        if (column < COLUMNS_MAX) {
            struct column *at = &columns[column];
            at->words = at->words || (!head && !is_number(cell, n));
            if (n > at->width)
                at->width = n < WIDTH_MAX ? n : WIDTH_MAX;
        }
        column = *end == '\t' ? column + 1 : 0;
        head = head && *end == '\t';
        cell = end + (*end != '\0');
    }
}

static void put_cell(struct buf *out, const char *cell, size_t n, const struct column *column,
                     bool last)
{
    size_t blank = n < column->width ? column->width - n : 0;

    for (size_t i = 0; !column->words && i < blank; i++)
        buf_char(out, ' ');
    buf_add(out, cell, n);
    for (size_t i = 0; column->words && !last && i < blank; i++)
        buf_char(out, ' ');
    buf_text(out, last ? "\n" : "  ");
}

void ask_table(const char *tsv, struct buf *out)
{
    struct column columns[COLUMNS_MAX] = {0};
    size_t column = 0;

    measure(tsv, columns);
    for (const char *cell = tsv; *cell;) {
        const char *end = end_of_cell(cell);
        bool last = *end != '\t';
        put_cell(out, cell, (size_t)(end - cell),
                 &columns[column < COLUMNS_MAX ? column : COLUMNS_MAX - 1], last);
        column = last ? 0 : column + 1;
        cell = end + (*end != '\0');
    }
}
