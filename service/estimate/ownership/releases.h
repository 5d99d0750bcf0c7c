/* releases.h - new generations of GPUs as events, at which rents and resale prices fall.
 *
 * The yearly changes of both prices hold on average, releases included: between two releases prices
 * fall by less. What a price is, over what its yearly change makes of it, has a mean of 1 if each
 * month of the interval is equally likely to be that of the first release. */
#ifndef ESTIMATE_OWNERSHIP_RELEASES_H
#define ESTIMATE_OWNERSHIP_RELEASES_H

#include "estimate/ownership/ownership.h"

static inline bool releases_count(const struct ownership *in)
{
    return in->gpu_release_month > 0 && in->gpu_release_drop_ratio > 0;
}

/* Price after `months` over that of its yearly change alone; 1 at the start. */
long double releases_factor(const struct ownership *in, int months);

#endif
