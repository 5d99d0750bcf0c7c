/* random.h - counter-based random numbers, the same on every machine and for any number of threads.
 *
 * Number n of a seed depends on the two only: it is a counter passed through the finalizer of
 * splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014, with
 * the constants of variant 13 by David Stafford). There is no state, so numbers can be drawn in any
 * order.
 */
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

uint64_t random_bits(uint64_t seed, uint64_t n);

/* Fills `to` with numbers first, first + step, ... of the seed, each in [0, 1). */
void random_units(double *to, size_t count, uint64_t seed, uint64_t first, uint64_t step);

#endif
