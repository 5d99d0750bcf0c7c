#include "estimate/inference/serving/queue.h"

#include <math.h>

static double log_factorial(double k)
{
    int sign; /* lgamma() would set a global */

    return lgamma_r(k + 1, &sign);
}

static double poisson_mass(double k, double mean)
{
    return exp(k * log(mean) - mean - log_factorial(k));
}

/* Whether a term of a sum below 1 still does; most are seen to by their size alone. */
static bool counts(double term, double sum)
{
    return term > 1e-17 || (term > 1e-18 && term > sum * 1e-17);
}

/* The share that is k or below, `mass` being that of k. */
static double below_from(double k, double mean, double mass)
{
    if (k > mean) { /* what is above k falls off fast: subtract it */
        double term = mass * mean / (k + 1), above = 0;
        for (double j = k + 1; counts(term, above); term *= mean / ++j)
            above += term;
        return fmax(0, 1 - above);
    }
    double term = mass, below = 0;
    for (double j = k; j >= 0 && term > below * 1e-17; term *= j-- / mean)
        below += term;
    return below;
}

double queue_poisson_below(double k, double mean)
{
    if (k < 0)
        return 0;
    return mean <= 0 ? 1 : below_from(k, mean, poisson_mass(k, mean));
}

double queue_poisson_quantile(double share, double mean)
{
    if (mean <= 0)
        return 0;
    double k = fmax(0, floor(mean)); /* then step to the answer, some 1.6 standard deviations */
    double term = poisson_mass(k, mean), below = below_from(k, mean, term);
    while (below < share)
        below += term *= mean / ++k;
    while (k > 0 && below - term >= share) {
        below -= term;
        term *= k-- / mean;
    }
    return k;
}

/* The mean for 0.95 but for some thousandths: a gamma distribution's quantile (Wilson and Hilferty,
 * 1931). */
static double mean_nearly(double k)
{
    double a = k + 1, root = 1 - 1 / (9 * a) - 1.645 / (3 * sqrt(a));

    return fmax(1e-3, a * root * root * root);
}

double queue_poisson_mean(double share, double k)
{
    enum { STEPS_MAX = 60 };
    double low = 0, high = k + 3, mean = mean_nearly(k), of_k = log_factorial(k);

    /* Halley (the slope of P(X <= k) is minus the mass at k, whose own is k / mean - 1 of it), kept
     * inside what is known. After a short step what is left is of the order of its cube. */
    for (int i = 0; i < STEPS_MAX && high - low > 1e-12 * high; i++) {
        double mass = exp(k * log(mean) - mean - of_k);
        double excess = below_from(k, mean, mass) - share, step = excess / mass;
        if (excess >= 0)
            low = mean;
        else
            high = mean;
        double next = mean + step / (1 + step * (k / mean - 1) / 2);
        bool near = fabs(next - mean) <= 1e-6 * mean;
        mean = near || (next > low && next < high) ? next : (low + high) / 2;
        if (near)
            break;
    }
    return mean * (1 - 1e-11); /* on the near side of the step */
}

double queue_rate(const struct inference *inference, double batch)
{
    return batch / inference_serve(inference, batch).request_seconds;
}

double queue_best_batch(const struct inference *inference, double batch)
{
    double best = batch, most = queue_rate(inference, batch);

    for (double b = 1; b < batch; b *= 2) {
        double rate = queue_rate(inference, b);
        if (rate > most) {
            most = rate;
            best = b;
        }
    }
    return best;
}

/* Between the first power of two that answers more and the one before, since where prompts take
 * most of the time, their waits may make more in flight answer fewer. False position in its
 * Illinois form (Dowell and Jarratt, 1971): an end that stays counts half. */
double queue_batch(const struct inference *inference, double rate, double most)
{
    enum { STEPS = 60 };
    double low = 0, high = fmin(1, most), answered = queue_rate(inference, high), below = -rate;

    while (answered <= rate && high < most) {
        low = high;
        below = answered - rate;
        high = fmin(2 * high, most);
        answered = queue_rate(inference, high);
    }
    double above = answered - rate;
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
