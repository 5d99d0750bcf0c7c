/* sort.h - sorts an array in place, or finds one number of the order without sorting all. */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include <math.h>
#include <stddef.h>

/* `compare` works as for qsort(3). It must not return 0 for different items if the order is to be
 * the same on every machine. */
void sort_items(void *items, size_t n, size_t size, int (*compare)(const void *, const void *));

/* A `compare` for doubles, ascending. */
int sort_compare_doubles(const void *a, const void *b);

/* The k-th smallest number, by quickselect: the number that sorting would put at index k, or NAN if
 * k >= n; NAN sorts last. Reorders the array: afterwards no number before index k is greater, and
 * none after it is smaller. */
double sort_select(double *numbers, size_t n, size_t k);

/* Three-way comparison: -1, 0 or 1; NAN sorts last. */
static inline int sort_order(double a, double b)
{
    if (isnan(a) || isnan(b))
        return isnan(a) - isnan(b);
    return (a > b) - (a < b);
}

/* The first argument that is not 0. */
static inline int sort_first(int first, int second, int third)
{
    return first ? first : second ? second : third;
}

#endif
