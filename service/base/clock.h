/* clock.h - what time it is: monotonic for durations, wall clock for dates, all in UTC. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

/* Seconds since some fixed moment; never jumps. */
double clock_monotonic(void);
/* Seconds since 1970. */
double clock_wall(void);
/* Today as yyyymmdd. */
int32_t clock_today(void);
/* Whole days since 1970: changes when today does, and is cheaper to ask for. */
int64_t clock_days(void);
/* A moment as 2026-11-20T06:00:00Z; `to` takes 21 bytes. */
void clock_print(double wall, char to[21]);

#endif
