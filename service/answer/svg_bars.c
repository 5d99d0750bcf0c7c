/* svg_bars.c - a bar per row, from its low to its high value, around a vertical middle line: a
 * tornado chart if the widest rows come first. */
#include "answer/label.h"
#include "answer/svg_axes.h"

#include <math.h>

/* The left margin fits the longest name; on a narrow chart names are above their bars instead. */
enum { NAMES = 210, GAP = 8, BAR = 18, ROW = 28 };

static int row_height(const struct svg_page *page)
{
    return page->narrow ? ROW + LINE : ROW;
}

/* The escaped name of a row; API field names are converted to words. */
static void put_name(const struct chart *chart, const struct table *table, size_t i,
                     struct buf *out)
{
    const char *name = svg_text(table, chart->x_field, i);

    if (chart->unit_field)
        label_print(out, name, svg_text(table, chart->unit_field, i));
    else
        value_xml_text(out, name);
}

static size_t name_length(const struct chart *chart, const struct table *table, size_t i)
{
    enum { NAME_MAX_BYTES = 256 };
    struct buf name;

    buf_init(&name, NAME_MAX_BYTES);
    put_name(chart, table, i, &name);
    size_t length = name.length;
    buf_free(&name);
    return length;
}

static int names_of(const struct chart *chart, const struct table *table,
                    const struct svg_page *page)
{
    size_t longest = 0;

    if (page->narrow)
        return 3 * GAP;
    for (size_t i = 0; i < table->n; i++) {
        size_t length = name_length(chart, table, i);
        longest = length > longest ? length : longest;
    }
    int width = (int)longest * LETTER + 2 * GAP;
    return width < NAMES ? NAMES : width < page->width / 2 ? width : page->width / 2;
}

/* The part of a bar on one side of the middle. */
static void put_side(const struct svg_scale *x, double middle, double value, const char *name,
                     bool marked, int top, struct buf *out)
{
    double from = svg_scale_place(x, fmin(middle, value)),
           to = svg_scale_place(x, fmax(middle, value));

    if (!isfinite(value) || value == middle)
        return;
    buf_print(out, "<rect class=\"%s\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\"><title>",
              value < middle || marked ? "below" : "above", from, top, to - from, BAR);
    value_xml_text(out, name);
    buf_text(out, ": ");
    svg_grouped(out, value);
    buf_text(out, "</title></rect>\n");
}

static void put_bar(const struct chart *chart, const struct svg_plane *plane, size_t i, int names,
                    struct buf *out)
{
    const struct svg_page *page = &plane->page;
    int top = page->top + (int)i * row_height(page) + (ROW - BAR) / 2;

    if (page->narrow)
        buf_print(out, "<text x=\"%d\" y=\"%d\" font-size=\"%d\">", GAP, top + BAR - 5,
                  name_length(chart, plane->table, i) > (size_t)page->width / (LETTER + 1) ? 11
                                                                                           : 13);
    else
        buf_print(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">", names - GAP, top + BAR - 5);
    put_name(chart, plane->table, i, out);
    buf_text(out, "</text>\n");
    top += page->narrow ? LINE : 0;
    bool marked = chart->mark_field && svg_value(plane->table, chart->mark_field, i) == 1;
    for (size_t c = 0; c < chart->n_curves; c++)
        put_side(&plane->x, chart->x_middle, svg_value(plane->table, chart->curves[c].field, i),
                 chart->curves[c].name, marked, top, out);
}

static void put_middle(const struct svg_plane *plane, double middle, struct buf *out)
{
    double at = svg_scale_place(&plane->x, middle);

    buf_print(out, "<line class=\"axis\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>\n", at, at,
              plane->page.top, plane->page.height - BOTTOM);
}

void svg_bars(const struct chart *chart, const struct table *table, int width, struct buf *out)
{
    struct svg_page page = svg_page_of(chart, width);
    int names = names_of(chart, table, &page);

    page.height = page.top + (int)(table->n ? table->n : 1) * row_height(&page) + BOTTOM;
    page.left = page.narrow ? names : page.left;
    page.right = page.narrow ? names : page.right;
    struct svg_plane plane = {
        .table = table,
        .page = page,
        .x = svg_scale_of(AXIS_DATA, names,
                          page.width - (page.narrow ? page.right : page.right / 2.0))};

    svg_scale_widen(&plane.x, chart->x_middle);
    for (size_t i = 0; i < table->n; i++)
        for (size_t c = 0; c < chart->n_curves; c++)
            svg_scale_widen(&plane.x, svg_value(table, chart->curves[c].field, i));
    svg_scale_settle(&plane.x, AXIS_DATA, 0);
    svg_head(chart, &page, out);
    svg_x_axis(&plane, chart->x_label, out);
    for (size_t i = 0; i < table->n; i++)
        put_bar(chart, &plane, i, names, out);
    if (isfinite(chart->x_middle))
        put_middle(&plane, chart->x_middle, out);
    buf_text(out, "</svg>\n");
}
