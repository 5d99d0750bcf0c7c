/* svg_scatter.c - rows as points, those that are marked joined by a line. */
#include "answer/svg_axes.h"

#include <math.h>
#include <string.h>

static bool known(const struct chart *chart, const struct table *table, size_t i)
{
    return isfinite(svg_value(table, chart->x_field, i)) &&
           isfinite(svg_value(table, chart->curves[0].field, i));
}

static bool marked(const struct chart *chart, const struct table *table, size_t i)
{
    return known(chart, table, i) && svg_value(table, chart->mark_field, i) == 1;
}

static size_t next_marked(const struct chart *chart, const struct table *table, double after)
{
    size_t best = table->n;
    double least = (double)INFINITY;

    for (size_t i = 0; i < table->n; i++) {
        double x = svg_value(table, chart->x_field, i);
        if (marked(chart, table, i) && x > after && x < least) {
            least = x;
            best = i;
        }
    }
    return best;
}

/* Label a point to its right, above a line that falls and above the line's name; to its left where
 * there is no room. */
static void put_label(const struct chart *chart, const struct svg_plane *plane, size_t i,
                      struct buf *out)
{
    double x = svg_scale_place(&plane->x, svg_value(plane->table, chart->x_field, i));
    double y = svg_scale_place(&plane->y, svg_value(plane->table, chart->curves[0].field, i));
    const char *label = svg_text(plane->table, chart->label_field, i);
    bool last = marked(chart, plane->table, i) &&
                next_marked(chart, plane->table, svg_value(plane->table, chart->x_field, i)) ==
                    plane->table->n;
    bool left = x + 8 + LETTER * (double)strlen(label) > plane->x.to;

    svg_words(label, x + (left ? -8 : 8), y - (last ? LINE : 6), left ? "end" : "start", out);
}

/* The point with its name, which shows where a pointer rests on it and is read aloud. */
static void put_point(const struct chart *chart, const struct svg_plane *plane, size_t i,
                      struct buf *out)
{
    double x = svg_value(plane->table, chart->x_field, i);
    double y = svg_value(plane->table, chart->curves[0].field, i);
    bool mark = marked(chart, plane->table, i);

    buf_print(out, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%s\"><title>",
              mark ? "mark" : "dot", svg_scale_place(&plane->x, x), svg_scale_place(&plane->y, y),
              mark ? "5" : "3");
    value_xml_text(out, svg_text(plane->table, chart->name_field, i));
    buf_text(out, "</title></circle>\n");
    if (chart->label_field)
        put_label(chart, plane, i, out);
}

/* From left to right, with its name at its right end, or below it on a narrow chart. */
static void put_line(const struct chart *chart, const struct svg_plane *plane, struct buf *out)
{
    const struct table *table = plane->table;
    double x = -(double)INFINITY, end = (double)NAN;

    buf_text(out, "<polyline class=\"curve c0\" points=\"");
    for (size_t i; (i = next_marked(chart, table, x)) < table->n;) {
        x = svg_value(table, chart->x_field, i);
        end = svg_scale_place(&plane->y, svg_value(table, chart->curves[0].field, i));
        buf_print(out, "%.1f,%.1f ", svg_scale_place(&plane->x, x), end);
    }
    buf_text(out, "\"/>\n");
    if (isnan(end))
        return;
    bool narrow = plane->page.narrow;
    svg_words(chart->curves[0].name, svg_scale_place(&plane->x, x) + (narrow ? 0 : 8),
              end + (narrow ? LINE + 4 : 4), narrow ? "end" : "start", out);
}

void svg_scatter(const struct chart *chart, const struct table *table, int width, struct buf *out)
{
    struct svg_page page = svg_page_of(chart, width);
    struct svg_plane plane = {
        .table = table,
        .page = page,
        .x = svg_scale_of(chart->x_axis, page.left, page.width - page.right),
        .y = svg_scale_of(chart->y_axis, page.height - BOTTOM, page.top),
    };

    for (size_t i = 0; i < table->n; i++)
        if (known(chart, table, i)) {
            svg_scale_widen(&plane.x, svg_value(table, chart->x_field, i));
            svg_scale_widen(&plane.y, svg_value(table, chart->curves[0].field, i));
        }
    svg_scale_settle(&plane.x, chart->x_axis, chart->x_unit);
    svg_scale_settle(&plane.y, chart->y_axis, 0);
    svg_head(chart, &page, out);
    svg_y_axis(&plane, chart->y_label, out);
    svg_x_axis(&plane, chart->x_label, out);
    put_line(chart, &plane, out);
    for (size_t i = 0; i < table->n; i++)
        if (known(chart, table, i))
            put_point(chart, &plane, i, out);
    buf_text(out, "</svg>\n");
}
