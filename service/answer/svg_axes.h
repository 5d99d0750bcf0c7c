/* svg_axes.h - the common parts of every chart: page layout, axes, and scales from data to
 * pixels. */
#ifndef ANSWER_SVG_AXES_H
#define ANSWER_SVG_AXES_H

#include "answer/svg.h"
#include "answer/value.h"

/* In pixels: margin below the plot area, line height, letter width. TICKS: ticks per axis. */
enum { BOTTOM = 56, LINE = 16, LETTER = 7, TICKS = 6 };

/* Size of the drawing, and margins around the plot area, in pixels. */
struct svg_page {
    int width, height;
    int left, right, top;
    int narrow; /* no room next to the plot area: names go inside it or above their bars */
};

/* Maps data to pixels. */
struct svg_scale {
    double low, high, step; /* limits and step in round numbers; a logarithmic scale has no step */
    double from, to;        /* pixels */
    bool log, percent;
    bool dates;       /* values are days since CHART_EPOCH, with ticks every n days or months */
    int days, months; /* one of them is 0 */
};

struct svg_plane {
    const struct table *table;
    struct svg_page page;
    struct svg_scale x, y;
};

struct svg_page svg_page_of(const struct chart *chart, int width);

/* The number in row i; NAN if it is unknown or there is no such column. */
double svg_value(const struct table *table, const char *field, size_t i);
const char *svg_text(const struct table *table, const char *field, size_t i);

/* To build a scale: create it empty, widen it by each value, then settle it, which rounds the
 * limits to whole ticks, in multiples of `unit` if that is positive. */
struct svg_scale svg_scale_of(enum chart_axis axis, double from, double to);
void svg_scale_widen(struct svg_scale *scale, double value);
void svg_scale_settle(struct svg_scale *scale, enum chart_axis axis, double unit);
double svg_scale_place(const struct svg_scale *scale, double value);
/* The plot area of a chart with two axes, with empty scales. */
struct svg_plane svg_plane_of(const struct chart *chart, const struct table *table, int width);

/* Print all digits, with a comma between thousands. */
void svg_grouped(struct buf *out, double value);
/* In the texts of a document, except its heading, turn 12,345.6 into 12 345,6. */
void svg_decimal_commas(char *svg);
/* Write the start of the document, including its heading. */
void svg_head(const struct chart *chart, const struct svg_page *page, struct buf *out);
/* Draw the axis BOTTOM pixels above the lower edge. */
void svg_x_axis(const struct svg_plane *plane, const char *label, struct buf *out);
void svg_y_axis(const struct svg_plane *plane, const char *label, struct buf *out);
/* Write escaped text at x, y; `anchor` is start, middle or end. */
void svg_words(const char *words, double x, double y, const char *anchor, struct buf *out);

/* Chart types with files of their own. */
void svg_scatter(const struct chart *chart, const struct table *table, int width, struct buf *out);
void svg_bars(const struct chart *chart, const struct table *table, int width, struct buf *out);
void svg_heatmap(const struct chart *chart, const struct table *table, int width, struct buf *out);
void svg_stacked(const struct chart *chart, const struct table *table, int width, struct buf *out);

#endif
