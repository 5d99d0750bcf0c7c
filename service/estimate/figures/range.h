/* range.h - the values of an input at which a sensitivity analysis repeats a question. */
#ifndef ESTIMATE_FIGURES_RANGE_H
#define ESTIMATE_FIGURES_RANGE_H

#include <stdbool.h>
#include <stddef.h>

struct range_ends {
    double low, high;
};

/* Half to double the value, within the accepted range; NAN leaves a side open. */
struct range_ends range_around(double value, double min, double max);
/* Half the value to the value itself. */
struct range_ends range_below(double value, double min);

/* A step that divides the range into twelve; for a range_around() one of the points is the value
 * itself. If `whole`, a whole number of at least 1. */
double range_step(struct range_ends ends, bool whole);
/* The number of points, including both ends if the steps reach the upper one; and the i-th
 * point. */
double range_points(struct range_ends ends, double step);
double range_point(struct range_ends ends, double step, size_t i);

/* Combines two independent errors given as factors: their logarithms add in quadrature. `sign` -1
 * gives the low end, 1 the high end. */
double range_joined(double a, double b, double sign);

/* The difference of two results; 0 if it is only rounding, NAN if one is unknown. */
double range_width(double a, double b);

#endif
