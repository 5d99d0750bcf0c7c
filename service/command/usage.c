#include "command/usage.h"

#include "base/text.h"
#include "base/units.h"
#include "command/command_line.h"
#include "feed/usage/usage.h"
#include "settings/exit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char START[] = "usage_start=";

static const char usage_text[] =
    "usage: gpuplan usage FILE NAME=VALUE ...\n"
    "\n"
    "Reads a cluster's accounting and prints the question of its break-even: the months in the\n"
    "file as they were (first_phase_months, first_phase_utilization), later ones as planned:\n"
    "\n"
    "  gpuplan ask $(gpuplan usage jobs.txt gpu=h100-sxm5-80gb gpu_count=64 utilization=0.8)\n"
    "\n"
    "NAME=VALUE are the inputs that the plan was made with; asked without the file they give the\n"
    "original verdict. A table of the months, with the planned utilization if given, goes to\n"
    "standard error. The first month in the file must be the month of the purchase.\n"
    "\n"
    "FILE is the output of one of\n"
    "  sacct -a -X -P -S START -E END -o JobID,Start,End,Elapsed,AllocTRES  (give gpu_count)\n"
    "  sreport -P -t hours cluster utilization -T gres/gpu start=START end=END\n"
    "                                            (reports of several months one after another)\n"
    "  a range query of Prometheus: DCGM_FI_DEV_GPU_UTIL or DCGM_FI_PROF_GR_ENGINE_ACTIVE\n"
    "  a CSV of the same samples with the time first and a column for each GPU, as Grafana\n"
    "  exports it (times in seconds since a start: give usage_start=2026-08-01)\n"
    "  a CSV of jobs, a line each: start_time,end_time,gpu_num     (give gpu_count)\n"
    "Slurm and jobs count GPUs as used while they are allocated, DCGM while they compute.\n";

/* The plan to compare with, from the command line. */
struct plan {
    double gpu_count, utilization; /* NAN if not given */
    double start; /* seconds since 1970, added to times that the file gives relative to it;
                   * NAN if not given */
};

static bool read_pair(struct plan *plan, const char *pair, struct err *err)
{
    static const char *const ours[] = {"first_phase_months=", "first_phase_utilization="};
    const char *equals = strchr(pair, '=');

    if (!equals || equals == pair)
        return err_set(err, ERR_INVALID, "%.200s: inputs are written NAME=VALUE", pair);
    for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
        if (strncmp(pair, ours[i], strlen(ours[i])) == 0)
            return err_set(err, ERR_INVALID, "%.200s: is computed from the file", pair);
    if (strncmp(pair, START, strlen(START)) == 0) {
        int32_t start;
        if (!text_day(equals + 1, &start))
            return err_set(err, ERR_INVALID, "%.200s: is not a day such as 2026-08-01", pair);
        plan->start = SECONDS_PER_DAY * text_days_between(19700101, start);
        return true;
    }
    double *to = strncmp(pair, "gpu_count=", 10) == 0     ? &plan->gpu_count
                 : strncmp(pair, "utilization=", 12) == 0 ? &plan->utilization
                                                          : NULL;
    if (to && !text_number(equals + 1, to))
        return err_set(err, ERR_INVALID, "%.200s: is no number", pair);
    return true;
}

static double sum_hours(const struct usage *usage)
{
    double hours = 0;

    for (size_t i = 0; i < usage->n; i++)
        hours += usage_hours(usage, i);
    return hours;
}

static double sum_gpu_hours(const struct usage *usage)
{
    double hours = 0;

    for (size_t i = 0; i < usage->n; i++)
        hours += usage->gpu_hours[i];
    return hours;
}

/* More use than GPUs: the file lists jobs twice, or gpu_count is too low. */
static bool check(const struct usage *usage, double gpu_count, struct err *err)
{
    const double rounding = 1.001;
    char name[USAGE_MONTH_SIZE];

    if (!(gpu_count >= 1))
        return err_set(err, ERR_INVALID,
                       "gpu_count is required: %s does not say how many GPUs there are",
                       usage->format);
    for (size_t i = 0; i < usage->n; i++)
        if (usage->gpu_hours[i] > rounding * gpu_count * usage_hours(usage, i)) {
            usage_month_name(usage, i, name);
            return err_set(err, ERR_INVALID,
                           "%s has %.0f GPU-hours in %s, and %.0f GPUs have %.0f: is gpu_count of "
                           "another cluster, or are jobs listed twice?",
                           usage->format, usage->gpu_hours[i], name, gpu_count,
                           gpu_count * usage_hours(usage, i));
        }
    return true;
}

static void print_row(const char *name, double used, double had, const struct plan *plan)
{
    fprintf(stderr, "%-8s %12.0f %12.0f %11.3f", name, used, had, used / had);
    if (!isnan(plan->utilization))
        fprintf(stderr, " %9.3g %+14.0f", plan->utilization, used - plan->utilization * had);
    fputc('\n', stderr);
}

static void print_table(const struct usage *usage, double gpu_count, const struct plan *plan)
{
    char name[USAGE_MONTH_SIZE];

    fprintf(stderr, "%-8s %12s %12s %11s", "month", "GPU-hours", "of", usage->word);
    if (!isnan(plan->utilization))
        fprintf(stderr, " %9s %14s", "planned", "beyond plan");
    fputc('\n', stderr);
    for (size_t i = 0; i < usage->n; i++) {
        usage_month_name(usage, i, name);
        print_row(name, usage->gpu_hours[i], gpu_count * usage_hours(usage, i), plan);
    }
    print_row("all", sum_gpu_hours(usage), gpu_count * sum_hours(usage), plan);
}

static void print_question(const struct usage *usage, double gpu_count, const struct plan *plan,
                           char **pairs)
{
    double hours = sum_hours(usage);

    puts("break-even");
    for (; *pairs; pairs++)
        if (strncmp(*pairs, START, strlen(START)) != 0)
            puts(*pairs);
    if (isnan(plan->gpu_count))
        printf("gpu_count=%.0f\n", gpu_count);
    printf("first_phase_months=%.6g\n", hours / HOURS_PER_MONTH);
    printf("first_phase_utilization=%.6g\n", fmin(1, sum_gpu_hours(usage) / (gpu_count * hours)));
}

/* How to ask what the plan had said. */
static void print_plan(double gpu_count, const struct plan *plan, char **pairs)
{
    fputs("planned: gpuplan ask break-even", stderr);
    for (; *pairs; pairs++)
        if (strncmp(*pairs, START, strlen(START)) != 0)
            fprintf(stderr, " %s", *pairs);
    if (isnan(plan->gpu_count))
        fprintf(stderr, " gpu_count=%.0f", gpu_count);
    fputc('\n', stderr);
}

static bool run_usage(const char *path, char **pairs, struct err *err)
{
    struct plan plan = {(double)NAN, (double)NAN, (double)NAN};
    struct usage usage;
    struct buf bytes;

    for (char **pair = pairs; *pair; pair++)
        if (!read_pair(&plan, *pair, err))
            return false;
    buf_init(&bytes, COMMAND_LINE_FILE_MAX_BYTES);
    bool good = command_line_file(path, &bytes, err) &&
                usage_read(buf_data(&bytes), bytes.length, plan.start, &usage, err);
    buf_free(&bytes);
    if (!good)
        return false;
    double gpu_count = isnan(plan.gpu_count) ? usage.gpu_count : plan.gpu_count;
    if (!check(&usage, gpu_count, err))
        return false;
    print_question(&usage, gpu_count, &plan, pairs);
    print_table(&usage, gpu_count, &plan);
    if (!isnan(plan.utilization))
        print_plan(gpu_count, &plan, pairs);
    return true;
}

int usage_command(int argc, char **argv, const struct conf *conf)
{
    bool help = false;
    const struct option names[] = {{"help", no_argument, NULL, 0}, {0}};
    bool *const flags[] = {&help};
    struct err err = {0};

    (void)conf;
    if (!command_line_read(argc, argv, names, NULL, flags))
        return EXIT_USAGE;
    if (help || optind >= argc) {
        fputs(usage_text, help ? stdout : stderr);
        return help ? EXIT_OK : EXIT_USAGE;
    }
    return run_usage(argv[optind], argv + optind + 1, &err) ? EXIT_OK
                                                            : command_line_complain("usage", &err);
}
