/* select.h - the k-th smallest number without sorting the rest. */
#ifndef BASE_SELECT_H
#define BASE_SELECT_H

#include <stddef.h>

/* The number that sorting would put at place k, below n. Moves the numbers about: afterwards none
 * before place k is greater, and none behind it less. No NAN among them; infinities are fine. */
double select_place(double *numbers, size_t n, size_t k);

#endif
