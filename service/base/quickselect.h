/* quickselect.h - the k-th smallest number without a full sort. */
#ifndef BASE_QUICKSELECT_H
#define BASE_QUICKSELECT_H

#include <stddef.h>

/* Returns the number that sorting would put at index k, or NAN if k >= n; NAN sorts last. Reorders
 * the array: afterwards no number before index k is greater, and none after it is smaller. */
double quickselect(double *numbers, size_t n, size_t k);

#endif
