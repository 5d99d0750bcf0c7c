/* random.h - random numbers that are the same on every machine and for any number of threads.
 *
 * Number n of a seed is a function of the two alone: a counter through the finalizer of splitmix64
 * (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014, with the
 * constants of the variant 13 that David Stafford found). Nothing is carried from one number to the
 * next, so they may be asked for in any order.
 */
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

uint64_t random_bits(uint64_t seed, uint64_t n);

/* Numbers first, first + step, ... of the seed, each in [0, 1). */
void random_units(double *to, size_t count, uint64_t seed, uint64_t first, uint64_t step);

#endif
