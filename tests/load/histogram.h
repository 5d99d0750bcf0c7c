/* histogram.h - how often a time was measured, to within one percent; times are in microseconds. */
#ifndef LOAD_HISTOGRAM_H
#define LOAD_HISTOGRAM_H

#include <stdint.h>

enum { EXACT = 256, HALF = EXACT / 2, BUCKETS = EXACT + 32 * HALF };

struct histogram {
    uint64_t count, max, buckets[BUCKETS];
};

static inline void histogram_add(struct histogram *histogram, uint64_t us)
{
    uint64_t top = us, bucket = 0;

    while (top >= EXACT) { /* its eight leading bits, and how many follow them */
        top /= 2;
        bucket += HALF;
    }
    bucket += top;
    histogram->buckets[bucket < BUCKETS ? bucket : BUCKETS - 1]++;
    histogram->count++;
    histogram->max = us > histogram->max ? us : histogram->max;
}

/* The time that this share of them did not exceed, rounded up to the end of its bucket. */
static inline double histogram_ms(const struct histogram *histogram, double share)
{
    double wanted = share * (double)histogram->count;
    uint64_t seen = 0, bucket = 0;

    while (bucket < BUCKETS - 1 && (double)(seen += histogram->buckets[bucket]) < wanted)
        bucket++;
    uint64_t doubled = bucket < EXACT ? 0 : bucket / HALF - 1;
    uint64_t end = ((bucket - HALF * doubled + 1) << doubled) - 1;
    return 1e-3 * (double)(end < histogram->max ? end : histogram->max);
}

#endif
