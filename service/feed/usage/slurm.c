/* slurm.c - jobs from sacct, or totals from sreport.
 *
 * Layouts: the field tables and print routines of Slurm 26.11 at commit 284c3b95,
 * https://github.com/SchedMD/slurm/blob/master/src/sreport/cluster_reports.c (cluster_utilization),
 * src/sreport/common.c (sreport_get_time_str), src/sacct/sacct.c and src/common/print_fields.c.
 */
#include "feed/usage/usage.h"

#include "base/text.h"
#include "base/units.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { COLUMNS_MAX = 64, COLUMN_MAX = 32, LINE_MAX_BYTES = 4096 };

/* The fields of a line, separated by bars. */
struct cells {
    const char *at[COLUMNS_MAX];
    size_t n;
    char text[LINE_MAX_BYTES];
};

static const char *take_line(const char *at, const char *end, struct cells *cells)
{
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    size_t length = (size_t)((newline ? newline : end) - at), kept = length;

    if (kept >= LINE_MAX_BYTES)
        kept = LINE_MAX_BYTES - 1;
    memcpy(cells->text, at, kept);
    cells->text[kept] = '\0';
    cells->text[strcspn(cells->text, "\r")] = '\0';
    cells->n = 0;
    for (char *p = cells->text; p && cells->n < COLUMNS_MAX;) {
        char *bar = strchr(p, '|');
        cells->at[cells->n++] = p;
        if (bar)
            *bar++ = '\0';
        p = bar;
    }
    return at + length + (newline != NULL);
}

static size_t column_of(const struct cells *header, const char *name)
{
    size_t i = 0;

    while (i < header->n && strcasecmp(header->at[i], name) != 0)
        i++;
    return i;
}

static const char ASK[] = "ask sacct -a -X -P -o JobID,Start,End,Elapsed,AllocTRES";

/* Elapsed time such as 2-03:04:05, 03:04:05 or 04:05, or seconds (ElapsedRaw); NAN for others. */
static double seconds_of(const char *text)
{
    const char *dash = strchr(text, '-'), *p = dash ? dash + 1 : text;
    double days = dash ? strtod(text, NULL) : 0, seconds = 0;

    if (!isdigit((unsigned char)*text))
        return (double)NAN;
    for (char *end; isdigit((unsigned char)*p); p = *end == ':' ? end + 1 : end)
        seconds = 60 * seconds + strtod(p, &end);
    return days * SECONDS_PER_DAY + seconds;
}

/* gres/gpu=8 counts all types; if it is missing, the counts by type (gres/gpu:h100=8) add up. */
static double gpus_of(const char *tres)
{
    static const char all[] = "gres/gpu=", typed[] = "gres/gpu:";
    double sum = 0;

    for (const char *p = tres; *p; p += strcspn(p, ","), p += *p == ',') {
        const char *equals = strchr(p, '=');
        if (strncmp(p, all, strlen(all)) == 0)
            return strtod(p + strlen(all), NULL);
        if (equals && strncmp(p, typed, strlen(typed)) == 0)
            sum += strtod(equals + 1, NULL);
    }
    return sum;
}

/* ---- sacct */

struct job {
    double from, to, gpus; /* `to` is NAN while it runs */
};

enum { JOB_ID, START, END, TRES, ELAPSED, COLUMNS }; /* only ELAPSED may be missing */

/* False unless the line is a job with GPUs; job steps are part of a job and are skipped. A job that
 * runs has used what has elapsed, if the file says. */
static bool read_job(const struct cells *line, const size_t column[COLUMNS], struct job *job)
{
    for (size_t i = 0; i < ELAPSED; i++)
        if (column[i] >= line->n)
            return false;
    *job = (struct job){usage_time(line->at[column[START]]), usage_time(line->at[column[END]]),
                        gpus_of(line->at[column[TRES]])};
    if (isnan(job->to) && column[ELAPSED] < line->n)
        job->to = job->from + seconds_of(line->at[column[ELAPSED]]);
    return !strchr(line->at[column[JOB_ID]], '.') && job->from > 0 && job->gpus > 0;
}

/* No line is a job with GPUs and a time: say which of both is missing. */
static bool refuse_jobs(const char *at, const char *end, const size_t column[COLUMNS],
                        struct err *err)
{
    struct cells line;

    while (at < end) {
        at = take_line(at, end, &line);
        const char *start = column[START] < line.n ? line.at[column[START]] : "";
        if (column[TRES] < line.n && gpus_of(line.at[column[TRES]]) > 0 &&
            isdigit((unsigned char)*start))
            return err_set(err, ERR_INVALID,
                           "Start %.40s is no time such as 2026-06-01T00:00:00: unset "
                           "SLURM_TIME_FORMAT and %s",
                           start, ASK);
    }
    return err_set(err, ERR_INVALID, "no job of the file had GPUs (gres/gpu in AllocTRES)");
}

/* Jobs that still run are counted until the latest time in the file. */
static bool read_jobs(const char *at, const char *end, const size_t column[COLUMNS],
                      struct usage *usage, struct err *err)
{
    double from = (double)INFINITY, to = 0;
    struct cells line;
    struct job job;

    for (const char *p = at; p < end;) {
        p = take_line(p, end, &line);
        if (!read_job(&line, column, &job))
            continue;
        from = fmin(from, job.from);
        to = fmax(to, fmax(job.from, job.to));
    }
    if (isinf(from))
        return refuse_jobs(at, end, column, err);
    if (!usage_set_period(usage, from, to, err))
        return false;
    for (const char *p = at; p < end;) {
        p = take_line(p, end, &line);
        if (read_job(&line, column, &job))
            usage_add(usage, job.from, isnan(job.to) ? to : job.to, job.gpus);
    }
    usage->format = "sacct";
    return true;
}

/* ---- sreport */

static const char TITLE[] = "Cluster Utilization ",
                  REPORT[] = "sreport -P -t hours cluster utilization -T gres/gpu";

/* Cluster Utilization 2026-08-01T00:00:00 - 2026-08-31T23:59:59 (2678400 secs) */
static bool read_title(const char *text, double *from, double *to)
{
    const char *title = strstr(text, TITLE), *dash = title ? strstr(title, " - ") : NULL;

    if (!dash)
        return false;
    *from = usage_time(title + strlen(TITLE));
    *to = usage_time(dash + 3) + 1;
    return *to > *from;
}

/* NAN for shares of the total (-t percent); "Hours/Percentage of Total" prints 36096(78.33%). */
static double unit_hours(const char *text)
{
    return strstr(text, "Hours")     ? 1
           : strstr(text, "Minutes") ? 1.0 / 60
           : strstr(text, "Seconds") ? 1.0 / 3600
                                     : (double)NAN;
}

/* One or more reports, each with a title, the unit, a header and a row per cluster and TRES. */
struct reports {
    double from, to, unit;            /* of the current one */
    size_t tres, allocated, reported; /* its columns */
    double gpus;                      /* in use, over its clusters */
    double first, last;               /* of all */
    bool titled, found;
};

static void read_row(const struct cells *line, struct reports *reports, bool add,
                     struct usage *usage)
{
    double hours = (reports->to - reports->from) / SECONDS_PER_HOUR;

    if (!(hours > 0) || reports->tres >= line->n || reports->allocated >= line->n ||
        strcmp(line->at[reports->tres], "gres/gpu") != 0)
        return;
    reports->found = true;
    if (add)
        usage_add(usage, reports->from, reports->to,
                  strtod(line->at[reports->allocated], NULL) * reports->unit / hours);
    if (reports->reported < line->n) {
        reports->gpus += strtod(line->at[reports->reported], NULL) * reports->unit / hours;
        usage->gpu_count = round(reports->gpus);
    }
}

static struct reports read_reports(const char *at, const char *end, bool add, struct usage *usage)
{
    struct reports reports = {.unit = 1.0 / 60, /* sreport's default is minutes */
                              .tres = COLUMNS_MAX,
                              .first = (double)INFINITY};
    struct cells line;

    while (at < end) {
        at = take_line(at, end, &line);
        if (read_title(line.text, &reports.from, &reports.to)) {
            reports.titled = true;
            reports.gpus = 0;
            reports.first = fmin(reports.first, reports.from);
            reports.last = fmax(reports.last, reports.to);
        } else if (strncmp(line.text, "Usage reported in", 17) == 0) {
            reports.unit = unit_hours(line.text);
        } else if (column_of(&line, "Allocated") < line.n) {
            reports.tres = column_of(&line, "TRES Name");
            reports.allocated = column_of(&line, "Allocated");
            reports.reported = column_of(&line, "Reported");
        } else {
            read_row(&line, &reports, add, usage);
        }
    }
    return reports;
}

static bool read_sreport(const char *at, const char *end, const struct reports *seen,
                         struct usage *usage, struct err *err)
{
    if (!seen->found && !memchr(at, '|', (size_t)(end - at)))
        return err_set(err, ERR_INVALID, "its reports are tables for reading, without -P: ask %s",
                       REPORT);
    if (!seen->found)
        return err_set(err, ERR_INVALID, "its reports have no row gres/gpu: ask %s", REPORT);
    if (isnan(seen->unit))
        return err_set(err, ERR_INVALID, "its reports are in percent: ask %s", REPORT);
    if (!usage_set_period(usage, seen->first, seen->last, err))
        return false;
    usage->format = "sreport";
    return read_reports(at, end, true, usage).found;
}

/* What sacct writes in other forms. */
static bool refuse_form(const char *bytes, struct err *err)
{
    static const char NAME[] = "JobID";

    if (strncasecmp(bytes, NAME, strlen(NAME)) == 0)
        return err_set(err, ERR_INVALID, "its columns are not separated by |: %s", ASK);
    if (strstr(bytes, "\"job_id\"") && strstr(bytes, "\"slurm\""))
        return err_set(err, ERR_INVALID, "is JSON of sacct: %s", ASK);
    return false;
}

bool usage_read_slurm(const char *bytes, size_t n, struct usage *usage, struct err *err)
{
    static const char *const names[COLUMNS] = {"JobID", "Start", "End", "AllocTRES", "Elapsed"};
    const char *end = bytes + n;
    struct cells header;
    size_t column[COLUMNS];

    usage->word = "allocated";
    struct reports reports = read_reports(bytes, end, false, usage);
    if (reports.titled)
        return read_sreport(bytes, end, &reports, usage, err);
    if (strstr(bytes, "Utilization ") && strstr(bytes, "|Used"))
        return err_set(err, ERR_INVALID, "its reports are by account or user: ask %s", REPORT);
    const char *rest = n ? take_line(bytes, end, &header) : bytes;
    for (size_t i = 0; n && i < COLUMNS; i++) {
        char raw[COLUMN_MAX];
        snprintf(raw, sizeof(raw), "%sRaw", names[i]);
        column[i] = column_of(&header, names[i]);
        if (column[i] == header.n) /* JobIDRaw, ElapsedRaw */
            column[i] = column_of(&header, raw);
    }
    if (!n || column[JOB_ID] == header.n)
        return refuse_form(bytes, err);
    for (size_t i = 0; i < ELAPSED; i++) {
        if (column[i] == header.n)
            return err_set(err, ERR_INVALID, "has no column %s: %s", names[i], ASK);
    }
    return read_jobs(rest, end, column, usage, err);
}
