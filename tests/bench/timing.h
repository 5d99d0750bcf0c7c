/* timing.h - CPU time of a few runs, printed as their median with the fastest and the slowest. */
#ifndef BENCH_TIMING_H
#define BENCH_TIMING_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { RUNS = 15 };

/* Of this thread: others on the machine do not count. */
static double seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return (left > right) - (left < right);
}

static void print_runs(const char *what, double *runs, double count, const char *unit)
{
    qsort(runs, RUNS, sizeof(*runs), ascending);
    double median = runs[RUNS / 2];
    printf("%-44s %10.3f ms  (%.3f to %.3f)  %.4g %s  %.4g %s/s\n", what, 1e3 * median,
           1e3 * runs[0], 1e3 * runs[RUNS - 1], count, unit, count / median, unit);
}

#endif
