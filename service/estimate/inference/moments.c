#include "estimate/inference/moments.h"

#include <math.h>

struct raw_moments moments_raw(struct moments of)
{
    double second = of.variance + of.mean * of.mean;

    return (struct raw_moments){of.mean, second,
                                of.third + 3 * of.mean * of.variance + of.mean * of.mean * of.mean};
}

struct moments moments_central(struct raw_moments of)
{
    const double rounding = 1e-13;
    double mean = of.first, variance = of.second - mean * mean;

    if (variance <= rounding * of.second)
        return (struct moments){mean, 0, 0};
    return (struct moments){mean, variance,
                            fmax(0, of.third - 3 * mean * of.second + 2 * mean * mean * mean)};
}

struct moments moments_sum(struct moments a, struct moments b)
{
    return (struct moments){a.mean + b.mean, a.variance + b.variance, a.third + b.third};
}

struct moments moments_scaled(struct moments of, double by)
{
    return (struct moments){of.mean * by, of.variance * by * by, of.third * by * by * by};
}

struct moments moments_sometimes(double chance, struct moments of)
{
    struct raw_moments raw = moments_raw(of);

    return moments_central(
        (struct raw_moments){chance * raw.first, chance * raw.second, chance * raw.third});
}

struct moments moments_through(double p5, double p50, double p95)
{
    const double narrow = 1e-3;
    double up = p95 - p50, down = p50 - p5;

    if (!(up > 0))
        return (struct moments){p50, 0, 0};
    double sigma = log(up / fmax(down, narrow * up)) / MOMENTS_Z95;
    if (sigma < narrow) /* not skewed */
        return (struct moments){p50, up * up / (MOMENTS_Z95 * MOMENTS_Z95), 0};
    double scale = up / expm1(MOMENTS_Z95 * sigma), w = exp(sigma * sigma);
    double variance = scale * scale * w * (w - 1);
    return (struct moments){p50 + scale * (sqrt(w) - 1), variance,
                            variance * sqrt(variance) * (w + 2) * sqrt(w - 1)};
}

double moments_normal_below(double z)
{
    return erfc(-z / sqrt(2)) / 2;
}

double moments_normal_density(double z)
{
    return exp(-z * z / 2) / 2.5066282746310002; /* sqrt(2 pi) */
}

struct moments moments_of_clipped(double mean, double deviation, double low, double high)
{
    double a = (low - mean) / deviation, b = (high - mean) / deviation;
    double below = moments_normal_below(a), above = moments_normal_below(-b);
    double at_a = moments_normal_density(a), at_b = moments_normal_density(b);
    double far = above > 0 ? b : 0; /* no infinity times 0 */
    double first = a * below + far * above + at_a - at_b;
    double second = a * a * below + far * far * above + (1 - above - below) + a * at_a - far * at_b;

    return (struct moments){mean + deviation * first,
                            deviation * deviation * fmax(0, second - first * first), 0};
}

/* Takacs' recursion (Bell System Technical Journal 42, 1963), with the fourth moment of the service
 * time from a lognormal distribution. */
struct moments moments_of_queue(double rate, struct moments service)
{
    struct raw_moments s = moments_raw(service);
    double free = 1 - rate * s.first, ratio = s.third / s.second;
    double fourth = ratio * ratio * ratio * s.first;
    double first = rate * s.second / (2 * free);
    double second = 2 * first * first + rate * s.third / (3 * free);

    return moments_central((struct raw_moments){
        first, second, rate / free * (1.5 * s.second * second + s.third * first + fourth / 4)});
}

struct moments_shape moments_shape_of(const struct moments *of)
{
    struct moments_shape shape = {.deviation = sqrt(of->variance)};
    double skewness = of->third / (of->variance * shape.deviation);

    if (!(skewness > 1e-3))
        return shape;
    /* skewness = (w + 2) sqrt(w - 1), of which the tail is w - 1 */
    double half = 1 + skewness * skewness / 2, root = cbrt(half + sqrt(half * half - 1));
    shape.tail = root + 1 / root - 2;
    shape.sigma = sqrt(log1p(shape.tail));
    return shape;
}

double moments_percentile(double mean, const struct moments_shape *shape, double z)
{
    if (!(shape->tail > 0))
        return mean + z * shape->deviation;
    double scale = shape->deviation / sqrt(shape->tail), sigma = shape->sigma;
    return mean - scale + scale * exp(z * sigma - sigma * sigma / 2);
}

double moments_score(double mean, const struct moments_shape *shape, double value)
{
    double over = (value - mean) / shape->deviation, sigma = shape->sigma;

    if (!(shape->tail > 0))
        return over;
    return (log1p(over * sqrt(shape->tail)) + sigma * sigma / 2) / sigma;
}
