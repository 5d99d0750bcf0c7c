/* releases.h - new GPU generations as events at which rents and resale prices drop.
 *
 * The yearly changes of both prices are averages that include releases: between two releases prices
 * fall by less. The ratio of a price to the one that its yearly change implies has a mean of 1 if
 * the first release is equally likely in each month of the interval. */
#ifndef ESTIMATE_OWNERSHIP_RELEASES_H
#define ESTIMATE_OWNERSHIP_RELEASES_H

#include "estimate/ownership/ownership.h"

static inline bool releases_count(const struct ownership *in)
{
    return in->gpu_release_month > 0 && in->gpu_release_drop_ratio > 0;
}

/* The price after `months` relative to that implied by its yearly change; 1 at the start. */
long double releases_factor(const struct ownership *in, int months);

#endif
