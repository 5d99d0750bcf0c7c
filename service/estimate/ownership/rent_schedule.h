/* rent_schedule.h - the fraction of all hours for which a service's GPUs are rented: always,
 * following the daily load (autoscaling), or in some hours of some days. */
#ifndef ESTIMATE_OWNERSHIP_RENT_SCHEDULE_H
#define ESTIMATE_OWNERSHIP_RENT_SCHEDULE_H

enum rent_schedule_kind {
    RENT_SCHEDULE_ALWAYS_ON,
    RENT_SCHEDULE_FOLLOWS_LOAD,
    RENT_SCHEDULE_ACTIVE_HOURS
};

struct rent_schedule {
    enum rent_schedule_kind kind;
    double min_replicas;                        /* follows_load: minimum that stays rented */
    double start_seconds;                       /* from the rental of a replica until it serves */
    double billing_minimum_seconds;             /* per rental */
    double active_hours_per_day, days_per_week; /* active_hours */
};

/* The fraction for replicas that carry a load whose peak is `peak_ratio` times its mean. */
double rent_schedule_ratio(const struct rent_schedule *schedule, double replicas,
                           double peak_ratio);

/* The minimum peak over average of a load that falls entirely into the active hours; 1 for other
 * schedules. */
double rent_schedule_peak_ratio(const struct rent_schedule *schedule);

#endif
