/* range.h - the values of an input at which a question is asked again, to see what it moves. */
#ifndef ESTIMATE_FIGURES_RANGE_H
#define ESTIMATE_FIGURES_RANGE_H

#include <stdbool.h>
#include <stddef.h>

struct range_ends {
    double low, high;
};

/* From half to double, within what is accepted; NAN leaves a side of that open. */
struct range_ends range_around(double value, double min, double max);
/* From half to the value itself. */
struct range_ends range_below(double value, double min);

/* Twelve steps from one end to the other: of a range_around() one of them is the value itself.
 * `whole`: a whole number, at least 1. */
double range_step(struct range_ends ends, bool whole);
/* How many points that is, both ends counted where the steps reach the upper one; the i-th. */
double range_points(struct range_ends ends, double step);
double range_point(struct range_ends ends, double step, size_t i);

/* The factor of two independent errors, given as factors: their logarithms add in quadrature; its
 * low end where `sign` is -1, the high one where it is 1. */
double range_joined(double a, double b, double sign);

/* How far apart two results are, 0 where that is rounding alone; NAN where one is unknown. */
double range_width(double a, double b);

#endif
