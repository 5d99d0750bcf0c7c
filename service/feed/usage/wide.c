/* wide.c - samples of each GPU in a column of its own, a line for each moment, as Grafana exports
 * a panel of DCGM_FI_DEV_GPU_UTIL ("series joined by time").
 *
 * The first column is the time, absolute or in seconds since a start; the others are in per cent,
 * or ratios if none exceeds 1. Each sample lasts for the shortest time between two lines; longer
 * gaps and empty cells count as idle.
 */
#include "feed/csv.h"
#include "feed/usage/usage.h"

#include "base/text.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const double MILLISECONDS = 1e11; /* more is in milliseconds since 1970 */
static const double RELATIVE = 1e8;      /* less is in seconds since a start: three years of them */

struct samples {
    struct csv csv;
    double start; /* of relative times; NAN if unknown */
    bool relative;
    double time;
};

/* Opens the file behind a "sep=;" and reads the header; false if it is not of a time and GPUs. */
static bool open_samples(struct samples *samples, const char *bytes, size_t n)
{
    static const char *const times[] = {"time", "timestamp", "date", "datetime", "seconds"};
    static const char delimiters[] = ",;\t";
    struct csv *csv = &samples->csv;

    for (const char *delimiter = delimiters; *delimiter; delimiter++) {
        csv_open(csv, bytes, n);
        csv->delimiter = *delimiter;
        bool read = csv_next(csv);
        if (read && csv->n && strncmp(csv->at[0], "sep=", 4) == 0)
            read = csv_next(csv);
        for (size_t i = 0; read && csv->n > 1 && i < sizeof(times) / sizeof(times[0]); i++)
            if (strncasecmp(csv->at[0], times[i], strlen(times[i])) == 0 && !csv->why)
                return true;
    }
    return false;
}

static double time_of(struct samples *samples, const char *text)
{
    double number, time = usage_time(text);

    if (!isnan(time) || !text_number(text, &number))
        return time;
    if (number > MILLISECONDS)
        return number / 1000;
    samples->relative = samples->relative || number < RELATIVE;
    return number < RELATIVE ? samples->start + number : number;
}

/* A cell's number, without a percent sign; 0 for an empty one and what is no number to Grafana. */
static bool value_of(const char *cell, double *value)
{
    static const char *const idle[] = {"", "NaN", "null", "undefined", "-"};
    char *end;

    for (size_t i = 0; i < sizeof(idle) / sizeof(idle[0]); i++)
        if (strcasecmp(cell, idle[i]) == 0) {
            *value = 0;
            return true;
        }
    *value = strtod(cell, &end);
    end += strspn(end, "% ");
    return end > cell && !*end && *value >= 0;
}

/* The next line; false at the end, or with *err at a malformed one. */
static bool next(struct samples *samples, struct err *err)
{
    if (!csv_next(&samples->csv))
        return false;
    if (samples->csv.why)
        return err_set(err, ERR_INVALID, "line %zu: %s", samples->csv.line, samples->csv.why);
    samples->time = time_of(samples, samples->csv.at[0]);
    if (isnan(samples->time))
        return err_set(err, ERR_INVALID,
                       samples->relative
                           ? "line %zu: times are relative to a start: give usage_start=2026-08-01"
                           : "line %zu: has no time such as 2026-06-01 00:00:00",
                       samples->csv.line);
    return true;
}

struct extent {
    double from, to, step, most;
    size_t n_gpus;
};

static bool measure(struct samples *samples, struct extent *extent, struct err *err)
{
    double former = (double)NAN, value;

    while (next(samples, err)) {
        if (samples->time <= former)
            return err_set(err, ERR_INVALID, "line %zu: is not later than the one before",
                           samples->csv.line);
        for (size_t i = 1; i < samples->csv.n; i++) {
            if (!value_of(samples->csv.at[i], &value))
                return err_set(err, ERR_INVALID, "line %zu: \"%.40s\" is no utilization of a GPU",
                               samples->csv.line, samples->csv.at[i]);
            extent->most = fmax(extent->most, value);
        }
        extent->from = fmin(extent->from, samples->time);
        extent->to = samples->time;
        extent->step = fmin(extent->step, samples->time - former);
        former = samples->time;
    }
    return !err->text[0];
}

bool usage_read_wide(const char *bytes, size_t n, double start, struct usage *usage,
                     struct err *err)
{
    struct samples samples = {.start = start};
    struct extent extent = {(double)INFINITY, 0, (double)INFINITY, 0, 0};
    double value;

    if (!open_samples(&samples, bytes, n))
        return false;
    extent.n_gpus = samples.csv.n - 1;
    if (!measure(&samples, &extent, err))
        return false;
    if (isinf(extent.step))
        return err_set(err, ERR_INVALID, "has no two moments");
    if (extent.most > 100)
        return err_set(err, ERR_INVALID,
                       "has samples of %.6g: each column is the utilization of one GPU, as "
                       "DCGM_FI_DEV_GPU_UTIL",
                       extent.most);
    if (!usage_set_period(usage, extent.from, extent.to + extent.step, err) ||
        !open_samples(&samples, bytes, n))
        return false;
    const double full = extent.most <= 1 ? 1 : 100;
    while (next(&samples, err))
        for (size_t i = 1; i < samples.csv.n; i++)
            if (value_of(samples.csv.at[i], &value))
                usage_add(usage, samples.time, samples.time + extent.step, value / full);
    usage->format = "samples";
    usage->word = "busy";
    usage->gpu_count = (double)extent.n_gpus;
    return true;
}
