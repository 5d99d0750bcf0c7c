#include "answer/svg.h"

#include <math.h>
#include <string.h>

enum {
    WIDTH = 720,
    HEIGHT = 420,
    LEFT = 78,
    RIGHT = 96,
    TOP = 44,
    BOTTOM = 56,
    LINE = 16,
    TICKS = 6
};

/* Data to pixels. */
struct scale {
    double low, high, step; /* whole steps around the data */
    double from, to;        /* pixels */
};

struct plane {
    const struct table *table;
    struct scale x, y;
};

static void put_escaped(struct buf *out, const char *text)
{
    for (const char *p = text; *p; p++) {
        if (*p == '<')
            buf_text(out, "&lt;");
        else if (*p == '&')
            buf_text(out, "&amp;");
        else
            buf_char(out, *p);
    }
}

static double value_at(const struct table *table, const char *name, size_t i)
{
    return field_number(fields_find(table->fields, name),
                        (const char *)table->rows + i * table->stride);
}

static void widen(struct scale *scale, double value)
{
    if (!isfinite(value))
        return;
    scale->low = fmin(scale->low, value);
    scale->high = fmax(scale->high, value);
}

/* The least of 1, 2, 2.5, 5 and 10 that is no smaller; 2.5 only where steps may be broken. */
static double round_up(double digit, bool whole)
{
    static const double steps[] = {1, 2, 2.5, 5};

    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
        if (digit <= steps[i] && !(whole && i == 2))
            return steps[i];
    return 10;
}

/* Round steps, at most TICKS of them; whole multiples of `unit` where that is above zero. */
static void settle(struct scale *scale, double unit)
{
    bool whole = unit > 0;
    double size = whole ? unit : 1;
    double rough = fmax(scale->high - scale->low, 1e-9) / TICKS / size;
    double power = whole && rough < 1 ? 1 : pow(10, floor(log10(rough)));

    scale->step = size * power * round_up(rough / power, whole);
    scale->low = floor(scale->low / scale->step) * scale->step;
    scale->high = ceil(scale->high / scale->step) * scale->step;
    if (scale->high <= scale->low)
        scale->high = scale->low + scale->step;
}

static double place(const struct scale *scale, double value)
{
    return scale->from +
           (value - scale->low) / (scale->high - scale->low) * (scale->to - scale->from);
}

static struct plane plane_of(const struct chart *chart, const struct table *table)
{
    struct plane plane = {
        .table = table,
        .x = {.from = LEFT, .to = WIDTH - RIGHT},
        .y = {.from = HEIGHT - BOTTOM, .to = TOP},
    };

    for (size_t i = 0; i < table->n; i++) {
        widen(&plane.x, value_at(table, chart->x_field, i));
        for (size_t c = 0; c < chart->n_curves; c++)
            widen(&plane.y, value_at(table, chart->curves[c].field, i));
    }
    settle(&plane.x, chart->x_unit);
    settle(&plane.y, 0);
    return plane;
}

static void put_head(const struct chart *chart, struct buf *out)
{
    buf_print(out,
              "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\" "
              "aria-labelledby=\"title desc\" font-family=\"system-ui, sans-serif\" "
              "font-size=\"13\">\n<title id=\"title\">",
              WIDTH, HEIGHT);
    put_escaped(out, chart->title);
    buf_text(out, "</title>\n<desc id=\"desc\">");
    put_escaped(out, chart->description);
    buf_text(out, "</desc>\n<style>.page{fill:#fff}text{fill:#222}.grid{stroke:#ddd}"
                  ".axis{stroke:#555}.curve{fill:none;stroke-width:2.5}"
                  ".c0{stroke:#0b5cad}.c1{stroke:#b3460b}.c2{stroke:#2f7d32}.c3{stroke:#6a3d9a}"
                  "@media(prefers-color-scheme:dark){.page{fill:#16181c}text{fill:#eee}"
                  ".grid{stroke:#3a3d44}.axis{stroke:#aaa}.c0{stroke:#7db7f0}.c1{stroke:#f0a06b}"
                  ".c2{stroke:#8fce92}.c3{stroke:#c5a3e8}}</style>\n");
    buf_print(out,
              "<rect class=\"page\" width=\"%d\" height=\"%d\"/>\n<text x=\"%d\" y=\"26\" "
              "font-size=\"16\" font-weight=\"600\">",
              WIDTH, HEIGHT, LEFT);
    put_escaped(out, chart->title);
    buf_text(out, "</text>\n");
}

/* Thousands and millions as k and M: the axis says the unit. */
static void put_tick(struct buf *out, double value)
{
    double size = fabs(value);

    if (size >= 1e6)
        buf_print(out, "%.10g M", value / 1e6);
    else if (size >= 1e4)
        buf_print(out, "%.10g k", value / 1e3);
    else
        buf_print(out, "%.10g", value + 0.0);
}

static int steps(const struct scale *scale)
{
    return (int)lround((scale->high - scale->low) / scale->step);
}

static void put_x_axis(const struct plane *plane, const char *label, struct buf *out)
{
    const struct scale *x = &plane->x;

    for (int i = 0; i <= steps(x); i++) {
        double value = x->low + i * x->step;
        buf_print(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">", place(x, value),
                  HEIGHT - BOTTOM + 18);
        put_tick(out, value);
        buf_text(out, "</text>\n");
    }
    buf_print(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">", (LEFT + WIDTH - RIGHT) / 2,
              HEIGHT - 14);
    put_escaped(out, label);
    buf_text(out, "</text>\n");
}

static void put_y_axis(const struct plane *plane, const char *label, struct buf *out)
{
    const struct scale *y = &plane->y;

    for (int i = 0; i <= steps(y); i++) {
        double value = y->low + i * y->step, at = place(y, value);
        bool zero = fabs(value) < y->step / 2;
        buf_print(out,
                  "<line class=\"%s\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>\n"
                  "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">",
                  zero ? "axis" : "grid", LEFT, WIDTH - RIGHT, at, at, LEFT - 8, at + 4);
        put_tick(out, zero ? 0 : value);
        buf_text(out, "</text>\n");
    }
    buf_print(out, "<text transform=\"translate(18 %d) rotate(-90)\" text-anchor=\"middle\">",
              (TOP + HEIGHT - BOTTOM) / 2);
    put_escaped(out, label);
    buf_text(out, "</text>\n");
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
        double value = value_at(table, chart->curves[c].field, i);
        if (!isfinite(value))
            continue;
        end = place(&plane->y, value);
        buf_print(out, "%.1f,%.1f ", place(&plane->x, value_at(table, chart->x_field, i)), end);
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
    put_escaped(out, name);
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

void svg_write(const struct chart *chart, const struct table *table, struct buf *out)
{
    struct plane plane = plane_of(chart, table);

    put_head(chart, out);
    put_y_axis(&plane, chart->y_label, out);
    put_x_axis(&plane, chart->x_label, out);
    put_curves(chart, &plane, out);
    buf_text(out, "</svg>\n");
}
