/* svg.h - columns of a table as an accessible chart: curves, a scatter of points, or bars. */
#ifndef ANSWER_SVG_H
#define ANSWER_SVG_H

#include "answer/answer.h"

enum { CHART_CURVES_MAX = 4 };

enum chart_kind {
    CHART_CURVES,
    CHART_SCATTER, /* curves[0] over x_field; the points whose mark_field is 1 are joined */
    CHART_BARS,    /* a bar per row from curves[0] to curves[1], on both sides of x_middle */
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
    const char *name_field; /* of a scatter: the text that names each point */
    const char *mark_field; /* of a scatter: 1 where the point is on the line */
    double x_unit;          /* steps of the x axis are multiples of it, as of 12 months; 0: any */
    double x_middle;        /* of bars: the value they lie around */
    size_t n_curves;
    struct curve {
        const char *field, *name;
    } curves[CHART_CURVES_MAX]; /* differ by dash as well as by colour */
};

/* Write the chart as a whole SVG document. Points that are unknown are left out. */
void svg_write(const struct chart *chart, const struct table *table, struct buf *out);

#endif
