#include "base/sort.h"

#include <stdbool.h>
#include <stdlib.h>

void sort_items(void *items, size_t n, size_t size, int (*compare)(const void *, const void *))
{
    if (n > 1)
        qsort(items, n, size, compare);
}

int sort_compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Quickselect. Hoare: Algorithm 65, FIND; Communications of the ACM 4 (1961), with numbers equal to
 * the pivot separated, and with branchless exchanges, because the comparisons are unpredictable. */

/* Partition [from, to): numbers below the pivot, or equal to it too, come first; returns where
 * the others begin. */
static size_t split(double *numbers, size_t from, size_t to, double pivot, bool or_equal)
{
    size_t end = from;

    for (size_t i = from; i < to; i++) {
        double number = numbers[i];
        numbers[i] = numbers[end];
        numbers[end] = number;
        end += (number < pivot) | (or_equal & (number == pivot));
    }
    return end;
}

static double middle_of_three(double a, double b, double c)
{
    double low = a < b ? a : b, high = a < b ? b : a;

    return c < low ? low : c > high ? high : c;
}

/* Move NANs to the end; returns how many numbers precede them. */
static size_t set_apart(double *numbers, size_t n)
{
    size_t end = 0;

    for (size_t i = 0; i < n; i++) {
        double number = numbers[i];
        numbers[i] = numbers[end];
        numbers[end] = number;
        end += isnan(number) == 0;
    }
    return end;
}

double sort_select(double *numbers, size_t n, size_t k)
{
    size_t from = 0, to = set_apart(numbers, n);

    if (k >= to)
        return (double)NAN;
    for (;;) { /* the pivot is one of the remaining numbers, so each pass leaves fewer */
        double pivot =
            middle_of_three(numbers[from], numbers[from + (to - from) / 2], numbers[to - 1]);
        size_t below = split(numbers, from, to, pivot, false);
        if (k < below) {
            to = below;
            continue;
        }
        size_t above = split(numbers, below, to, pivot, true);
        if (k < above)
            return pivot;
        from = above;
    }
}
