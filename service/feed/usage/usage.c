#include "feed/usage/usage.h"

#include "base/units.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

/* SLURM_TIME_FORMAT=%s writes seconds since 1970, of ten digits since 2001; NAN for others. */
static double epoch_of(const char *text)
{
    return strspn(text, "0123456789") == 10 && !text[10] ? strtod(text, NULL) : (double)NAN;
}

double usage_time(const char *text)
{
    static const char form[] = "0000-00-00T00:00:00";
    int part[6];

    for (size_t i = 0; i < sizeof(form) - 1; i++)
        if (form[i] == '0'   ? !isdigit((unsigned char)text[i])
            : form[i] == 'T' ? text[i] != 'T' && text[i] != ' '
                             : text[i] != form[i])
            return epoch_of(text);
    for (int i = 0; i < 6; i++)
        part[i] = (int)strtol(text + (i ? 2 + 3 * i : 0), NULL, 10);
    struct tm at = {.tm_year = part[0] - 1900,
                    .tm_mon = part[1] - 1,
                    .tm_mday = part[2],
                    .tm_hour = part[3],
                    .tm_min = part[4],
                    .tm_sec = part[5]};
    return (double)timegm(&at);
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
        usage->gpu_hours[i] += gpus * overlap(usage, i, from, to) / SECONDS_PER_HOUR;
}

double usage_hours(const struct usage *usage, size_t i)
{
    return overlap(usage, i, usage->from, usage->to) / SECONDS_PER_HOUR;
}

void usage_month_name(const struct usage *usage, size_t i, char name[USAGE_MONTH_SIZE])
{
    int month = usage->first_month + (int)i;

    snprintf(name, USAGE_MONTH_SIZE, "%04d-%02d", month / 12, month % 12 + 1);
}
