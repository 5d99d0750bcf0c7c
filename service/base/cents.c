#include "base/cents.h"

#include <float.h>
#include <math.h>

double cents_whole(long double amount)
{
    const double integers = 0x1p52;
    long double cents = amount * 100;
    double rounded = (double)cents, size = fabs(rounded);

    if (size >= integers)
        return rounded;
    rounded = copysign(size + integers - integers, rounded); /* half-even, without a function
                                                              * call */
    double beyond = (double)(cents - rounded);
    double from_tie = fabs(fabs(beyond) - 0.5);
    const double noise_most = 1e-5;
    if (from_tie > noise_most || from_tie > 1e-9 + 16 * DBL_EPSILON * size)
        return rounded;
    double below = beyond > 0 ? rounded : rounded - 1;
    return below + fmod(fabs(below), 2);
}

double cents_round(double amount)
{
    return cents_whole(amount) / 100 + 0.0; /* + 0.0: no minus zero */
}
