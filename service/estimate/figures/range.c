#include "estimate/figures/range.h"

#include <math.h>

struct range_ends range_around(double value, double min, double max)
{
    return (struct range_ends){fmax(value / 2, min), fmin(2 * value, max)};
}

struct range_ends range_below(double value, double min)
{
    return (struct range_ends){fmax(value / 2, min), value};
}

double range_step(struct range_ends ends, bool whole)
{
    double step = (ends.high - ends.low) / 12;

    return whole ? fmax(1, round(step)) : step;
}

/* A last step within rounding error of the upper end counts as reaching it; likewise two results
 * are equal. */
static const double ROUNDING = 1e-9;

double range_points(struct range_ends ends, double step)
{
    return ends.high > ends.low ? floor((ends.high - ends.low) / step + ROUNDING) + 1 : 1;
}

double range_point(struct range_ends ends, double step, size_t i)
{
    double value = ends.low + (double)i * step;

    return fabs(value - ends.high) <= ROUNDING * step ? ends.high : value;
}

double range_joined(double a, double b, double sign)
{
    return exp(sign * hypot(log(a), log(b)));
}

double range_width(double a, double b)
{
    double width = fabs(a - b);

    return width <= ROUNDING * fmax(fabs(a), fabs(b)) ? 0 : width; /* false for NAN */
}
