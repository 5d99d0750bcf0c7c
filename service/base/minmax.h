/* minmax.h - inline min, max and ceil for hot loops: fmin, fmax and ceil are calls. No argument may
 * be NAN. */
#ifndef BASE_MINMAX_H
#define BASE_MINMAX_H

static inline double lesser(double a, double b)
{
    return a < b ? a : b;
}

static inline double greater(double a, double b)
{
    return a > b ? a : b;
}

/* For numbers from 0 to 2^53. */
static inline double round_up(double number)
{
    double whole = (double)(long long)number;

    return whole < number ? whole + 1 : whole;
}

#endif
