#include "answer/svg.h"

#include "answer/svg_plane.h"

#include <math.h>

static struct plane plane_of(const struct chart *chart, const struct table *table)
{
    struct plane plane = {
        .table = table,
        .x = scale_of(chart->x_axis, LEFT, WIDTH - RIGHT),
        .y = scale_of(chart->y_axis, HEIGHT - BOTTOM, TOP),
    };

    for (size_t i = 0; i < table->n; i++) {
        scale_widen(&plane.x, svg_value(table, chart->x_field, i));
        for (size_t c = 0; c < chart->n_curves; c++)
            scale_widen(&plane.y, svg_value(table, chart->curves[c].field, i));
    }
    scale_settle(&plane.x, chart->x_axis, chart->x_unit);
    scale_settle(&plane.y, chart->y_axis, 0);
    return plane;
}

/* Draw one curve; the height at which it ends, NAN where nothing of it is known. */
static double put_curve(const struct chart *chart, const struct plane *plane, size_t c,
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
        end = scale_place(&plane->y, value);
        buf_print(out, "%.1f,%.1f ", scale_place(&plane->x, svg_value(table, chart->x_field, i)),
                  end);
    }
    buf_text(out, "\"/>\n");
    return end;
}

/* The name beside the end of its curve, moved off the names already there. */
static void put_name(const char *name, double at, double taken[], size_t n, struct buf *out)
{
    for (size_t i = 0; i < n; i++)
        if (fabs(at - taken[i]) < LINE)
            at = at < taken[i] ? taken[i] - LINE : taken[i] + LINE;
    taken[n] = at;
    buf_print(out, "<text x=\"%d\" y=\"%.1f\">", WIDTH - RIGHT + 6, at + 4);
    svg_escaped(out, name);
    buf_text(out, "</text>\n");
}

static void put_curves(const struct chart *chart, const struct plane *plane, struct buf *out)
{
    double taken[CHART_CURVES_MAX];
    size_t n = 0;

    for (size_t c = 0; c < chart->n_curves; c++) {
        double end = put_curve(chart, plane, c, out);
        if (!isnan(end))
            put_name(chart->curves[c].name, end, taken, n++, out);
    }
}

static void put_plane(const struct chart *chart, const struct table *table, struct buf *out)
{
    struct plane plane = plane_of(chart, table);

    svg_head(chart, HEIGHT, out);
    svg_y_axis(&plane.y, chart->y_label, out);
    svg_x_axis(&plane.x, chart->x_label, HEIGHT - BOTTOM, out);
    put_curves(chart, &plane, out);
    buf_text(out, "</svg>\n");
}

void svg_write(const struct chart *chart, const struct table *table, struct buf *out)
{
    if (chart->kind == CHART_SCATTER)
        svg_scatter(chart, table, out);
    else if (chart->kind == CHART_BARS)
        svg_bars(chart, table, out);
    else
        put_plane(chart, table, out);
}
