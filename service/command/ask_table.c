#include "command/ask_table.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

/* Gap between columns; maximum width of a column in tables with many columns, and minimum width in
 * tables with few, so that all fit side by side. */
enum { GAP = 2, WIDTH_MAX = 48, FIGURE_WIDTH_MAX = 64, NARROW = 16 };

struct cell {
    const char *text;
    size_t n;
};

struct column {
    size_t width;
    bool words; /* some cell is not a number */
};

struct grid {
    struct cell *cells; /* row by row; the first row is the header */
    struct column *columns;
    size_t n_columns, n_rows;
};

static bool is_number(const struct cell *cell)
{
    char *end;

    (void)strtod(cell->text, &end);
    return end == cell->text + cell->n; /* true for an empty cell too */
}

/* Count characters, not bytes: skips UTF-8 continuation bytes. */
static size_t count_characters(const char *text, size_t n)
{
    size_t count = 0;

    for (size_t i = 0; i < n; i++)
        count += ((unsigned char)text[i] & 0xc0) != 0x80;
    return count;
}

static void read_grid(struct grid *grid, const char *tsv, struct arena *arena)
{
    size_t n = 0, column = 0;

    grid->n_columns = 1;
    for (const char *p = tsv; *p && *p != '\n'; p++)
        grid->n_columns += *p == '\t';
    for (const char *p = tsv; *p; p++)
        grid->n_rows += *p == '\n';
    grid->cells = arena_alloc(arena, (grid->n_rows + 1) * grid->n_columns * sizeof(*grid->cells));
    for (size_t i = 0; i < grid->n_rows * grid->n_columns; i++)
        grid->cells[i].text = "";
    grid->columns = arena_alloc(arena, grid->n_columns * sizeof(*grid->columns));
    for (const char *p = tsv; *p && n < grid->n_rows * grid->n_columns; p++) {
        size_t length = strcspn(p, "\t\n");
        if (column < grid->n_columns)
            grid->cells[n + column++] = (struct cell){p, length};
        p += length;
        if (*p == '\t')
            continue;
        n += grid->n_columns;
        column = 0;
    }
}

static void measure(struct grid *grid)
{
    for (size_t i = 0; i < grid->n_rows * grid->n_columns; i++) {
        struct column *column = &grid->columns[i % grid->n_columns];
        size_t width = count_characters(grid->cells[i].text, grid->cells[i].n);
        column->words = column->words || (i >= grid->n_columns && !is_number(&grid->cells[i]));
        column->width = width > column->width ? width : column->width;
    }
}

/* The widest column that may be narrowed; the first, which holds names, only if there is no
 * other. */
static struct column *widest(const struct grid *grid, size_t least)
{
    struct column *found = &grid->columns[0];

    if (found->width > (grid->n_columns > 3 ? WIDTH_MAX : FIGURE_WIDTH_MAX))
        return found;
    for (size_t i = 1; i < grid->n_columns; i++)
        if (grid->columns[i].width > least &&
            (found == grid->columns || grid->columns[i].width > found->width))
            found = &grid->columns[i];
    return found;
}

/* Narrow columns until they fit side by side, or reach the minimum for many columns. */
static void fit(const struct grid *grid, size_t page)
{
    size_t all = 0, least = grid->n_columns * (NARROW + GAP) <= page ? NARROW : WIDTH_MAX;

    for (size_t i = 0; i < grid->n_columns; i++)
        all += grid->columns[i].width + (i ? GAP : 0);
    for (; all > page && widest(grid, least)->width > least; all--)
        widest(grid, least)->width--;
}

static void put_blanks(struct buf *out, size_t n)
{
    while (n--)
        buf_char(out, ' ');
}

/* Take the part of the cell that fits into the column, up to the last blank if there is one. */
static struct cell take_piece(struct cell *cell, size_t width)
{
    size_t n = 0, blank = 0, used = 0;

    while (n < cell->n && used < width) {
        if (cell->text[n] == ' ')
            blank = n;
        n++;
        while (n < cell->n && ((unsigned char)cell->text[n] & 0xc0) == 0x80)
            n++;
        used++;
    }
    if (n < cell->n && cell->text[n] != ' ' && blank > 0)
        n = blank;
    struct cell piece = {cell->text, n};
    cell->text += n;
    cell->n -= n;
    if (cell->n && cell->text[0] == ' ') {
        cell->text++;
        cell->n--;
    }
    return piece;
}

/* Columns shown side by side: the first of the table, and [from, to). */
struct strip {
    size_t from, to;
};

static void put_piece(struct buf *out, const struct column *column, const struct cell *piece,
                      bool last)
{
    size_t width = count_characters(piece->text, piece->n);
    size_t blank = width < column->width ? column->width - width : 0;

    put_blanks(out, column->words ? 0 : blank);
    buf_add(out, piece->text, piece->n);
    put_blanks(out, last ? 0 : (column->words ? blank : 0) + GAP);
}

/* Print one row, with as many lines as its longest cell needs. */
static void put_row(struct buf *out, const struct grid *grid, struct cell *row,
                    const struct strip *strip)
{
    struct cell first = row[0];

    for (bool more = true; more;) {
        more = false;
        struct cell piece = take_piece(&row[0], grid->columns[0].width);
        put_piece(out, &grid->columns[0], &piece, strip->from == strip->to);
        more = more || row[0].n;
        for (size_t i = strip->from; i < strip->to; i++) {
            piece = take_piece(&row[i], grid->columns[i].width);
            put_piece(out, &grid->columns[i], &piece, i + 1 == strip->to);
            more = more || row[i].n;
        }
        buf_char(out, '\n');
    }
    row[0] = first;
}

/* As many columns starting at `from` as fit next to the first; at least one. */
static struct strip next_strip(const struct grid *grid, size_t from, size_t page)
{
    struct strip strip = {from, from};
    size_t width = grid->columns[0].width;

    while (strip.to < grid->n_columns) {
        width += GAP + grid->columns[strip.to].width;
        if (width > page && strip.to > from)
            break;
        strip.to++;
    }
    return strip;
}

void ask_table(const char *tsv, size_t width, struct buf *out)
{
    struct arena arena = {0};
    struct grid grid = {0};
    struct strip strip = {1, 1};

    read_grid(&grid, tsv, &arena);
    measure(&grid);
    fit(&grid, width);
    do {
        buf_text(out, strip.to > 1 ? "\n" : "");
        strip = next_strip(&grid, strip.to, width);
        for (size_t i = 0; i < grid.n_rows; i++)
            put_row(out, &grid, grid.cells + i * grid.n_columns, &strip);
    } while (strip.to < grid.n_columns);
    arena_free(&arena);
}
