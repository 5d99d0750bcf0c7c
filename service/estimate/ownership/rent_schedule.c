#include "estimate/ownership/rent_schedule.h"
#include "base/units.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

/* The daily load is modelled as its peak times ((1 + cos t) / 2)^k: one peak and one trough. Its
 * mean is gamma(k + 1/2) / (sqrt(pi) gamma(k + 1)). */
static double mean_of(double k)
{
    return exp(lgamma(k + 0.5) - lgamma(k + 1)) / sqrt(PI);
}

/* The k at which the peak is `peak_ratio` times the mean. */
static double sharpness_of(double peak_ratio)
{
    double low = 0, high = 1;

    while (mean_of(high) * peak_ratio > 1)
        high *= 2;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (mean_of(middle) * peak_ratio > 1)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* Hours of a day in which the load exceeds that fraction of its peak. */
static double hours_above(double share, double sharpness)
{
    return HOURS_PER_DAY * acos(2 * pow(share, 1 / sharpness) - 1) / PI;
}

/* Replica i of n is needed while the load exceeds what i - 1 carry; it starts once a day, before
 * that. */
static double follow_load(const struct rent_schedule *schedule, double replicas, double peak_ratio)
{
    double least = fmin(schedule->min_replicas, replicas), hours = least * HOURS_PER_DAY;
    double sharpness;

    if (peak_ratio <= 1)
        return 1;
    sharpness = sharpness_of(peak_ratio);
    for (double i = least + 1; i <= replicas; i++) {
        double rented =
            hours_above((i - 1) / replicas, sharpness) + schedule->start_seconds / SECONDS_PER_HOUR;
        rented = fmax(rented, schedule->billing_minimum_seconds / SECONDS_PER_HOUR);
        hours += fmin(rented, HOURS_PER_DAY);
    }
    return hours / (replicas * HOURS_PER_DAY);
}

double rent_schedule_ratio(const struct rent_schedule *schedule, double replicas, double peak_ratio)
{
    double hours;

    switch (schedule->kind) {
    case RENT_SCHEDULE_FOLLOWS_LOAD:
        return follow_load(schedule, replicas, peak_ratio);
    case RENT_SCHEDULE_ACTIVE_HOURS:
        hours = schedule->active_hours_per_day;
        if (hours < HOURS_PER_DAY)
            hours = fmax(hours + schedule->start_seconds / SECONDS_PER_HOUR,
                         schedule->billing_minimum_seconds / SECONDS_PER_HOUR);
        return fmin(hours, HOURS_PER_DAY) * schedule->days_per_week / HOURS_PER_WEEK;
    default:
        return 1;
    }
}

double rent_schedule_peak_ratio(const struct rent_schedule *schedule)
{
    if (schedule->kind != RENT_SCHEDULE_ACTIVE_HOURS)
        return 1;
    return HOURS_PER_WEEK / (schedule->active_hours_per_day * schedule->days_per_week);
}
