/* usage.h - integrates a cluster's accounting records to GPU-hours by calendar month.
 *
 * Supported are the output of Slurm's `sacct -a -X -P -o JobID,Start,End,Elapsed,AllocTRES`, of
 * its `sreport -P -t hours cluster utilization -T gres/gpu`, and the JSON of a Prometheus range
 * query of DCGM's DCGM_FI_DEV_GPU_UTIL or DCGM_FI_PROF_GR_ENGINE_ACTIVE, with one series per GPU or
 * per GPU and pod, a CSV of such samples with a column per GPU, and a CSV of jobs with start, end
 * and GPUs. Times without a zone are taken as UTC.
 */
#ifndef FEED_USAGE_USAGE_H
#define FEED_USAGE_USAGE_H

#include "base/attr.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

enum { USAGE_MONTHS_MAX = 120, USAGE_MONTH_SIZE = 16 };

struct usage {
    const char *format; /* detected format */
    const char *word;   /* meaning of its hours: allocated or busy */
    double from, to;    /* period covered, seconds since 1970 */
    double gpu_count;   /* NAN if the file does not say */
    int first_month;    /* months since year 0 */
    size_t n;           /* number of months */
    double gpu_hours[USAGE_MONTHS_MAX];
};

/* Reads n bytes followed by a NUL. `start`, in seconds since 1970 or NAN, is that of times which
 * are relative to it. If the format is unknown, false with *err, which says what is
 * missing. */
bool usage_read(const char *bytes, size_t n, double start, struct usage *usage,
                struct err *err) MUST_CHECK;

/* Hours of the i-th month that the file covers; and its name, such as "2026-08". */
double usage_hours(const struct usage *usage, size_t i);
void usage_month_name(const struct usage *usage, size_t i, char name[USAGE_MONTH_SIZE]);

/* For the readers: a time such as 2026-08-01T12:00:00, also with a space or an offset behind it, or
 * ten digits, in seconds since 1970; NAN for others, such as Unknown. Months are those of the
 * cluster's clock. */
double usage_time(const char *text);

/* For the readers: set the whole period first, then add the GPUs in use between two times. */
bool usage_set_period(struct usage *usage, double from, double to, struct err *err);
void usage_add(struct usage *usage, double from, double to, double gpus);

/* The readers: false without *err for another format, with *err for malformed bytes. */
bool usage_read_slurm(const char *bytes, size_t n, struct usage *usage, struct err *err) MUST_CHECK;
bool usage_read_jobs(const char *bytes, size_t n, struct usage *usage, struct err *err) MUST_CHECK;
bool usage_read_wide(const char *bytes, size_t n, double start, struct usage *usage,
                     struct err *err) MUST_CHECK;
bool usage_read_prometheus(const char *bytes, size_t n, struct usage *usage,
                           struct err *err) MUST_CHECK;

#endif
