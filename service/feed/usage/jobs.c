/* jobs.c - jobs of any scheduler, from a CSV with a line each.
 *
 * Names of columns are those of published logs: https://github.com/InternLM/AcmeTrace and
 * https://github.com/S-Lab-System-Group/HeliosData (start_time, end_time, gpu_num, duration), and
 * https://github.com/alibaba/clusterdata, cluster-trace-gpu-v2023 (scheduled_time, deletion_time,
 * num_gpu).
 */
#include "feed/csv.h"
#include "feed/usage/usage.h"

#include <math.h>
#include <string.h>
#include <strings.h>

enum { START, END, GPUS, NEEDED, SECONDS = NEEDED, COLUMNS };

static const char *const names[COLUMNS][4] = {
    [START] = {"start_time", "scheduled_time", "start"},
    [END] = {"end_time", "deletion_time", "end"},
    [GPUS] = {"gpu_num", "num_gpu", "gpu_count", "gpus"},
    [SECONDS] = {"duration"},
};

static size_t column_of(const struct csv *header, const char *const wanted[4])
{
    for (size_t k = 0; k < 4 && wanted[k]; k++)
        for (size_t i = 0; i < header->n; i++)
            if (strcasecmp(header->at[i], wanted[k]) == 0)
                return i;
    return CSV_FIELDS_MAX;
}

/* Reads the header; false if it is not one of jobs. */
static bool open_jobs(struct csv *csv, const char *bytes, size_t n, size_t column[COLUMNS])
{
    static const char delimiters[] = ",;\t";

    for (const char *delimiter = delimiters; *delimiter; delimiter++) {
        bool all = true;
        csv_open(csv, bytes, n);
        csv->delimiter = *delimiter;
        if (!csv_next(csv) || csv->why)
            return false;
        for (size_t i = 0; i < COLUMNS; i++) {
            column[i] = column_of(csv, names[i]);
            all = all && (i >= NEEDED || column[i] < csv->n);
        }
        if (all)
            return true;
    }
    return false;
}

struct job {
    double from, to, gpus; /* `to` is NAN while it runs */
};

/* The next job that had GPUs; false at the end of the file, or with *err at a malformed line. Jobs
 * that never started have no start time and are skipped. */
static bool next_job(struct csv *csv, const size_t column[COLUMNS], struct job *job,
                     struct err *err)
{
    while (csv_next(csv)) {
        if (csv->why)
            return err_set(err, ERR_INVALID, "line %zu: %s", csv->line, csv->why);
        if (column[START] >= csv->n || column[END] >= csv->n || column[GPUS] >= csv->n)
            return err_set(err, ERR_INVALID, "line %zu: it has fewer columns than the header",
                           csv->line);
        *job = (struct job){usage_time(csv->at[column[START]]), usage_time(csv->at[column[END]]),
                            csv_number(csv, (unsigned)column[GPUS])};
        if (isnan(job->to) && column[SECONDS] < csv->n)
            job->to = job->from + csv_number(csv, (unsigned)column[SECONDS]);
        if (job->gpus > 0 && job->from > 0)
            return true;
    }
    return false;
}

/* Jobs that still run are counted until the latest time in the file. */
bool usage_read_jobs(const char *bytes, size_t n, struct usage *usage, struct err *err)
{
    double from = (double)INFINITY, to = 0;
    size_t column[COLUMNS];
    struct csv csv;
    struct job job = {0};

    if (!open_jobs(&csv, bytes, n, column))
        return false;
    while (next_job(&csv, column, &job, err)) {
        from = fmin(from, job.from);
        to = fmax(to, fmax(job.from, job.to));
    }
    if (err->text[0])
        return false;
    if (isinf(from))
        return err_set(err, ERR_INVALID,
                       "has no job with GPUs and a start such as 2026-06-01 00:00:00");
    if (!usage_set_period(usage, from, to, err) || !open_jobs(&csv, bytes, n, column))
        return false;
    while (next_job(&csv, column, &job, err))
        usage_add(usage, job.from, isnan(job.to) ? to : job.to, job.gpus);
    usage->format = "jobs";
    usage->word = "allocated";
    return true;
}
