/* prometheus.c - the matrix of a range query: samples of each GPU, at equal steps.
 *
 * Layout: https://prometheus.io/docs/prometheus/latest/querying/api/#range-queries
 */
#include "feed/usage/usage.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char VALUES[] = "\"values\":", METRIC[] = "\"metric\"", UUID[] = "\"UUID\"";
static const double LATEST = 1e11; /* seconds: the year 5138; what is more is in milliseconds */

enum { UUID_MAX = 128 };

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
    if (samples->time > LATEST)
        samples->time /= 1000;
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
    double n_gpus;
    bool unnamed; /* a series does not say of which GPU it is */
    bool twice;   /* two series of a GPU have samples of one moment */
};

/* The labels of the series whose values begin there; up to the values. */
static const char *labels_before(const char *text, const char *values)
{
    const char *labels = text;

    for (const char *p = strstr(text, METRIC); p && p < values; p = strstr(p + 1, METRIC))
        labels = p;
    return labels;
}

static const char *find_before(const char *from, const char *what, const char *end)
{
    const char *at = strstr(from, what);

    return at && at < end ? at : NULL;
}

/* Two scrape jobs, or pods that share the GPU. */
static bool is_twice(const char *former, const char *values)
{
    struct samples a = series_at(strstr(former, VALUES)), b = series_at(values);
    bool more_a = next(&a), more_b = next(&b);

    while (more_a && more_b) {
        if (a.time >= b.time && a.time <= b.time)
            return true;
        if (a.time < b.time)
            more_a = next(&a);
        else
            more_b = next(&b);
    }
    return false;
}

/* DCGM writes UUID, nvidia_gpu_exporter uuid. */
static const char *find_uuid(const char *labels, const char *values)
{
    const char *uuid = find_before(labels, UUID, values);

    return uuid ? uuid : find_before(labels, "\"uuid\"", values);
}

/* A GPU has a series for each pod that used it, so it is counted by its UUID if there is one. */
static void count_gpu(struct extent *extent, const char *text, const char *former,
                      const char *values)
{
    static const char *const names[] = {"\"gpu\"", "\"device\"", "\"GPU_I_ID\""};
    const char *labels = labels_before(former, values), *uuid = find_uuid(labels, values);
    char label[UUID_MAX];
    bool named = uuid != NULL;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        named = named || find_before(labels, names[i], values);
    extent->unnamed = extent->unnamed || !named;
    if (uuid) {
        size_t n = strcspn(uuid, ",}");
        n = n < sizeof(label) - 1 ? n : sizeof(label) - 1;
        memcpy(label, uuid, n);
        label[n] = '\0';
        const char *first = strstr(text, label);
        if (first < uuid) {
            extent->twice = extent->twice || is_twice(first, values);
            return;
        }
    }
    extent->n_gpus++;
}

static struct extent measure(const char *text)
{
    struct extent extent = {(double)INFINITY, 0, (double)INFINITY, 0, 0, false, false};
    const char *former_series = text;

    for (const char *p = strstr(text, VALUES); p; p = strstr(p + 1, VALUES)) {
        count_gpu(&extent, text, former_series, p);
        former_series = p;
        struct samples samples = series_at(p);
        double former = (double)NAN;
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
    if (strstr(bytes, "\"resultType\"") && strstr(bytes, "\"vector\""))
        return err_set(err, ERR_INVALID,
                       "has one moment: ask /api/v1/query_range, with start, end and step");
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
    if (extent.unnamed)
        return err_set(err, ERR_INVALID,
                       "has a series without label gpu or UUID, an average over GPUs: query that "
                       "of each GPU, without avg()");
    if (extent.twice)
        return err_set(err, ERR_INVALID,
                       "has a GPU twice at one moment, as two scrape jobs or pods that share it "
                       "give: query max by (UUID) (DCGM_FI_DEV_GPU_UTIL)");
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
    usage->gpu_count = extent.n_gpus;
    return true;
}
