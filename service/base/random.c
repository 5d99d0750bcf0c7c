#include "base/random.h"

/* 2^64 divided by the golden ratio: the counter's increment. */
static const uint64_t golden = 0x9e3779b97f4a7c15;

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

/* Mix the seed, so that neighbouring seeds do not give shifted copies of one sequence. */
static uint64_t start_of(uint64_t seed)
{
    return mix(seed + golden);
}

uint64_t random_bits(uint64_t seed, uint64_t n)
{
    return mix(start_of(seed) + (n + 1) * golden);
}

void random_units(double *to, size_t count, uint64_t seed, uint64_t first, uint64_t step)
{
    const double unit = 1.0 / ((uint64_t)1 << 53); /* a double has 53 bits */
    uint64_t state = start_of(seed) + (first + 1) * golden;

    for (size_t i = 0; i < count; i++, state += step * golden)
        to[i] = (double)(mix(state) >> 11) * unit;
}
