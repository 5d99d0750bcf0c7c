#include "estimate/serving_queue.h"

#include <math.h>

static double poisson_mass(double k, double mean)
{
    int sign; /* lgamma() would set a global */

    return exp(k * log(mean) - mean - lgamma_r(k + 1, &sign));
}

double poisson_below(double k, double mean)
{
    if (k < 0)
        return 0;
    if (mean <= 0)
        return 1;
    if (k > mean) { /* what is above k falls off fast: subtract it */
        double term = poisson_mass(k + 1, mean), above = 0;
        for (double j = k + 1; term > 1e-18 && term > above * 1e-17; term *= mean / ++j)
            above += term;
        return fmax(0, 1 - above);
    }
    double term = poisson_mass(k, mean), below = 0;
    for (double j = k; j >= 0 && term > below * 1e-17; term *= j-- / mean)
        below += term;
    return below;
}

double poisson_quantile(double share, double mean)
{
    if (mean <= 0)
        return 0;
    double k = fmax(0, floor(mean)); /* then step to the answer, some 1.6 standard deviations */
    double below = poisson_below(k, mean), term = poisson_mass(k, mean);
    while (below < share)
        below += term *= mean / ++k;
    while (k > 0 && below - term >= share) {
        below -= term;
        term *= k-- / mean;
    }
    return k;
}

double poisson_mean(double share, double k)
{
    enum { STEPS_MAX = 60 };
    double low = 0, high = k + 3, mean = fmax(1e-3, k + 1 - 1.645 * sqrt(k + 1));

    /* Newton (the slope of P(X <= k) is minus the mass at k), kept inside what is known. */
    for (int i = 0; i < STEPS_MAX && high - low > 1e-12 * high; i++) {
        double excess = poisson_below(k, mean) - share;
        if (excess >= 0)
            low = mean;
        else
            high = mean;
        double next = mean + excess / poisson_mass(k, mean);
        if (fabs(next - mean) <= 1e-12 * mean)
            break;
        mean = next > low && next < high ? next : (low + high) / 2;
    }
    return mean * (1 - 1e-11); /* on the near side of the step */
}

double queue_rate(const struct inference *inference, double batch)
{
    return batch / inference_serve(inference, batch).request_seconds;
}

/* False position in its Illinois form (Dowell and Jarratt, 1971): an end that stays counts half. */
double queue_batch(const struct inference *inference, double rate, double most)
{
    enum { STEPS = 60 };
    double low = 0, high = most, below = -rate, above = queue_rate(inference, most) - rate;
    int stayed = 0; /* 1: low did, -1: high did */

    if (!(above > 0))
        return (double)NAN;
    for (int i = 0; i < STEPS && high - low > 1e-9 * high; i++) {
        double middle = (low * above - high * below) / (above - below);
        double excess = queue_rate(inference, middle) - rate;
        if (fabs(excess) <= 1e-12 * rate)
            return middle;
        if (excess > 0) {
            high = middle;
            above = excess;
            below /= stayed == 1 ? 2 : 1;
            stayed = 1;
        } else {
            low = middle;
            below = excess;
            above /= stayed == -1 ? 2 : 1;
            stayed = -1;
        }
    }
    return high;
}
