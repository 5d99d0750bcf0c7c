/* sort.h - order an array in place. */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include <math.h>
#include <stddef.h>

/* `compare` gets two items and says which comes first, as for qsort(3); no two may compare equal
 * where the order is to be the same on every machine. */
void sort_items(void *items, size_t n, size_t size, int (*compare)(const void *, const void *));

/* Such a `compare` for doubles: the lesser first. */
int sort_compare_doubles(const void *a, const void *b);

/* -1, 0 or 1; what is unknown comes last. */
static inline int sort_order(double a, double b)
{
    if (isnan(a) || isnan(b))
        return isnan(a) - isnan(b);
    return (a > b) - (a < b);
}

/* The first that is not 0. */
static inline int sort_first(int first, int second, int third)
{
    return first ? first : second ? second : third;
}

#endif
