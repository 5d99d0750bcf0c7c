#include "estimate/inference/serving/tail.h"

#include "base/root.h"

#include <math.h>

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
