/* quickselect.h - the k-th smallest number without sorting the rest. */
#ifndef BASE_QUICKSELECT_H
#define BASE_QUICKSELECT_H

#include <stddef.h>

/* The number that sorting would put at place k; NAN, which is greater than all numbers here, where
 * there are no more than k. Moves the numbers about: afterwards none before place k is greater, and
 * none behind it less. */
double quickselect(double *numbers, size_t n, size_t k);

#endif
