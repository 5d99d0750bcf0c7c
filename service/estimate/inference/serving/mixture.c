#include "estimate/inference/serving/mixture.h"

#include "estimate/inference/moments.h"

#include <math.h>
#include <stdbool.h>

/* Fraction of a pool's requests that take at most that long. */
static double under(const struct mixture_part *part, double log_seconds)
{
    double middle = log(part->p50);
    double deviation = (log(part->p95) - middle) / MOMENTS_Z95;

    if (!(deviation > 0))
        return log_seconds >= middle;
    return moments_normal_below((log_seconds - middle) / deviation);
}

static bool is_known(const struct mixture_part *part)
{
    return part->p50 > 0 && part->p95 > 0 && isfinite(part->p50) && isfinite(part->p95);
}

double mixture_percentile(const struct mixture_part *parts, size_t n, double below)
{
    enum { HALVINGS = 60 };
    const double beyond = 10; /* e-folds: no pool's percentiles are that far apart */
    double low = INFINITY, high = -INFINITY;

    for (size_t i = 0; i < n; i++) {
        if (!is_known(&parts[i]))
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
