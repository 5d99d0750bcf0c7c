/* rent_schedule.h - the share of all hours for which a service's GPUs are rented: around the clock,
 * with the load of the day (autoscaling), or for some hours of some days. */
#ifndef ESTIMATE_OWNERSHIP_RENT_SCHEDULE_H
#define ESTIMATE_OWNERSHIP_RENT_SCHEDULE_H

enum rent_schedule_kind {
    RENT_SCHEDULE_ALWAYS_ON,
    RENT_SCHEDULE_FOLLOWS_LOAD,
    RENT_SCHEDULE_ACTIVE_HOURS
};

struct rent_schedule {
    enum rent_schedule_kind kind;
    double min_replicas;                        /* follows_load: that always stay */
    double start_seconds;                       /* from its rental until a replica serves */
    double billing_minimum_seconds;             /* of a rental */
    double active_hours_per_day, days_per_week; /* active_hours */
};

/* The share for replicas that carry a load whose peak is `peak_ratio` times its mean. */
double rent_schedule_ratio(const struct rent_schedule *schedule, double replicas,
                           double peak_ratio);

/* The least peak over average of a load whose week comes in the active hours; 1 of the others. */
double rent_schedule_peak_ratio(const struct rent_schedule *schedule);

#endif
