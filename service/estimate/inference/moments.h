/* moments.h - mean, variance and third central moment of random times, and the shifted lognormal
 * distribution with these moments. */
#ifndef ESTIMATE_INFERENCE_MOMENTS_H
#define ESTIMATE_INFERENCE_MOMENTS_H

#include <stdbool.h>

/* Central moments; those of independent times add up. */
struct moments {
    double mean, variance, third;
};

/* Moments about zero. */
struct raw_moments {
    double first, second, third;
};

/* From central moments to moments about zero, and back. A variance below rounding becomes 0, and
 * so does a negative skew. */
struct raw_moments moments_raw(struct moments of);
struct moments moments_central(struct raw_moments of);
/* Of the sum of two independent times. */
struct moments moments_sum(struct moments a, struct moments b);
/* The rest of a sum without one of its independent parts. */
struct moments moments_less(struct moments sum, struct moments part);
struct moments moments_scaled(struct moments of, double by);
/* The shifted lognormal distribution with these 5th, 50th and 95th percentiles. */
struct moments moments_through(double p5, double p50, double p95);
/* A normal variable clipped to [0, high]; the third moment is set to 0. */
struct moments moments_of_clipped(double mean, double deviation, double high);
/* The wait in an M/G/1 queue, first come first served: Takacs, Bell System Technical Journal 42
 * (1963). `rate` is in arrivals per second, rate x mean below 1. */
struct moments moments_of_queue(double rate, struct moments service);

/* The standard normal distribution and its density. */
double moments_normal_below(double z);
double moments_normal_density(double z);
/* The inverse of moments_normal_below(): Acklam's approximation (2003), relative error 1.2e-9. */
double moments_normal_score(double share);

/* The shifted lognormal distribution with these moments. `tail` is exp(sigma^2) - 1, or 0 for a
 * normal distribution. */
struct moments_shape {
    double deviation, tail, sigma;
};

/* By the method of moments; a skewness below 0.001 gives the normal distribution. */
struct moments_shape moments_shape_of(const struct moments *of);
/* The value at normal score `z`. */
double moments_percentile(double mean, const struct moments_shape *shape, double z);
/* The inverse: the normal score of `value`. */
double moments_score(double mean, const struct moments_shape *shape, double value);

/* The normal score of the 95th percentile. */
#define MOMENTS_Z95 1.6448536269514722

#endif
