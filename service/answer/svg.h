/* svg.h - columns of a table as an accessible chart: curves, a scatter of points, bars, or a grid.
 */
#ifndef ANSWER_SVG_H
#define ANSWER_SVG_H

#include "answer/answer.h"

enum { CHART_CURVES_MAX = 4, CHART_MARKS_MAX = 6 };

enum chart_kind {
    CHART_CURVES,
    CHART_SCATTER, /* curves[0] over x_field; the points whose mark_field is 1 are joined */
    CHART_BARS,    /* a bar per row to each of the curves, from x_middle on */
    CHART_GRID,    /* a cell for each x_field and y_field, in order of x and of y within it;
                    * curves[0] in words, and coloured by the side of x_middle it is on */
};

/* Where an axis begins. */
enum chart_axis {
    AXIS_ZERO,
    AXIS_DATA, /* at the least value */
    AXIS_LOG,  /* the same, in powers of ten where the values are far apart */
};

/* What to draw of a table; the texts are borrowed. */
struct chart {
    enum chart_kind kind;
    enum chart_axis x_axis, y_axis;
    const struct table *table; /* NULL: the first of the answer */
    const char *title;         /* the question */
    const char *description;   /* the answer in words, for who cannot see the curves */
    const char *x_label, *y_label;
    const char *x_field;    /* a number; of bars the text that names each */
    const char *y_field;    /* of a grid: a number */
    const char *name_field; /* of a scatter: the text that names each point */
    const char *mark_field; /* of a scatter: 1 where the point is on the line */
    double x_unit;          /* steps of the x axis are multiples of it, as of 12 months; 0: any */
    double x_middle; /* of bars: the value they lie around; of a grid: where colours change */
    size_t n_curves;
    struct curve {
        const char *field, *name;
    } curves[CHART_CURVES_MAX]; /* differ by dash as well as by colour */
    size_t n_marks;
    struct mark {
        double x;
        const char *name;
        bool ring;            /* around the first curve there */
    } marks[CHART_MARKS_MAX]; /* of curves: upright lines */
};

/* Write the chart as a whole SVG document. Points that are unknown are left out. */
void svg_write(const struct chart *chart, const struct table *table, struct buf *out);

#endif
