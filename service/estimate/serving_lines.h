/* serving_lines.h - what a serving answer is made of, line by line: memory of a GPU, time of an
 * output token, cost of an hour. */
#ifndef ESTIMATE_SERVING_LINES_H
#define ESTIMATE_SERVING_LINES_H

#include "estimate/serving.h"

struct serving_line {
    const char *group, *key, *unit, *formula; /* static text */
    double value;                             /* GiB, seconds; NAN for money */
    double quantity, unit_price, amount;      /* money only */
};

enum { SERVING_LINES_MAX = 16 };

struct serving_lines {
    size_t n;
    struct serving_line at[SERVING_LINES_MAX];
};

/* The memory lines add up to the capacity, the time lines to the time per output token. */
void serving_lines(const struct serving_plan *plan, double price_per_gpu_hour,
                   struct serving_lines *lines);

#endif
