#include "estimate/inference/length_mix.h"

#include "base/sort.h"

#include <math.h>

static int order(double a, double b)
{
    return (a > b) - (a < b);
}

static int compare(const void *a, const void *b)
{
    const struct length_bucket *x = a, *y = b;
    int by_input = order(x->input_tokens, y->input_tokens);
    int by_output = order(x->output_tokens, y->output_tokens);

    return by_input ? by_input : by_output ? by_output : order(x->share, y->share);
}

/* Merge buckets of equal lengths. */
static size_t merge(struct length_bucket *buckets, size_t n)
{
    size_t merged = 0;

    sort_items(buckets, n, sizeof(*buckets), compare);
    for (size_t i = 1; i < n; i++)
        if (buckets[i].input_tokens == buckets[merged].input_tokens &&
            buckets[i].output_tokens == buckets[merged].output_tokens)
            buckets[merged].share += buckets[i].share;
        else
            buckets[++merged] = buckets[i];
    return merged + 1;
}

/* Selects prompts or answers. */
enum side { INPUT, OUTPUT };

static double length_of(const struct length_bucket *bucket, enum side side)
{
    return side == INPUT ? bucket->input_tokens : bucket->output_tokens;
}

static double mean_of(const struct length_bucket *buckets, size_t n, enum side side)
{
    double all = 0, over = 0, first = length_of(buckets, side); /* relative to the first, so that a
                                                                 * single bucket is exact */

    for (size_t i = 0; i < n; i++) {
        all += buckets[i].share;
        over += buckets[i].share * (length_of(&buckets[i], side) - first);
    }
    return first + over / all;
}

/* The law of total variance, relative to the squared mean: b^2 between buckets, and cv^2 (1 + b^2)
 * within them. */
static double cv_of(const struct length_bucket *buckets, size_t n, enum side side, double cv)
{
    double all = 0, between = 0, mean = mean_of(buckets, n, side);

    for (size_t i = 0; i < n; i++) {
        double apart = length_of(&buckets[i], side) / mean - 1;
        all += buckets[i].share;
        between += buckets[i].share * apart * apart;
    }
    between /= all;
    return between > 0 ? sqrt(between + cv * cv * (1 + between)) : cv;
}

struct length_mix length_mix_of(struct length_bucket *buckets, size_t n, double input_cv,
                                double output_cv)
{
    struct length_mix mix = {0};

    n = merge(buckets, n);
    mix.input_tokens = mean_of(buckets, n, INPUT);
    mix.output_tokens = mean_of(buckets, n, OUTPUT);
    mix.input_cv = cv_of(buckets, n, INPUT, input_cv);
    mix.output_cv = cv_of(buckets, n, OUTPUT, output_cv);
    for (size_t i = 0; i < n; i++)
        mix.longest = fmax(mix.longest, buckets[i].input_tokens + buckets[i].output_tokens);
    return mix;
}
