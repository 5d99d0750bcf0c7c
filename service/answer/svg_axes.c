#include "answer/svg_axes.h"

#include "base/number.h"

#include "answer/svg_dates.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const void *row_at(const struct table *table, size_t i)
{
    return (const char *)table->rows + i * table->stride;
}

double svg_value(const struct table *table, const char *name, size_t i)
{
    const struct field *field = fields_find(table->fields, name);

    return field ? field_number(field, row_at(table, i)) : (double)NAN;
}

const char *svg_text(const struct table *table, const char *name, size_t i)
{
    const struct field *field = fields_find(table->fields, name);
    const char *text = field ? field_text(field, row_at(table, i)) : NULL;

    return text ? text : "";
}

/* Bytes of the title on its first line; a long title breaks at a space. */
static size_t title_first(const char *title, int width)
{
    enum { BOLD_LETTER = 9 };
    size_t length = strlen(title), cut = (size_t)width / BOLD_LETTER;

    if (length <= cut)
        return length;
    while (cut && title[cut] != ' ')
        cut--;
    return cut ? cut : length;
}

struct svg_page svg_page_of(const struct chart *chart, int width)
{
    enum { NARROW = 560 };

    if (width >= NARROW)
        return (struct svg_page){
            .width = width, .height = 420, .left = 78, .right = 96, .top = 44, .narrow = 0};
    bool two_lines = title_first(chart->title, width) < strlen(chart->title);
    return (struct svg_page){.width = width,
                             .height = 340,
                             .left = 66,
                             .right = 20,
                             .top = two_lines ? 56 : 38,
                             .narrow = 1};
}

void svg_words(const char *words, double x, double y, const char *anchor, struct buf *out)
{
    buf_print(out, "<text class=\"over\" text-anchor=\"%s\" x=\"%.1f\" y=\"%.1f\">", anchor, x, y);
    value_xml_text(out, words);
    buf_text(out, "</text>\n");
}

/* Number of ticks that fit on the axis, at `pixels` or more each. */
static int scale_room(const struct svg_scale *scale, int pixels)
{
    int room = (int)(fabs(scale->to - scale->from) / pixels);

    return room < 2 ? 2 : room > TICKS ? TICKS : room;
}

struct svg_scale svg_scale_of(enum chart_axis axis, double from, double to)
{
    double start = axis == AXIS_ZERO ? 0 : (double)NAN;

    return (struct svg_scale){.low = start, .high = start, .from = from, .to = to};
}

void svg_scale_widen(struct svg_scale *scale, double value)
{
    if (!isfinite(value))
        return;
    scale->low = fmin(scale->low, value); /* fmin() ignores a NAN */
    scale->high = fmax(scale->high, value);
}

/* The smallest of 1, 2, 2.5, 5 and 10 that is not less than `digit`; 2.5 only if steps need not be
 * whole. */
static double round_up(double digit, bool whole)
{
    static const double steps[] = {1, 2, 2.5, 5};

    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
        if (digit <= steps[i] && !(whole && i == 2))
            return steps[i];
    return 10;
}

/* Round steps, as many as fit; multiples of `unit` if that is positive. */
static void settle_steps(struct svg_scale *scale, double unit)
{
    bool whole = unit > 0;
    double size = whole ? unit : 1;
    double least = scale->low == 0 ? 1e-9 : 1e-3 * fabs(scale->low);
    double rough = fmax(scale->high - scale->low, least) / scale_room(scale, 40) / size;
    double power = whole && rough < 1 ? 1 : pow(10, floor(log10(rough)));

    scale->step = size * power * round_up(rough / power, whole);
    scale->low = floor(scale->low / scale->step) * scale->step;
    scale->high = ceil(scale->high / scale->step) * scale->step;
    if (scale->high <= scale->low)
        scale->high = scale->low + scale->step;
}

/* Ticks per power of ten, more if there are few powers. */
static const double digits[] = {1, 2, 5};

/* Extend the limits to tick values. */
static void settle_log(struct svg_scale *scale)
{
    double low = pow(10, floor(log10(scale->low))), high = pow(10, floor(log10(scale->high)));

    scale->log = true;
    for (size_t i = 1; i < 3 && digits[i] * pow(10, floor(log10(scale->low))) <= scale->low; i++)
        low = digits[i] * pow(10, floor(log10(scale->low)));
    for (size_t i = 1; high < scale->high; i++)
        high = i < 3 ? digits[i] * pow(10, floor(log10(scale->high)))
                     : 10 * pow(10, floor(log10(scale->high)));
    scale->low = low;
    scale->high = high;
}

void svg_scale_settle(struct svg_scale *scale, enum chart_axis axis, double unit)
{
    const double far_apart = 20;

    if (isnan(scale->low)) {
        scale->low = 0;
        scale->high = 1;
    }
    if (axis == AXIS_DAYS)
        svg_dates_settle(scale, scale_room(scale, 84), scale_room(scale, 64));
    else if (axis == AXIS_LOG && scale->low > 0 && scale->high > far_apart * scale->low)
        settle_log(scale);
    else
        settle_steps(scale, unit);
}

double svg_scale_place(const struct svg_scale *scale, double value)
{
    double share = scale->log ? log(value / scale->low) / log(scale->high / scale->low)
                              : (value - scale->low) / (scale->high - scale->low);

    return scale->from + share * (scale->to - scale->from);
}

struct svg_plane svg_plane_of(const struct chart *chart, const struct table *table, int width)
{
    struct svg_page page = svg_page_of(chart, width);

    return (struct svg_plane){
        .table = table,
        .page = page,
        .x = svg_scale_of(chart->x_axis, page.left, page.width - page.right),
        .y = svg_scale_of(chart->y_axis, page.height - BOTTOM, page.top),
    };
}

/* Thousands and millions as k and M, without the unit. */
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

void svg_grouped(struct buf *out, double value)
{
    const double many = 1000;
    char text[NUMBER_SIZE];

    if (fabs(value) < many) {
        buf_print(out, "%.6g", value + 0.0);
        return;
    }
    number_grouped(text, value, 0);
    buf_text(out, text);
}

/* A tick's label: a ratio as percent, a day as a date. */
static void svg_scale_tick(struct buf *out, const struct svg_scale *scale, double value)
{
    if (scale->dates)
        svg_dates_tick(out, scale, value);
    else if (scale->percent)
        buf_print(out, "%.4g%%", 100 * value + 0.0);
    else
        put_tick(out, value);
}

/* The title; smaller on a narrow chart, on two lines if it is long. */
static void put_title(const struct chart *chart, const struct svg_page *page, struct buf *out)
{
    int x = page->narrow ? 8 : page->left;
    size_t first = page->narrow ? title_first(chart->title, page->width) : strlen(chart->title);
    char line[128];

    buf_print(out, "<text x=\"%d\" y=\"%d\" font-size=\"%d\" font-weight=\"600\">", x,
              page->narrow ? 20 : 26, page->narrow ? 14 : 16);
    if (chart->title[first]) {
        snprintf(line, sizeof(line), "%.*s", (int)first, chart->title);
        value_xml_text(out, line);
        buf_print(out, "<tspan x=\"%d\" dy=\"18\">", x);
        value_xml_text(out, chart->title + first + 1);
        buf_text(out, "</tspan></text>\n");
    } else {
        value_xml_text(out, chart->title);
        buf_text(out, "</text>\n");
    }
}

void svg_head(const struct chart *chart, const struct svg_page *page, struct buf *out)
{
    buf_print(out,
              "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\" "
              "aria-labelledby=\"title desc\" font-family=\"system-ui, sans-serif\" "
              "font-size=\"13\">\n<title id=\"title\">",
              page->width, page->height);
    value_xml_text(out, chart->title);
    buf_text(out, "</title>\n<desc id=\"desc\">");
    value_xml_text(out, chart->description);
    buf_text(out, "</desc>\n<style>.page{fill:#fff}text{fill:#222}.grid{stroke:#ddd}"
                  ".axis{stroke:#555}.curve{fill:none;stroke-width:2.5}"
                  ".c0{stroke:#0b5cad}.c1{stroke:#b3460b}.c2{stroke:#2f7d32}.c3{stroke:#6a3d9a}"
                  ".dot{fill:#8a8f98}.mark{fill:#0b5cad}.below{fill:#0b5cad}.above{fill:#b3460b}"
                  ".at{stroke:#555;stroke-width:1.5;fill:none}.cell{fill-opacity:.4;stroke:#fff}"
                  ".none{fill:#ddd}.over{stroke:#fff;stroke-width:3px;paint-order:stroke}"
                  "@media(prefers-color-scheme:dark){.page{fill:#16181c}text{fill:#eee}"
                  ".grid{stroke:#3a3d44}.axis{stroke:#aaa}.c0{stroke:#7db7f0}.c1{stroke:#f0a06b}"
                  ".c2{stroke:#8fce92}.c3{stroke:#c5a3e8}.dot{fill:#767b84}.mark{fill:#7db7f0}"
                  ".below{fill:#7db7f0}.above{fill:#f0a06b}.at{stroke:#aaa}.cell{stroke:#16181c}"
                  ".none{fill:#3a3d44}.over{stroke:#16181c}}</style>\n");
    buf_print(out, "<rect class=\"page\" width=\"%d\" height=\"%d\"/>\n", page->width,
              page->height);
    put_title(chart, page, out);
}

/* Sets *value to that of the i-th tick; false if there is none. */
static bool mark_at(const struct svg_scale *scale, int i, double *value)
{
    const double rounding = 1e-9;

    if (scale->dates)
        return svg_dates_mark(scale, i, value);
    double decades = scale->log ? log10(scale->high / scale->low) : 0;
    int each =
        decades > 3 || scale_room(scale, 30) < 3 * decades - 2 ? 1 : 3; /* ticks per decade */
    int decade = i / each;

    *value = scale->log ? digits[i % each] * pow(10, floor(log10(scale->low) + rounding) + decade)
                        : scale->low + i * scale->step;
    return *value <= scale->high + rounding * fabs(scale->high - scale->low);
}

static bool in_sight(const struct svg_scale *scale, double value)
{
    return value >= scale->low * (1 - 1e-9) || !scale->log;
}

/* The label of an axis; on a narrow chart "(log scale)" is on a separate line. */
static void put_label(const struct svg_plane *plane, const struct svg_scale *scale,
                      const char *label, double x, double y, bool upright, struct buf *out)
{
    bool below = scale->log && plane->page.narrow && !upright;

    buf_print(out, "<text text-anchor=\"middle\" transform=\"translate(%.0f %.0f)%s\">", x,
              below ? y - 4 : y, upright ? " rotate(-90)" : "");
    value_xml_text(out, label);
    buf_text(out, !scale->log ? ""
                  : below     ? "<tspan x=\"0\" dy=\"14\">(log scale)</tspan>"
                              : " (log scale)");
    buf_text(out, "</text>\n");
}

void svg_x_axis(const struct svg_plane *plane, const char *label, struct buf *out)
{
    const struct svg_scale *x = &plane->x;
    int bottom = plane->page.height - BOTTOM;
    double value;

    if (x->dates)
        svg_dates_line(x, bottom, out);
    for (int i = 0; mark_at(x, i, &value); i++) {
        if (!in_sight(x, value))
            continue;
        buf_print(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">",
                  svg_scale_place(x, value), bottom + 18);
        svg_scale_tick(out, x, value);
        buf_text(out, "</text>\n");
    }
    put_label(plane, x, label, (plane->page.left + plane->page.width - plane->page.right) / 2.0,
              bottom + BOTTOM - 14, false, out);
}

static void put_y_mark(const struct svg_plane *plane, double value, struct buf *out)
{
    const struct svg_scale *y = &plane->y;
    const struct svg_page *page = &plane->page;
    double at = svg_scale_place(y, value);
    bool zero = !y->log && fabs(value) < y->step / 2;

    buf_print(out,
              "<line class=\"%s\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>\n"
              "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">",
              zero ? "axis" : "grid", page->left, page->width - page->right, at, at, page->left - 8,
              at + 4);
    svg_scale_tick(out, y, zero ? 0 : value);
    buf_text(out, "</text>\n");
}

void svg_y_axis(const struct svg_plane *plane, const char *label, struct buf *out)
{
    const struct svg_page *page = &plane->page;
    double value;

    for (int i = 0; mark_at(&plane->y, i, &value); i++)
        if (in_sight(&plane->y, value))
            put_y_mark(plane, value, out);
    put_label(plane, &plane->y, label, page->narrow ? 14 : 18,
              (page->narrow ? page->height : page->top + page->height - BOTTOM) / 2.0, true, out);
}

/* Length of a plain number at the start of `text`, such as -12,345.6; 0 if there is none. */
static size_t number_length(const char *text)
{
    static const char figures[] = "0123456789";
    size_t start = text[0] == '-', n = start + strspn(text + start, figures);

    if (n == start)
        return 0;
    while (text[n] == ',' && strspn(text + n + 1, figures) == 3)
        n += 4;
    if (text[n] == '.' && strspn(text + n + 1, figures) > 0)
        n += 1 + strspn(text + n + 1, figures);
    return n;
}

/* True if a number may end here: only a unit of one letter or a sign may follow it, so that the
 * version in a name such as 3.1-8B is left alone. */
static bool ends_number(const char *text)
{
    static const char after[] = " <),:;";

    return strchr(after, text[0]) || (strchr("%kMBT", text[0]) && strchr(after, text[1]));
}

/* Rewrite the numbers in one text element, up to its end tag. */
static void text_commas(char *text)
{
    for (char *at = text; *at && *at != '<'; at++) {
        size_t n = at == text || strchr(" (", at[-1]) ? number_length(at) : 0;
        if (n == 0 || !ends_number(at + n))
            continue;
        for (size_t i = 0; i < n; i++)
            at[i] = at[i] == '.' ? ',' : at[i] == ',' ? ' ' : at[i];
        at += n - 1;
    }
}

void svg_decimal_commas(char *svg)
{
    char *at = strstr(svg, "</text>"); /* the heading holds names only */

    while (at && (at = strstr(at, "<text"))) {
        at = strchr(at, '>');
        if (at)
            text_commas(++at);
    }
}
