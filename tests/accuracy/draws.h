/* draws.h - random numbers of batching.c: those of Python's random.Random(seed), with which the
 * bars were set. */
#ifndef TESTS_ACCURACY_DRAWS_H
#define TESTS_ACCURACY_DRAWS_H

#include <math.h>
#include <stdint.h>

enum { WORDS = 624, SHIFT = 397 };
static uint32_t word[WORDS];
static int at_word;

static void seed_words(uint32_t seed)
{
    word[0] = 19650218U;
    for (uint32_t i = 1; i < WORDS; i++)
        word[i] = 1812433253U * (word[i - 1] ^ (word[i - 1] >> 30)) + i;
    uint32_t i = 1;
    for (int k = 0; k < WORDS; k++) {
        word[i] = (word[i] ^ ((word[i - 1] ^ (word[i - 1] >> 30)) * 1664525U)) + seed;
        if (++i == WORDS) {
            word[0] = word[WORDS - 1];
            i = 1;
        }
    }
    for (int k = 1; k < WORDS; k++) {
        word[i] = (word[i] ^ ((word[i - 1] ^ (word[i - 1] >> 30)) * 1566083941U)) - i;
        if (++i == WORDS) {
            word[0] = word[WORDS - 1];
            i = 1;
        }
    }
    word[0] = 0x80000000U;
    at_word = WORDS;
}

static uint32_t next_word(void)
{
    if (at_word == WORDS) {
        for (int i = 0; i < WORDS; i++) {
            uint32_t y = (word[i] & 0x80000000U) | (word[(i + 1) % WORDS] & 0x7fffffffU);
            word[i] = word[(i + SHIFT) % WORDS] ^ (y >> 1) ^ (y & 1 ? 0x9908b0dfU : 0);
        }
        at_word = 0;
    }
    uint32_t y = word[at_word++];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680U;
    y ^= (y << 15) & 0xefc60000U;
    return y ^ (y >> 18);
}

static double uniform(void)
{
    uint32_t high = next_word() >> 5, low = next_word() >> 6;
    return (high * 67108864.0 + low) / 9007199254740992.0;
}

static double exponential(double rate)
{
    return -log(1 - uniform()) / rate;
}

/* By the ratio of uniform deviates (Kinderman and Monahan 1977). */
static double normal(double mean, double deviation)
{
    for (;;) {
        double u = uniform(), v = 1 - uniform();
        double z = 4 * exp(-0.5) / sqrt(2.0) * (u - 0.5) / v;
        if (z * z / 4 <= -log(v))
            return mean + z * deviation;
    }
}

/* The mean that lognormal lengths must have so that it is `mean` once they are clipped to 1 and
 * `most`, by bisection on the average over a grid of normal deviates. */
static double mean_before(double mean, double cv, double most)
{
    enum { EACH = 128, POINTS = 16 * EACH + 1 };
    double low = mean / 64, high = mean * 1e6, sigma = sqrt(log(1 + cv * cv)), weights = 0;
    double weight[POINTS], factor[POINTS];

    if (cv == 0 || mean >= most)
        return mean;
    for (int i = 0; i < POINTS; i++) {
        double z = (double)i / EACH - 8;
        weight[i] = exp(-z * z / 2);
        factor[i] = exp(sigma * z - sigma * sigma / 2);
        weights += weight[i];
    }
    for (int i = 0; i < 80; i++) {
        double middle = sqrt(low * high), sum = 0;
        for (int j = 0; j < POINTS; j++)
            sum += weight[j] * fmin(most, fmax(1, middle * factor[j]));
        if (sum < mean * weights)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* A whole number of at least one, lognormal; none longer than the model takes. */
static double length(double mean, double cv, double most)
{
    if (cv == 0)
        return mean;
    double sigma = sqrt(log(1 + cv * cv));
    double drawn = rint(exp(normal(log(mean) - sigma * sigma / 2, sigma)));
    return fmin(most, fmax(1, drawn));
}

#endif
