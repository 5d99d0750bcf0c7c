/* svg_bars.c - a bar per row, from its low to its high value, around a line in the middle: a
 * tornado where the rows come widest first. */
#include "answer/label.h"
#include "answer/svg_axes.h"

#include <math.h>

/* Names need more room than the marks of an axis: that of their letters, with room between. */
enum { NAMES = 210, LETTER = 7, GAP = 8, BAR = 18, ROW = 28 };

/* The name of a row, escaped; those of the API in words. */
static void put_name(const struct chart *chart, const struct table *table, size_t i,
                     struct buf *out)
{
    const char *name = svg_text(table, chart->x_field, i);

    if (chart->unit_field)
        label_print(out, name, svg_text(table, chart->unit_field, i));
    else
        value_xml_text(out, name);
}

static int names_of(const struct chart *chart, const struct table *table)
{
    enum { NAME_MAX_BYTES = 256 };
    size_t longest = 0;

    for (size_t i = 0; i < table->n; i++) {
        struct buf name;
        buf_init(&name, NAME_MAX_BYTES);
        put_name(chart, table, i, &name);
        longest = name.length > longest ? name.length : longest;
        buf_free(&name);
    }
    int width = (int)longest * LETTER + 2 * GAP;
    return width < NAMES ? NAMES : width < WIDTH / 2 ? width : WIDTH / 2;
}

/* The part of a bar on one side of the middle. */
static void put_side(const struct svg_scale *x, double middle, double value, const char *name,
                     int top, struct buf *out)
{
    double from = svg_scale_place(x, fmin(middle, value)),
           to = svg_scale_place(x, fmax(middle, value));

    if (!isfinite(value) || value == middle)
        return;
    buf_print(out, "<rect class=\"%s\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\"><title>",
              value < middle ? "below" : "above", from, top, to - from, BAR);
    value_xml_text(out, name);
    buf_text(out, ": ");
    svg_tick(out, value);
    buf_text(out, "</title></rect>\n");
}

static void put_bar(const struct chart *chart, const struct svg_plane *plane, size_t i, int names,
                    struct buf *out)
{
    int top = TOP + (int)i * ROW + (ROW - BAR) / 2;

    buf_print(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">", names - GAP, top + BAR - 5);
    put_name(chart, plane->table, i, out);
    buf_text(out, "</text>\n");
    for (size_t c = 0; c < chart->n_curves; c++)
        put_side(&plane->x, chart->x_middle, svg_value(plane->table, chart->curves[c].field, i),
                 chart->curves[c].name, top, out);
}

static void put_middle(const struct svg_scale *x, double middle, int bottom, struct buf *out)
{
    double at = svg_scale_place(x, middle);

    buf_print(out, "<line class=\"axis\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>\n", at, at,
              TOP, bottom);
}

void svg_bars(const struct chart *chart, const struct table *table, struct buf *out)
{
    int bottom = TOP + (int)(table->n ? table->n : 1) * ROW;
    int names = names_of(chart, table);
    struct svg_plane plane = {.table = table,
                              .x = svg_scale_of(AXIS_DATA, names, WIDTH - RIGHT / 2.0)};

    svg_scale_widen(&plane.x, chart->x_middle);
    for (size_t i = 0; i < table->n; i++)
        for (size_t c = 0; c < chart->n_curves; c++)
            svg_scale_widen(&plane.x, svg_value(table, chart->curves[c].field, i));
    svg_scale_settle(&plane.x, AXIS_DATA, 0);
    svg_head(chart, bottom + BOTTOM, out);
    svg_x_axis(&plane.x, chart->x_label, bottom, out);
    for (size_t i = 0; i < table->n; i++)
        put_bar(chart, &plane, i, names, out);
    if (isfinite(chart->x_middle))
        put_middle(&plane.x, chart->x_middle, bottom, out);
    buf_text(out, "</svg>\n");
}
