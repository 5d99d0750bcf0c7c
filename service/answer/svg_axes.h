/* svg_axes.h - what every kind of chart is drawn on: a page with its words, axes, and data to
 * pixels. */
#ifndef ANSWER_SVG_AXES_H
#define ANSWER_SVG_AXES_H

#include "answer/svg.h"
#include "answer/value.h"

/* The page, in pixels. */
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
struct svg_scale {
    double low, high, step; /* whole steps around the data; of logarithms no step */
    double from, to;        /* pixels */
    bool log, percent;
    bool dates;       /* days since CHART_EPOCH, ticks every n days or months: */
    int days, months; /* one of them is 0 */
};

struct svg_plane {
    const struct table *table;
    struct svg_scale x, y;
};

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
/* The document down to its heading; `height` of the page. */
void svg_head(const struct chart *chart, int height, struct buf *out);
/* `bottom`: where the plane ends. */
void svg_x_axis(const struct svg_scale *x, const char *label, int bottom, struct buf *out);
void svg_y_axis(const struct svg_scale *y, const char *label, struct buf *out);

/* For AXIS_DAYS: no round ends, each tick at the turn of a day, month or year. */
void svg_dates_settle(struct svg_scale *scale);
bool svg_dates_mark(const struct svg_scale *scale, int i, double *value);
void svg_dates_tick(struct buf *out, const struct svg_scale *scale, double value);
void svg_dates_line(const struct svg_scale *scale, int bottom, struct buf *out);

/* The kinds that have a file of their own. */
void svg_scatter(const struct chart *chart, const struct table *table, struct buf *out);
void svg_bars(const struct chart *chart, const struct table *table, struct buf *out);
void svg_heatmap(const struct chart *chart, const struct table *table, struct buf *out);
void svg_stacked(const struct chart *chart, const struct table *table, struct buf *out);

#endif
