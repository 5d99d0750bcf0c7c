#include "feed/usage/usage.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

static const double HOUR = 3600;

static double month_start(int month)
{
    struct tm at = {.tm_year = month / 12 - 1900, .tm_mon = month % 12, .tm_mday = 1};

    return (double)timegm(&at);
}

static int month_of(double time)
{
    time_t seconds = (time_t)time;
    struct tm at;

    (void)gmtime_r(&seconds, &at); /* years up to 9999 */
    return (at.tm_year + 1900) * 12 + at.tm_mon;
}

bool usage_set_period(struct usage *usage, double from, double to, struct err *err)
{
    const double most = 253402300800; /* the year 10000 */

    if (!(from >= 0 && to > from && to <= most))
        return err_set(err, ERR_INVALID, "the file covers no time");
    int first = month_of(from), months = month_of(to - 1) - first + 1;

    if (months > USAGE_MONTHS_MAX)
        return err_set(err, ERR_INVALID, "the file covers %d months, more than %d", months,
                       USAGE_MONTHS_MAX);
    usage->from = from;
    usage->to = to;
    usage->first_month = first;
    usage->n = (size_t)months;
    return true;
}

/* Seconds of the i-th month between two times. */
static double overlap(const struct usage *usage, size_t i, double from, double to)
{
    int month = usage->first_month + (int)i;

    return fmax(0, fmin(to, month_start(month + 1)) - fmax(from, month_start(month)));
}

void usage_add(struct usage *usage, double from, double to, double gpus)
{
    for (size_t i = 0; i < usage->n; i++)
        usage->gpu_hours[i] += gpus * overlap(usage, i, from, to) / HOUR;
}

double usage_hours(const struct usage *usage, size_t i)
{
    return overlap(usage, i, usage->from, usage->to) / HOUR;
}

void usage_month_name(const struct usage *usage, size_t i, char name[USAGE_MONTH_SIZE])
{
    int month = usage->first_month + (int)i;

    snprintf(name, USAGE_MONTH_SIZE, "%04d-%02d", month / 12, month % 12 + 1);
}
