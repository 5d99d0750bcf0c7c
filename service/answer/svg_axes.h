/* svg_axes.h - what every kind of chart is drawn on: a page with its words, axes, and data to
 * pixels. */
#ifndef ANSWER_SVG_AXES_H
#define ANSWER_SVG_AXES_H

#include "answer/svg.h"
#include "answer/value.h"

/* In pixels: margin below the plane, line height, width of a letter; and ticks of an axis. */
enum { BOTTOM = 56, LINE = 16, LETTER = 7, TICKS = 6 };

/* The drawing and the margins around its plane, in pixels. */
struct svg_page {
    int width, height;
    int left, right, top;
    int narrow; /* no room next to the plane: names go inside it or above their bars */
};

/* Data to pixels. */
struct svg_scale {
    double low, high, step; /* whole steps around the data; of logarithms no step */
    double from, to;        /* pixels */
    bool log, percent;
    bool dates;       /* days since CHART_EPOCH, ticks every n days or months: */
    int days, months; /* one of them is 0 */
};

struct svg_plane {
    const struct table *table;
    struct svg_page page;
    struct svg_scale x, y;
};

struct svg_page svg_page_of(const struct chart *chart, int width);

/* A number of row i, NAN where it is unknown or there is no such column. */
double svg_value(const struct table *table, const char *field, size_t i);
const char *svg_text(const struct table *table, const char *field, size_t i);

/* An empty scale of that kind of axis; then each value; then round ends, in multiples of `unit`
 * where that is above zero. */
struct svg_scale svg_scale_of(enum chart_axis axis, double from, double to);
void svg_scale_widen(struct svg_scale *scale, double value);
void svg_scale_settle(struct svg_scale *scale, enum chart_axis axis, double unit);
double svg_scale_place(const struct svg_scale *scale, double value);

/* Thousands and millions as k and M: the axis says the unit. */
void svg_tick(struct buf *out, double value);
/* The same in full, with a comma between thousands. */
void svg_grouped(struct buf *out, double value);
/* Write the start of the document, including its heading. */
void svg_head(const struct chart *chart, const struct svg_page *page, struct buf *out);
/* Draw the axis BOTTOM pixels above the lower edge. */
void svg_x_axis(const struct svg_plane *plane, const char *label, struct buf *out);
void svg_y_axis(const struct svg_plane *plane, const char *label, struct buf *out);
/* Write escaped text at x, y; `anchor` is start, middle or end. */
void svg_words(const char *words, double x, double y, const char *anchor, struct buf *out);

/* The kinds that have a file of their own. */
void svg_scatter(const struct chart *chart, const struct table *table, int width, struct buf *out);
void svg_bars(const struct chart *chart, const struct table *table, int width, struct buf *out);
void svg_heatmap(const struct chart *chart, const struct table *table, int width, struct buf *out);
void svg_stacked(const struct chart *chart, const struct table *table, int width, struct buf *out);

#endif
