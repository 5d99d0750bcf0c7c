/* svg.h - columns of a table as an accessible chart: curves, a scatter of points, bars, a grid, or
 * the parts of a whole. */
#ifndef ANSWER_SVG_H
#define ANSWER_SVG_H

#include "answer/answer.h"

#include <stdint.h>

enum { CHART_CURVES_MAX = 4, CHART_MARKS_MAX = 6, CHART_PANELS_MAX = 2, CHART_EPOCH = 20000101 };

enum chart_kind {
    CHART_CURVES,
    CHART_SCATTER, /* curves[0] over x_field; the points whose mark_field is 1 are joined */
    CHART_BARS,    /* a bar per row to each of the curves, from x_middle on */
    CHART_GRID,    /* a cell for each x_field and y_field, in order of x and of y within it;
                    * curves[0] in words, and coloured by the side of x_middle it is on */
    CHART_PARTS,   /* in the panel that y_field numbers a bar for each row, curves[0] long, from the
                    * end of the one before it, or from zero where its mark_field is 1 */
};

/* Where an axis begins. */
enum chart_axis {
    AXIS_ZERO,
    AXIS_DATA, /* at the least value */
    AXIS_LOG,  /* the same, in powers of ten where the values are far apart */
    AXIS_DAYS, /* at the least day, as svg_dates_day() counts them */
};

/* What to draw of a table; the texts are borrowed. */
struct chart {
    enum chart_kind kind;
    enum chart_axis x_axis, y_axis;
    const struct table *table; /* NULL: the first of the answer */
    const char *title;         /* the question */
    const char *description;   /* the answer in words, for readers who cannot see the curves */
    const char *x_label, *y_label;
    const char *x_field;       /* a number; of bars and parts the text that names each */
    const char *y_field;       /* of a grid and of parts: a number */
    const char *unit_field;    /* of bars: x_field holds names of the API, their units are here */
    const char *name_field;    /* text: of a scatter a point's name, of parts the value in words */
    const char *label_field;   /* text next to a point of a scatter plot; NULL: none */
    const char *mark_field;    /* 1: of a scatter a point on the line, of parts a whole, of bars
                                * one in the other colour; NULL: none */
    bool x_percent, y_percent; /* shares */
    double x_unit;   /* steps of the x axis are multiples of it, as of 12 months; 0: any */
    double x_middle; /* of bars: the value they lie around; of a grid: where colours change */
    size_t n_curves;
    struct curve {
        const char *field, *name;
    } curves[CHART_CURVES_MAX]; /* differ by dash as well as by colour */
    size_t n_marks;
    struct chart_mark {
        double x;
        const char *name;
        bool ring;            /* around the first curve there */
    } marks[CHART_MARKS_MAX]; /* of curves: upright lines */
    size_t n_panels;
    struct panel {
        const char *title;
        double limit; /* NAN: none */
        const char *limit_name;
    } panels[CHART_PANELS_MAX]; /* of parts */
};

/* A day, yyyymmdd, on an axis of days; NAN for 0. */
double svg_dates_day(int32_t day);

/* Write the chart as a complete SVG document, `width` pixels wide. A narrow chart has fewer ticks,
 * puts names above what they label and keeps the font size. Unknown points are left out.
 */
void svg_write(const struct chart *chart, const struct table *table, int width, struct buf *out);

#endif
