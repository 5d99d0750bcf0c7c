/* usage_read.c - detects the format of an accounting file. */
#include "feed/usage/usage.h"

#include <math.h>

bool usage_read(const char *bytes, size_t n, double start, struct usage *usage, struct err *err)
{
    *usage = (struct usage){.gpu_count = (double)NAN};
    *err = (struct err){0};
    if (usage_read_prometheus(bytes, n, usage, err) || err->text[0])
        return !err->text[0];
    if (usage_read_slurm(bytes, n, usage, err) || err->text[0])
        return !err->text[0];
    if (usage_read_jobs(bytes, n, usage, err) || err->text[0])
        return !err->text[0];
    if (usage_read_wide(bytes, n, start, usage, err) || err->text[0])
        return !err->text[0];
    return err_set(
        err, ERR_INVALID,
        "is neither the output of sacct or sreport with -P, nor a range of Prometheus, "
        "nor a CSV of jobs with start_time, end_time and gpu_num, nor one with a time and "
        "a column for each GPU; gpuplan usage --help says how they are asked");
}
