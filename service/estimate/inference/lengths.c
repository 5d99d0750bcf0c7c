#include "estimate/inference/lengths.h"

#include "estimate/inference/moments.h"

#include <math.h>

/* The k-th partial moment of a lognormal distribution between two bounds is exp(k mu + k^2 sigma^2
 * / 2) times the normal probability between them, shifted by k sigma. */
static void set_powers(struct lengths *lengths, double variance, double low, double high)
{
    double sigma = sqrt(variance);
    double z_low = (log(low) + variance / 2) / sigma, z_high = (log(high) + variance / 2) / sigma;
    double below = moments_normal_below(z_low), above = moments_normal_below(-z_high);

    for (int k = 0; k < LENGTHS_POWERS; k++) {
        double between =
            moments_normal_below(z_high - k * sigma) - moments_normal_below(z_low - k * sigma);
        lengths->powers[k] = exp((k - 1) * k * variance / 2) * between + below;
        if (above > 0)
            lengths->powers[k] += above;
        below *= low;
        above *= high;
    }
}

/* The mean before clipping, relative to that after it: Newton's method on its logarithm, by which
 * the derivative of the clipped mean is the partial moment between the bounds. */
static double scale_of(double variance, double low, double high)
{
    enum { STEPS = 60 };
    const double near = 1e-12, most = 1;
    double sigma = sqrt(variance), scale = 1;

    for (int i = 0; i < STEPS; i++) {
        double z_low = (log(low / scale) + variance / 2) / sigma;
        double z_high = (log(high / scale) + variance / 2) / sigma;
        double between =
            scale * (moments_normal_below(z_high - sigma) - moments_normal_below(z_low - sigma));
        double above = isfinite(high) ? high * moments_normal_below(-z_high) : 0;
        double short_of = 1 - (low * moments_normal_below(z_low) + between + above);
        if (fabs(short_of) <= near)
            break;
        scale *= exp(fmax(-most, fmin(most, short_of / between)));
    }
    return scale;
}

struct lengths lengths_of(double mean, double cv, double most)
{
    const double apart = 1e-6; /* of the longest from the mean */
    struct lengths lengths = {.mean = mean, .p5 = 1, .p50 = 1, .p95 = 1, .scale = 1};
    double variance = log1p(cv * cv), up = exp(MOMENTS_Z95 * sqrt(variance)), power = 1;
    double low = fmin(1, 1 / mean), high = fmax(1, most / mean);

    for (int k = 0; k < LENGTHS_POWERS; k++)
        lengths.powers[k] = 1;
    lengths.low = low;
    lengths.high = high;
    if (!(cv > 0) || high < 1 + apart || low > 1 - apart)
        return lengths;
    lengths.sigma = sqrt(variance);
    lengths.scale = scale_of(variance, low, high);
    set_powers(&lengths, variance, low / lengths.scale, high / lengths.scale);
    for (int k = 0; k < LENGTHS_POWERS; k++, power *= lengths.scale)
        lengths.powers[k] *= power;
    double middle = lengths.scale * exp(-variance / 2);
    lengths.p5 = fmin(high, fmax(low, middle / up));
    lengths.p50 = fmin(high, fmax(low, middle));
    lengths.p95 = fmin(high, fmax(low, middle * up));
    return lengths;
}
