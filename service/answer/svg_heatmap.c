/* svg_heatmap.c - a cell for each pair of values of two inputs, coloured by the side of the middle
 * value it is on, with its figure as text if there is room. */
#include "answer/svg_axes.h"

#include <math.h>
#include <stdio.h>

/* Pixels: width of a six-character figure, and height of a text line. */
enum { FIGURE = 40, DOWN = 14 };

struct grid {
    struct svg_page page;
    const struct chart *chart;
    const struct table *table;
    size_t across, up;    /* number of cells */
    double width, height; /* of a cell, in pixels */
};

/* Rows are sorted by x. */
static struct grid grid_of(const struct chart *chart, const struct table *table, int width)
{
    struct svg_page page = svg_page_of(chart, width);
    struct grid grid = {.page = page, .chart = chart, .table = table, .up = 1};
    double first = svg_value(table, chart->x_field, 0);

    while (grid.up < table->n && svg_value(table, chart->x_field, grid.up) == first)
        grid.up++;
    grid.across = table->n > grid.up ? table->n / grid.up : 1;
    grid.width = (page.width - page.left - (grid.page.narrow ? page.right : page.right / 4.0)) /
                 (double)grid.across;
    grid.height = (double)(page.height - page.top - BOTTOM) / (double)grid.up;
    return grid;
}

static double left_of(const struct grid *grid, size_t x)
{
    return grid->page.left + (double)x * grid->width;
}

static double top_of(const struct grid *grid, size_t y)
{
    return grid->page.height - BOTTOM - (double)(y + 1) * grid->height;
}

/* Print three significant digits: -203k, 1.25M. */
static void put_short(struct buf *out, double value)
{
    static const struct {
        double size;
        const char *letter;
    } units[] = {{1e9, "G"}, {1e6, "M"}, {1e3, "k"}};

    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (fabs(value) >= 0.9995 * units[i].size) {
            buf_print(out, "%.3g%s", value / units[i].size, units[i].letter);
            return;
        }
    buf_print(out, "%.3g", value + 0.0);
}

static void put_input(struct buf *out, bool percent, double value)
{
    if (percent)
        buf_print(out, "%.3g%%", 100 * value);
    else
        put_short(out, value);
}

static const char *class_of(const struct grid *grid, double value)
{
    double middle = grid->chart->x_middle;

    if (isnan(value) || isnan(middle) || value == middle)
        return "none";
    return value < middle ? "below" : "above";
}

/* A cell, with its values as a tooltip that screen readers announce. */
static void put_cell(const struct grid *grid, size_t i, struct buf *out)
{
    const struct chart *chart = grid->chart;
    size_t x = i / grid->up, y = i % grid->up;
    double value = svg_value(grid->table, chart->curves[0].field, i);

    buf_print(out,
              "<rect class=\"cell %s\" x=\"%.1f\" y=\"%.1f\" width=\"%.2f\" height=\"%.2f\">"
              "<title>",
              class_of(grid, value), left_of(grid, x), top_of(grid, y), grid->width, grid->height);
    svg_grouped(out, svg_value(grid->table, chart->x_field, i));
    buf_text(out, ", ");
    svg_grouped(out, svg_value(grid->table, chart->y_field, i));
    buf_text(out, ": ");
    if (isnan(value))
        buf_text(out, "unknown");
    else
        svg_grouped(out, value);
    buf_text(out, "</title></rect>\n");
    if (isnan(value) || grid->width < FIGURE || grid->height < DOWN)
        return;
    buf_print(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" font-size=\"11\">",
              left_of(grid, x) + grid->width / 2, top_of(grid, y) + grid->height / 2 + 4);
    put_short(out, value);
    buf_text(out, "</text>\n");
}

/* Label every n-th value so that labels do not overlap. */
static size_t stride(double least, double size)
{
    return (size_t)ceil(least / size);
}

static void put_x_values(const struct grid *grid, struct buf *out)
{
    for (size_t x = 0; x < grid->across; x += stride(FIGURE, grid->width)) {
        buf_print(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\" font-size=\"11\">",
                  left_of(grid, x) + grid->width / 2, grid->page.height - BOTTOM + 18);
        put_input(out, grid->chart->x_percent,
                  svg_value(grid->table, grid->chart->x_field, x * grid->up));
        buf_text(out, "</text>\n");
    }
    svg_words(grid->chart->x_label, (grid->page.left + grid->page.width - grid->page.right) / 2.0,
              grid->page.height - 14, "middle", out);
}

static void put_y_values(const struct grid *grid, struct buf *out)
{
    for (size_t y = 0; y < grid->up; y += stride(DOWN, grid->height)) {
        buf_print(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\" font-size=\"11\">",
                  grid->page.left - 8, top_of(grid, y) + grid->height / 2 + 4);
        put_input(out, grid->chart->y_percent, svg_value(grid->table, grid->chart->y_field, y));
        buf_text(out, "</text>\n");
    }
    buf_print(out, "<text text-anchor=\"middle\" transform=\"translate(16 %d) rotate(-90)\">",
              (grid->page.top + grid->page.height - BOTTOM) / 2);
    value_xml_text(out, grid->chart->y_label);
    buf_text(out, "</text>\n");
}

void svg_heatmap(const struct chart *chart, const struct table *table, int width, struct buf *out)
{
    struct grid grid = grid_of(chart, table, width);

    svg_head(chart, &grid.page, out);
    for (size_t i = 0; i < grid.across * grid.up && i < table->n; i++)
        put_cell(&grid, i, out);
    put_x_values(&grid, out);
    put_y_values(&grid, out);
    buf_text(out, "</svg>\n");
}
