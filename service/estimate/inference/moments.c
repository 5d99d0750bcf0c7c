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

struct moments moments_less(struct moments sum, struct moments part)
{
    return (struct moments){sum.mean - part.mean, sum.variance - part.variance,
                            sum.third - part.third};
}

struct moments moments_scaled(struct moments of, double by)
{
    return (struct moments){of.mean * by, of.variance * by * by, of.third * by * by * by};
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

/* Acklam's rational approximation (2003), relative error below 1.2e-9. */
double moments_normal_score(double share)
{
    static const double a[] = {-3.969683028665376e+01, 2.209460984245205e+02,
                               -2.759285104469687e+02, 1.383577518672690e+02,
                               -3.066479806614716e+01, 2.506628277459239e+00};
    static const double b[] = {-5.447609879822406e+01, 1.615858368580409e+02,
                               -1.556989798598866e+02, 6.680131188771972e+01,
                               -1.328068155288572e+01};
    static const double c[] = {-7.784894002430293e-03, -3.223964580411365e-01,
                               -2.400758277161838e+00, -2.549732539343734e+00,
                               4.374664141464968e+00,  2.938163982698783e+00};
    static const double d[] = {7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00,
                               3.754408661907416e+00};
    const double edge = 0.02425;
    double tail = fmin(share, 1 - share);

    if (tail < edge) {
        double q = sqrt(-2 * log(tail));
        double z = (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) /
                   ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1);
        return share < 0.5 ? z : -z;
    }
    double q = share - 0.5, r = q * q;
    return (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) * q /
           (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1);
}

struct moments moments_of_clipped(double mean, double deviation, double high)
{
    double a = -mean / deviation, b = (high - mean) / deviation;
    double below = moments_normal_below(a), above = moments_normal_below(-b);
    double at_a = moments_normal_density(a), at_b = moments_normal_density(b);
    double far = above > 0 ? b : 0; /* avoids infinity times 0 */
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
