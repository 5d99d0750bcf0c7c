/* svg_stacked.c - the parts of a total: a bar per part, each starting at the end of the previous
 * one, then the total; in panels with separate scales. */
#include "answer/svg_axes.h"

#include <math.h>

enum { NAMES = 230, VALUES = 104, GAP = 8, BAR = 16, ROW = 26, HEADING = 34, FOOT = 22 };

/* On a narrow chart the name and value of a row are above its bar. */
static int row_height(const struct svg_page *page)
{
    return page->narrow ? ROW + LINE - 4 : ROW;
}

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
                                       const struct svg_page *page, size_t panel)
{
    struct svg_scale scale = svg_scale_of(AXIS_ZERO, page->narrow ? GAP : NAMES,
                                          page->width - (page->narrow ? GAP - 5 : VALUES));

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
    buf_print(out, "<text class=\"over\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"%s>", x, y, anchor,
              strong ? " font-weight=\"600\"" : "");
    value_xml_text(out, words);
    buf_text(out, "</text>\n");
}

/* One bar with name and value; a total over the limit is highlighted. */
static void put_row(const struct chart *chart, const struct svg_plane *plane, size_t i, double from,
                    double limit, int top, struct buf *out)
{
    const struct table *table = plane->table;
    const struct svg_page *page = &plane->page;
    const struct svg_scale *scale = &plane->x;
    double value = svg_value(table, chart->curves[0].field, i);
    bool whole = svg_value(table, chart->mark_field, i) == 1;
    bool over = whole && value > limit;
    double left = svg_scale_place(scale, from), right = svg_scale_place(scale, from + value);

    put_words(svg_text(table, chart->x_field, i), page->narrow ? GAP : NAMES - GAP, top + BAR - 4,
              page->narrow ? "start" : "end", whole, out);
    put_words(svg_text(table, chart->name_field, i), page->width - GAP, top + BAR - 4, "end", whole,
              out);
    top += page->narrow ? LINE : 0;
    buf_print(out, "<rect class=\"%s\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>\n",
              over    ? "above"
              : whole ? "dot"
                      : "mark",
              left, top, fmax(right - left, 1), page->narrow ? BAR - 4 : BAR);
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

/* Returns the bottom of the panel. */
static int put_panel(const struct chart *chart, const struct table *table,
                     const struct svg_page *page, size_t panel, int top, struct buf *out)
{
    struct svg_plane plane = {
        .table = table, .page = *page, .x = scale_of_panel(chart, table, page, panel)};
    int first = top + HEADING;
    double from = 0;

    put_words(chart->panels[panel].title, GAP, top + HEADING - 12, "start", true, out);
    top = first;
    put_limit(&chart->panels[panel], &plane.x, first - 4,
              first + (int)rows_of(chart, table, panel) * row_height(page), out);
    for (size_t i = 0; i < table->n; i++) {
        if (!in_panel(chart, table, i, panel))
            continue;
        if (svg_value(table, chart->mark_field, i) == 1)
            from = 0;
        put_row(chart, &plane, i, from, chart->panels[panel].limit, top, out);
        from += svg_value(table, chart->curves[0].field, i);
        top += row_height(page);
    }
    return top + FOOT;
}

void svg_stacked(const struct chart *chart, const struct table *table, int width, struct buf *out)
{
    struct svg_page page = svg_page_of(chart, width);
    int top = page.top;

    page.height = page.top;
    for (size_t p = 0; p < chart->n_panels; p++)
        page.height += HEADING + (int)rows_of(chart, table, p) * row_height(&page) + FOOT;
    svg_head(chart, &page, out);
    for (size_t p = 0; p < chart->n_panels; p++)
        top = put_panel(chart, table, &page, p, top, out);
    buf_text(out, "</svg>\n");
}
