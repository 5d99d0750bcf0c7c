/* clock.h - monotonic time for durations, wall-clock time for dates, all in UTC. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

/* Seconds since an arbitrary fixed moment; never jumps. */
double clock_monotonic(void);
/* Seconds since 1970. */
double clock_wall(void);
/* Today as yyyymmdd. */
int32_t clock_today(void);
/* Whole days since 1970; cheaper than clock_today() for detecting a new day. */
int64_t clock_days(void);
/* Format a time as 2026-11-20T06:00:00Z; `to` holds 21 bytes. */
void clock_print(double wall, char to[21]);

#endif
