#include "answer/svg.h"

#include "answer/svg_axes.h"

#include <math.h>
#include <string.h>

static struct svg_plane plane_of_curves(const struct chart *chart, const struct table *table,
                                        int width)
{
    struct svg_plane plane = svg_plane_of(chart, table, width);

    for (size_t i = 0; i < table->n; i++) {
        svg_scale_widen(&plane.x, svg_value(table, chart->x_field, i));
        for (size_t c = 0; c < chart->n_curves; c++)
            svg_scale_widen(&plane.y, svg_value(table, chart->curves[c].field, i));
    }
    svg_scale_settle(&plane.x, chart->x_axis, chart->x_unit);
    svg_scale_settle(&plane.y, chart->y_axis, 0);
    plane.x.percent = chart->x_percent;
    plane.y.percent = chart->y_percent;
    return plane;
}

/* Draw one curve; returns the height of its end, NAN if no point is known. */
static double put_curve(const struct chart *chart, const struct svg_plane *plane, size_t c,
                        struct buf *out)
{
    static const char *const dashes[CHART_CURVES_MAX] = {"none", "9 5", "2 4", "12 4 2 4"};
    const struct table *table = plane->table;
    double end = (double)NAN;

    buf_print(out, "<polyline class=\"curve c%zu\" stroke-dasharray=\"%s\" points=\"", c,
              dashes[c]);
    for (size_t i = 0; i < table->n; i++) {
        double value = svg_value(table, chart->curves[c].field, i);
        if (!isfinite(value))
            continue;
        end = svg_scale_place(&plane->y, value);
        buf_print(out, "%.1f,%.1f ",
                  svg_scale_place(&plane->x, svg_value(table, chart->x_field, i)), end);
    }
    buf_text(out, "\"/>\n");
    return end;
}

/* The lowest position of a curve in the range where its name is placed above or below its end. */
static double lowest_at_name(const struct chart *chart, const struct svg_plane *plane, size_t c)
{
    double from = plane->x.to - LETTER * (double)strlen(chart->curves[c].name);
    double lowest = 0;

    for (size_t i = 0; i < plane->table->n; i++)
        if (svg_scale_place(&plane->x, svg_value(plane->table, chart->x_field, i)) >= from)
            lowest = fmax(lowest, svg_scale_place(&plane->y, svg_value(plane->table,
                                                                       chart->curves[c].field, i)));
    return lowest;
}

/* Place the name of curve c next to its end, at height `at`, without overlapping those of earlier
 * curves in names[]; on a narrow chart below the lowest curve and above the others. */
static void put_name(const struct chart *chart, const struct svg_plane *plane, size_t c, double at,
                     double lowest, double names[], struct buf *out)
{
    const struct svg_page *page = &plane->page;

    if (page->narrow)
        at = at == lowest ? fmin(lowest_at_name(chart, plane, c) + LINE, page->height - BOTTOM - 8)
                          : at - LINE / 2.0 - 2;
    for (size_t i = 0; i < c; i++)
        if (fabs(at - names[i]) < LINE)
            at = at < names[i] ? names[i] - LINE : names[i] + LINE;
    names[c] = at;
    svg_words(chart->curves[c].name, page->width - page->right + (page->narrow ? 0 : 6), at + 4,
              page->narrow ? "end" : "start", out);
}

/* Draws the curves with their names; names[] gets the height of each name that is drawn, NAN
 * otherwise. */
static void put_curves(const struct chart *chart, const struct svg_plane *plane, double names[],
                       struct buf *out)
{
    double ends[CHART_CURVES_MAX], lowest = (double)NAN;

    for (size_t c = 0; c < chart->n_curves; c++) {
        ends[c] = put_curve(chart, plane, c, out);
        lowest = fmax(lowest, ends[c]); /* fmax() ignores a NAN */
    }
    for (size_t c = 0; c < chart->n_curves; c++) {
        names[c] = (double)NAN;
        if (!isnan(ends[c]))
            put_name(chart, plane, c, ends[c], lowest, names, out);
    }
}

/* The first curve at that x, interpolated linearly; NAN outside its points. */
static double curve_at(const struct chart *chart, const struct table *table, double x)
{
    for (size_t i = 1; i < table->n; i++) {
        double x0 = svg_value(table, chart->x_field, i - 1);
        double x1 = svg_value(table, chart->x_field, i);
        double y0 = svg_value(table, chart->curves[0].field, i - 1);
        double y1 = svg_value(table, chart->curves[0].field, i);
        if (x >= x0 && x <= x1 && x1 > x0)
            return y0 + (y1 - y0) * (x - x0) / (x1 - x0);
    }
    return (double)NAN;
}

/* Number of other marks' lines that a name from x to `end` would cross; leaving the plot area
 * counts more than all of them. */
static size_t crossings(const struct chart *chart, const struct svg_plane *plane, size_t m,
                        double x, double end)
{
    size_t n = end < plane->x.from || end > plane->x.to ? CHART_MARKS_MAX : 0;

    for (size_t i = 0; i < chart->n_marks; i++) {
        double other = svg_scale_place(&plane->x, chart->marks[i].x);
        n += i != m && other > fmin(x, end) && other < fmax(x, end);
    }
    return n;
}

/* The first text line from y on that is free of the curves' names, for text that ends at x. Only a
 * narrow chart has these names inside the plot area, at its right edge. */
static double clear_of_names(const struct chart *chart, const struct svg_plane *plane,
                             const double names[], double x, double y)
{
    for (size_t tries = 0; plane->page.narrow && tries < chart->n_curves; tries++)
        for (size_t c = 0; c < chart->n_curves; c++) {
            double start = plane->x.to - LETTER * (double)strlen(chart->curves[c].name);
            if (x > start && fabs(y - (names[c] + 4)) < LINE)
                y = names[c] + 4 + LINE;
        }
    return y;
}

/* A vertical line. Its name is on the side where it crosses fewer other lines, else on the side
 * with more room, at height `down` or below; returns the height of its name. */
static double put_mark(const struct chart *chart, const struct svg_plane *plane, size_t m,
                       const double names[], double down, struct buf *out)
{
    double x = svg_scale_place(&plane->x, chart->marks[m].x);
    double y = svg_scale_place(&plane->y, curve_at(chart, plane->table, chart->marks[m].x));
    const struct svg_page *page = &plane->page;
    double wide = 6 + LETTER * (double)strlen(chart->marks[m].name);
    size_t before = crossings(chart, plane, m, x, x - wide);
    size_t after = crossings(chart, plane, m, x, x + wide);
    bool left = before == after ? x > (plane->x.from + plane->x.to) / 2 : before < after;

    buf_print(out,
              "<line class=\"at\" stroke-dasharray=\"4 4\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" "
              "y2=\"%d\"/>\n",
              x, x, page->top, page->height - BOTTOM);
    if (chart->marks[m].ring && isfinite(y))
        buf_print(out, "<circle class=\"at\" cx=\"%.1f\" cy=\"%.1f\" r=\"6\"/>\n", x, y);
    double at =
        left ? fmax(x - 6, plane->x.from + wide) : x + 6; /* keeps a long name off the axis */
    down = clear_of_names(chart, plane, names, left ? at : at + wide - 6, down);
    svg_words(chart->marks[m].name, at, down, left ? "end" : "start", out);
    return down;
}

static void put_plane(const struct chart *chart, const struct table *table, int width,
                      struct buf *out)
{
    struct svg_plane plane = plane_of_curves(chart, table, width);
    double names[CHART_CURVES_MAX], down = plane.page.top + 12;

    svg_head(chart, &plane.page, out);
    svg_y_axis(&plane, chart->y_label, out);
    svg_x_axis(&plane, chart->x_label, out);
    put_curves(chart, &plane, names, out);
    for (size_t m = 0; m < chart->n_marks; m++)
        down = put_mark(chart, &plane, m, names, down, out) + LINE;
    buf_text(out, "</svg>\n");
}

void svg_write(const struct chart *chart, const struct table *table, int width, bool decimal_commas,
               struct buf *out)
{
    if (chart->kind == CHART_SCATTER)
        svg_scatter(chart, table, width, out);
    else if (chart->kind == CHART_BARS)
        svg_bars(chart, table, width, out);
    else if (chart->kind == CHART_GRID)
        svg_heatmap(chart, table, width, out);
    else if (chart->kind == CHART_PARTS)
        svg_stacked(chart, table, width, out);
    else
        put_plane(chart, table, width, out);
    if (decimal_commas && out->data)
        svg_decimal_commas(out->data);
}
