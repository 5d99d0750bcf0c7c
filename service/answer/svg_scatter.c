/* svg_scatter.c - rows as points, with the marked ones joined by a line. */
#include "answer/svg_labels.h"

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

static double place_x(const struct chart *chart, const struct svg_plane *plane, size_t i)
{
    return svg_scale_place(&plane->x, svg_value(plane->table, chart->x_field, i));
}

static double place_y(const struct chart *chart, const struct svg_plane *plane, size_t i)
{
    return svg_scale_place(&plane->y, svg_value(plane->table, chart->curves[0].field, i));
}

/* The point, with its name as a tooltip that screen readers announce. */
static void put_point(const struct chart *chart, const struct svg_plane *plane, size_t i,
                      struct buf *out)
{
    double x = place_x(chart, plane, i), y = place_y(chart, plane, i);
    bool mark = marked(chart, plane->table, i);

    buf_print(out, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%s\"><title>",
              mark ? "mark" : "dot", x, y, mark ? "5" : "3");
    value_xml_text(out, svg_text(plane->table, chart->name_field, i));
    buf_text(out, "</title></circle>\n");
}

/* Place the longest labels first, since short ones still fit later. */
static void put_labels(const struct chart *chart, const struct svg_plane *plane,
                       struct svg_labels *labels, struct buf *out)
{
    enum { LENGTH_MAX = 40 };

    for (size_t length = LENGTH_MAX; length >= 1; length--)
        for (size_t i = 0; i < plane->table->n; i++) {
            const char *label = svg_text(plane->table, chart->label_field, i);
            if (known(chart, plane->table, i) && strnlen(label, LENGTH_MAX) == length)
                svg_labels_put(labels, label, place_x(chart, plane, i), place_y(chart, plane, i),
                               false, out);
        }
}

/* Draw the line from left to right, with its name at its right end; on a narrow chart at its left
 * end. */
static void put_line(const struct chart *chart, const struct svg_plane *plane,
                     struct svg_labels *labels, struct buf *out)
{
    const struct table *table = plane->table;
    double x = -(double)INFINITY, at_x = (double)NAN, at_y = (double)NAN;
    double name_x = (double)NAN, name_y = (double)NAN;

    buf_text(out, "<polyline class=\"curve c0\" points=\"");
    for (size_t i; (i = next_marked(chart, table, x)) < table->n;) {
        double from_x = at_x, from_y = at_y;
        x = svg_value(table, chart->x_field, i);
        at_x = place_x(chart, plane, i);
        at_y = place_y(chart, plane, i);
        buf_print(out, "%.1f,%.1f ", at_x, at_y);
        if (!isnan(from_x))
            svg_labels_line(labels, from_x, from_y, at_x, at_y);
        if (isnan(name_x) || !plane->page.narrow) {
            name_x = at_x;
            name_y = at_y;
        }
    }
    buf_text(out, "\"/>\n");
    if (!isnan(name_x))
        svg_labels_put(labels, chart->curves[0].name, name_x, name_y, true, out);
}

void svg_scatter(const struct chart *chart, const struct table *table, int width, struct buf *out)
{
    struct svg_labels labels;
    struct svg_plane plane = svg_plane_of(chart, table, width);

    for (size_t i = 0; i < table->n; i++)
        if (known(chart, table, i)) {
            svg_scale_widen(&plane.x, svg_value(table, chart->x_field, i));
            svg_scale_widen(&plane.y, svg_value(table, chart->curves[0].field, i));
        }
    svg_scale_settle(&plane.x, chart->x_axis, chart->x_unit);
    svg_scale_settle(&plane.y, chart->y_axis, 0);
    svg_head(chart, &plane.page, out);
    svg_y_axis(&plane, chart->y_label, out);
    svg_x_axis(&plane, chart->x_label, out);
    svg_labels_init(&labels, &plane);
    for (size_t i = 0; i < table->n; i++)
        if (known(chart, table, i))
            svg_labels_point(&labels, place_x(chart, &plane, i), place_y(chart, &plane, i));
    put_line(chart, &plane, &labels, out);
    for (size_t i = 0; i < table->n; i++)
        if (known(chart, table, i))
            put_point(chart, &plane, i, out);
    if (chart->label_field)
        put_labels(chart, &plane, &labels, out);
    buf_text(out, "</svg>\n");
}
