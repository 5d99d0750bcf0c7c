/* svg.h - columns of a table as an accessible line chart. */
#ifndef ANSWER_SVG_H
#define ANSWER_SVG_H

#include "answer/answer.h"

enum { CHART_CURVES_MAX = 4 };

/* What to draw of a table; the texts are borrowed. */
struct chart {
    const char *title;       /* the question */
    const char *description; /* the answer in words, for who cannot see the curves */
    const char *x_label, *y_label;
    const char *x_field; /* a number */
    double x_unit;       /* steps of the x axis are multiples of it, as of 12 months; 0: any */
    size_t n_curves;
    struct curve {
        const char *field, *name;
    } curves[CHART_CURVES_MAX]; /* differ by dash as well as by colour */
};

/* Write the chart as a whole SVG document. Points that are unknown are left out. */
void svg_write(const struct chart *chart, const struct table *table, struct buf *out);

#endif
