#include "estimate/inference/serving/tail.h"

#include "base/root.h"

#include <math.h>
#include <stdbool.h>

static const double NEAR = 1e-12; /* relative tolerance of a root */

/* Fraction of requests that take longer than the time with score `z`, if some also wait an
 * exponential time for a slot. Computed for a normal variable, scaled to the distribution at `z`.
 */
static double longer_than(const struct moments_shape *shape, const struct tail_wait *slots,
                          double z)
{
    double found = moments_normal_below(-z);
    double over = moments_percentile(0, shape, z) - moments_percentile(0, shape, 0);
    double waits = over / z / slots->seconds, apart = waits - z;
    double late = apart > 5 ? moments_normal_density(z) / (apart + 1 / apart)
                            : exp(waits * (waits / 2 - z)) * moments_normal_below(-apart);

    return found + slots->chance * fmin(late, 1 - found);
}

/* The score, among requests that find a slot immediately, of the time exceeded by the fraction at
 * `z` of all requests. Solved for the logarithm, as the tail is exponential. */
static double score_with(const struct moments_shape *shape, const struct tail_wait *slots, double z)
{
    enum { STEPS = 40 };
    double low = z, rest = moments_normal_below(-z);

    if (!(slots->chance > 1e-4) || !(shape->deviation > 0))
        return z;
    double far = moments_percentile(0, shape, z) + 8 * slots->seconds;
    double high = fmax(z + 8, moments_score(0, shape, far));
    struct root root = {low, high, log(longer_than(shape, slots, low) / rest),
                        log(longer_than(shape, slots, high) / rest), 0};
    for (int i = 0; i < STEPS && root.high - root.low > NEAR * root.high; i++) {
        double middle = root_guess(&root);
        double excess = log(longer_than(shape, slots, middle) / rest);
        if (fabs(excess) <= NEAR)
            return middle;
        root_narrow(&root, middle, excess);
    }
    return root.high;
}

double tail_percentile(const struct moments *of, const struct moments *least,
                       const struct tail_wait *slots, double z)
{
    struct moments_shape shape = moments_shape_of(of), shape_least = moments_shape_of(least);
    double at_least = moments_percentile(least->mean, &shape_least, z);
    double seconds = moments_percentile(of->mean, &shape, score_with(&shape, slots, z));

    return shape.deviation > 0 ? fmax(seconds, at_least) : seconds;
}

double tail_score(const struct moments *of, double seconds, double otherwise)
{
    struct moments_shape shape = moments_shape_of(of);

    return shape.deviation > 0 ? moments_score(of->mean, &shape, seconds) : otherwise;
}

/* Fraction of a pool's requests that take at most that long. */
static double under(const struct tail_part *part, double log_seconds)
{
    double middle = log(part->p50);
    double deviation = (log(part->p95) - middle) / MOMENTS_Z95;

    if (!(deviation > 0))
        return log_seconds >= middle;
    return moments_normal_below((log_seconds - middle) / deviation);
}

static bool has_times(const struct tail_part *part)
{
    return part->p50 > 0 && part->p95 > 0 && isfinite(part->p50) && isfinite(part->p95);
}

double tail_of_mixture(const struct tail_part *parts, size_t n, double below)
{
    enum { HALVINGS = 60 };
    const double beyond = 10; /* e-folds: no pool's percentiles are that far apart */
    double low = INFINITY, high = -INFINITY;

    for (size_t i = 0; i < n; i++) {
        if (!has_times(&parts[i]))
            return (double)NAN;
        low = fmin(low, log(parts[i].p50) - beyond);
        high = fmax(high, log(parts[i].p95) + beyond);
    }
    for (int i = 0; i < HALVINGS && n > 0; i++) {
        double middle = (low + high) / 2, share = 0;
        for (size_t k = 0; k < n; k++)
            share += parts[k].share * under(&parts[k], middle);
        if (share < below)
            low = middle;
        else
            high = middle;
    }
    return n > 0 ? exp(high) : (double)NAN;
}
