/* svg.h - columns of a table as an accessible SVG chart: curves, scatter plot, bars, heat map or
 * stacked bars. */
#ifndef ANSWER_SVG_H
#define ANSWER_SVG_H

#include "answer/answer.h"

#include <stdint.h>

enum { CHART_CURVES_MAX = 4, CHART_MARKS_MAX = 6, CHART_PANELS_MAX = 2, CHART_EPOCH = 20000101 };

enum chart_kind {
    CHART_CURVES,
    CHART_SCATTER, /* curves[0] over x_field; the points whose mark_field is 1 are joined */
    CHART_BARS,    /* one bar per row and curve, starting at x_middle */
    CHART_GRID,    /* heat map: one cell per x_field and y_field, in order of x, then y; shows the
                    * value of curves[0], coloured by the side of x_middle it is on */
    CHART_PARTS,   /* stacked bars in the panel numbered by y_field: one bar per row, of length
                    * curves[0], from the end of the previous bar, or from zero if its mark_field is
                    * 1 */
};

/* Where an axis starts. */
enum chart_axis {
    AXIS_ZERO,
    AXIS_DATA, /* at the smallest value */
    AXIS_LOG,  /* the same, but logarithmic if the values span a wide range */
    AXIS_DAYS, /* at the first day, counted as by svg_dates_day() */
};

/* How to draw a table; the texts are borrowed. */
struct chart {
    enum chart_kind kind;
    enum chart_axis x_axis, y_axis;
    const struct table *table; /* NULL for the first table of the answer */
    const char *title;         /* the question the chart answers */
    const char *description;   /* the result in words, for readers who cannot see the chart */
    const char *x_label, *y_label;
    const char *x_field;       /* a number; for CHART_BARS and CHART_PARTS the text that names each
                                * bar */
    const char *y_field;       /* a number; for CHART_GRID and CHART_PARTS */
    const char *unit_field;    /* CHART_BARS: x_field holds API field names, this field their
                                * units */
    const char *name_field;    /* text; CHART_SCATTER: a point's name, CHART_PARTS: the value in
                                * words */
    const char *label_field;   /* text next to a scatter point, or NULL */
    const char *mark_field;    /* 1 for a scatter point on the line, for a bar in the other colour,
                                * or for a part that is a total; NULL if none */
    bool x_percent, y_percent; /* the axis shows percentages */
    double x_unit;   /* ticks of the x axis are multiples of this, such as 12 months; 0 for any */
    double x_middle; /* CHART_BARS: the value that bars start from; CHART_GRID: the value at which
                      * colours change */
    size_t n_curves;
    struct curve {
        const char *field, *name;
    } curves[CHART_CURVES_MAX]; /* distinguished by dash pattern as well as by colour */
    size_t n_marks;
    struct chart_mark {
        double x;
        const char *name;
        bool ring;            /* draw a ring around the first curve at x */
    } marks[CHART_MARKS_MAX]; /* CHART_CURVES: vertical lines */
    size_t n_panels;
    struct panel {
        const char *title;
        double limit; /* NAN if none */
        const char *limit_name;
    } panels[CHART_PANELS_MAX]; /* for CHART_PARTS */
};

/* The position of a day (yyyymmdd) on an axis of days; NAN for 0. */
double svg_dates_day(int32_t day);

/* Write the chart as a complete SVG document, `width` pixels wide. A narrow chart has fewer ticks
 * and puts names above what they label, in the same font size. Unknown points are omitted. With
 * `decimal_commas`, numbers read 12 345,6. `out` is empty at first.
 */
void svg_write(const struct chart *chart, const struct table *table, int width, bool decimal_commas,
               struct buf *out);

#endif
