/* prometheus.c - the matrix of a range query: samples of each GPU, at equal steps.
 *
 * Layout: https://prometheus.io/docs/prometheus/latest/querying/api/#range-queries
 */
#include "feed/usage/usage.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char VALUES[] = "\"values\":";

/* Position in a series. */
struct samples {
    const char *at;
    double time, value;
};

static const char *skip(const char *p, const char *what)
{
    while (*p && strchr(what, *p))
        p++;
    return p;
}

/* Reads the next [time, "value"] of a series; false at its end. */
static bool next(struct samples *samples)
{
    const char *p = skip(samples->at, " \t\r\n,[");
    char *end;

    if (!isdigit((unsigned char)*p))
        return false;
    samples->time = strtod(p, &end);
    p = skip(end, " \t\r\n,\"");
    samples->value = strtod(p, &end);
    if (end == p) /* NaN and Inf are accepted and count as idle */
        return false;
    samples->at = skip(end, " \t\r\n\"]");
    return true;
}

static struct samples series_at(const char *values)
{
    return (struct samples){skip(values + strlen(VALUES), " \t\r\n"), 0, 0};
}

struct extent {
    double from, to, step, most;
    double n_series;
};

static struct extent measure(const char *text)
{
    struct extent extent = {(double)INFINITY, 0, (double)INFINITY, 0, 0};

    for (const char *p = strstr(text, VALUES); p; p = strstr(p + 1, VALUES)) {
        struct samples samples = series_at(p);
        double former = (double)NAN;
        extent.n_series++;
        while (next(&samples)) {
            extent.from = fmin(extent.from, samples.time);
            extent.to = fmax(extent.to, samples.time);
            extent.step = fmin(extent.step, samples.time - former);
            extent.most = fmax(extent.most, samples.value);
            former = samples.time;
        }
    }
    return extent;
}

bool usage_read_prometheus(const char *bytes, size_t n, struct usage *usage, struct err *err)
{
    (void)n;
    if (!strstr(bytes, "\"matrix\"") || !strstr(bytes, VALUES))
        return false;
    struct extent extent = measure(bytes);

    if (isinf(extent.step))
        return err_set(err, ERR_INVALID, "has no series of two samples or more");
    if (extent.most > 100)
        return err_set(err, ERR_INVALID,
                       "has samples of %.6g: query the utilization of each GPU, as "
                       "DCGM_FI_DEV_GPU_UTIL",
                       extent.most);
    /* DCGM_FI_DEV_GPU_UTIL is in per cent, the profiling metrics are ratios. */
    double full = strstr(bytes, "DCGM_FI_PROF_") || extent.most <= 1 ? 1 : 100;
    if (!usage_set_period(usage, extent.from, extent.to + extent.step, err))
        return false;
    for (const char *p = strstr(bytes, VALUES); p; p = strstr(p + 1, VALUES))
        for (struct samples samples = series_at(p); next(&samples);)
            if (samples.value > 0)
                usage_add(usage, samples.time, samples.time + extent.step, samples.value / full);
    usage->format = "prometheus";
    usage->word = "busy";
    usage->gpu_count = extent.n_series;
    return true;
}
