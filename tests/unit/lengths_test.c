/* Clipped lognormal lengths against sums over a grid of normal deviates. */
#include "estimate/inference/lengths.h"

#include "tap.h"

#include <math.h>

static double length_at(const struct lengths *of, double z)
{
    double log_length = of->sigma * z - of->sigma * of->sigma / 2;

    return fmin(of->high, fmax(of->low, of->scale * exp(log_length)));
}

/* Mean of (length / mean)^k. */
static double power_of(const struct lengths *of, int k)
{
    double sum = 0, weights = 0;

    for (double z = -9; z <= 9; z += 1.0 / 512) {
        double weight = exp(-z * z / 2);
        sum += weight * pow(length_at(of, z), k);
        weights += weight;
    }
    return sum / weights;
}

static bool near(double got, double want)
{
    return fabs(got / want - 1) < 1e-4;
}

/* The stated mean is that of what is sent, however many lengths the context cuts off. */
static void clipped_mean_is_the_mean(void)
{
    static const double MEANS[] = {2, 20, 500, 6000, 30000}, CVS[] = {0.3, 0.77, 0.96, 2.15},
                        MOST[] = {1.02, 1.3, 2, 8, 1000, (double)INFINITY};
    size_t good = 0, alike = 0, n = 0;

    for (size_t m = 0; m < sizeof(MEANS) / sizeof(*MEANS); m++)
        for (size_t c = 0; c < sizeof(CVS) / sizeof(*CVS); c++)
            for (size_t i = 0; i < sizeof(MOST) / sizeof(*MOST); i++, n++) {
                struct lengths of = lengths_of(MEANS[m], CVS[c], MOST[i] * MEANS[m]);
                good += fabs(of.powers[1] - 1) < 1e-9 && near(power_of(&of, 1), 1);
                alike += near(power_of(&of, 2), of.powers[2]) && near(length_at(&of, 0), of.p50) &&
                         near(length_at(&of, -1.6448536269514722), of.p5) &&
                         near(length_at(&of, 1.6448536269514722), of.p95);
            }
    ok(good == n, "the mean of what is left is the stated one, %zu of %zu", good, n);
    ok(alike == n, "and so are its mean square and percentiles, %zu of %zu", alike, n);
}

static void some_do_not_vary(void)
{
    const struct lengths of[] = {lengths_of(500, 0, INFINITY), lengths_of(500, 0.96, 500),
                                 lengths_of(500, 0.96, 100), lengths_of(1, 0.96, 4096)};
    size_t good = 0;

    for (size_t i = 0; i < 4; i++)
        good += of[i].p5 == 1 && of[i].p95 == 1 && of[i].powers[6] == 1 && of[i].sigma == 0;
    ok(good == 4, "alike: no spread, a mean at or beyond the longest, or of one token, %zu", good);
}

int main(void)
{
    clipped_mean_is_the_mean();
    some_do_not_vary();
    return tap_done();
}
