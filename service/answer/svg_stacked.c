/* svg_stacked.c - what a whole is made of: a bar per part, each beginning where the one before it
 * ended, then the whole; in panels, each to a scale of its own. */
#include "answer/svg_axes.h"

#include <math.h>

enum { NAMES = 230, VALUES = 90, GAP = 8, BAR = 16, ROW = 26, HEADING = 34, FOOT = 22 };

static bool in_panel(const struct chart *chart, const struct table *table, size_t i, size_t panel)
{
    return svg_value(table, chart->y_field, i) == (double)panel;
}

static size_t rows_of(const struct chart *chart, const struct table *table, size_t panel)
{
    size_t n = 0;

    for (size_t i = 0; i < table->n; i++)
        n += in_panel(chart, table, i, panel);
    return n;
}

static struct svg_scale scale_of_panel(const struct chart *chart, const struct table *table,
                                       size_t panel)
{
    struct svg_scale scale = svg_scale_of(AXIS_ZERO, NAMES, WIDTH - VALUES);

    for (size_t i = 0; i < table->n; i++)
        if (in_panel(chart, table, i, panel))
            svg_scale_widen(&scale, svg_value(table, chart->curves[0].field, i));
    svg_scale_widen(&scale, chart->panels[panel].limit);
    if (scale.high <= 0)
        scale.high = 1;
    return scale;
}

static void put_words(const char *words, double x, double y, const char *anchor, bool strong,
                      struct buf *out)
{
    buf_print(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"%s>", x, y, anchor,
              strong ? " font-weight=\"600\"" : "");
    value_xml_text(out, words);
    buf_text(out, "</text>\n");
}

/* One bar with its name and its value; a whole over the limit stands out. */
static void put_row(const struct chart *chart, const struct table *table, size_t i,
                    const struct svg_scale *scale, double from, double limit, int top,
                    struct buf *out)
{
    double value = svg_value(table, chart->curves[0].field, i);
    bool whole = svg_value(table, chart->mark_field, i) == 1;
    bool over = whole && value > limit;
    double left = svg_scale_place(scale, from), right = svg_scale_place(scale, from + value);

    put_words(svg_text(table, chart->x_field, i), NAMES - GAP, top + BAR - 4, "end", whole, out);
    put_words(svg_text(table, chart->name_field, i), WIDTH - GAP, top + BAR - 4, "end", whole, out);
    buf_print(out, "<rect class=\"%s\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>\n",
              over    ? "above"
              : whole ? "dot"
                      : "mark",
              left, top, fmax(right - left, 1), BAR);
}

static void put_limit(const struct panel *panel, const struct svg_scale *scale, int top, int bottom,
                      struct buf *out)
{
    double x = svg_scale_place(scale, panel->limit);

    if (isnan(panel->limit))
        return;
    buf_print(out,
              "<line class=\"at\" stroke-dasharray=\"4 4\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" "
              "y2=\"%d\"/>\n",
              x, x, top, bottom);
    put_words(panel->limit_name, x, bottom + LINE - 2, "end", false, out);
}

/* Where the panel ends. */
static int put_panel(const struct chart *chart, const struct table *table, size_t panel, int top,
                     struct buf *out)
{
    struct svg_scale scale = scale_of_panel(chart, table, panel);
    int first = top + HEADING;
    double from = 0;

    put_words(chart->panels[panel].title, GAP, top + HEADING - 12, "start", true, out);
    top = first;
    for (size_t i = 0; i < table->n; i++) {
        if (!in_panel(chart, table, i, panel))
            continue;
        if (svg_value(table, chart->mark_field, i) == 1)
            from = 0;
        put_row(chart, table, i, &scale, from, chart->panels[panel].limit, top, out);
        from += svg_value(table, chart->curves[0].field, i);
        top += ROW;
    }
    put_limit(&chart->panels[panel], &scale, first - 4, top, out);
    return top + FOOT;
}

void svg_stacked(const struct chart *chart, const struct table *table, struct buf *out)
{
    int height = TOP, top = TOP;

    for (size_t p = 0; p < chart->n_panels; p++)
        height += HEADING + (int)rows_of(chart, table, p) * ROW + FOOT;
    svg_head(chart, height, out);
    for (size_t p = 0; p < chart->n_panels; p++)
        top = put_panel(chart, table, p, top, out);
    buf_text(out, "</svg>\n");
}
