#include "estimate/ownership/releases.h"

static long double power(long double base, int n)
{
    long double product = 1;

    while (n-- > 0)
        product *= base;
    return product;
}

long double releases_factor(const struct ownership *in, int months)
{
    int first = (int)in->gpu_release_month, interval = (int)in->gpu_release_interval_months;
    long double kept = 1 - (long double)in->gpu_release_drop_ratio;

    if (!releases_count(in))
        return 1;
    int releases = months >= first ? 1 + (months - first) / interval : 0;
    long double since = (long double)(months % interval) / interval;
    return power(kept, releases) / (power(kept, months / interval) * (1 - (1 - kept) * since));
}
