#include "base/clock.h"

#include <string.h>
#include <time.h>

static double seconds(clockid_t id)
{
    struct timespec now;

    clock_gettime(id, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

double clock_monotonic(void)
{
    return seconds(CLOCK_MONOTONIC);
}

double clock_wall(void)
{
    return seconds(CLOCK_REALTIME);
}

int32_t clock_today(void)
{
    time_t now = time(NULL);
    struct tm tm;

    (void)gmtime_r(&now, &tm);
    return (tm.tm_year + 1900) * 10000 + (tm.tm_mon + 1) * 100 + tm.tm_mday;
}

int64_t clock_days(void)
{
    enum { DAY_SECONDS = 24 * 60 * 60 };

    return time(NULL) / DAY_SECONDS;
}

void clock_print(double wall, char to[21])
{
    time_t when = (time_t)wall;
    struct tm tm;

    (void)gmtime_r(&when, &tm);
    if (!strftime(to, 21, "%Y-%m-%dT%H:%M:%SZ", &tm))
        to[0] = '\0';
}
