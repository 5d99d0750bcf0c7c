/* client_sheets.c - the CSV of aiperf and genai-perf: a line a metric with its average, then a line
 * a figure of the whole run. Neither says how many requests the client kept in flight, so it is
 * worked out from rate and latency.
 *
 * Layout: aiperf/exporters/csv_exporter.py of https://github.com/ai-dynamo/aiperf
 */
#include "feed/benchmarks/client_report.h"

#include "base/text.h"

#include <math.h>
#include <string.h>
#include <strings.h>

enum { NUMBER_MAX_BYTES = 64 };

/* "1,146.31" is 1146.31; NAN if it is no number. */
static double figure(const char *text)
{
    char digits[NUMBER_MAX_BYTES];
    size_t n = 0;
    double value;

    for (; *text && n + 1 < sizeof(digits); text++)
        if (*text != ',')
            digits[n++] = *text;
    digits[n] = '\0';
    return text_number(digits, &value) ? value : (double)NAN;
}

static bool is_metric(const char *text, const char *metric)
{
    return strncasecmp(text, metric, strlen(metric)) == 0;
}

/* The scale of a unit in brackets behind the metric's name. */
static double scale_of(const char *name)
{
    char unit[NUMBER_MAX_BYTES];
    const char *bracket = strchr(name, '(');
    size_t n = bracket ? strcspn(bracket + 1, ")") : 0;

    if (n >= sizeof(unit))
        n = 0;
    for (size_t i = 0; i < n; i++)
        unit[i] = bracket[1 + i];
    unit[n] = '\0';
    return client_report_scale(unit);
}

static void take(struct client_report *report, const char *name, double value)
{
    struct {
        const char *metric;
        double *to;
        bool time;
    } figures[] = {{"Time To First Token", &report->first, true},
                   {"Inter Token Latency", &report->token, true},
                   {"Request Latency", &report->latency, true},
                   {"Output Sequence Length", &report->outputs, false},
                   {"Input Sequence Length", &report->inputs, false},
                   {"Request Throughput", &report->rate, false},
                   {"Request Count", &report->completed, false},
                   {"Error Request Count", &report->failed, false}};

    for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
        if (is_metric(name, figures[i].metric))
            *figures[i].to = value * (figures[i].time ? scale_of(name) : 1);
}

/* Earlier releases of genai-perf do not count requests. */
static void assume_steady(struct client_report *report, struct benchmark *benchmark)
{
    if (!isnan(report->completed) || !(report->rate > 0))
        return;
    report->completed = HUGE_VAL;
    benchmark->note =
        "it does not say how many requests were answered: with fewer than ten for each in flight, "
        "most of a run is its start and end; nor which engine answered: give engine=NAME";
}

bool benchmark_read_sheet(const char *bytes, size_t n, struct arena *arena,
                          struct benchmark *benchmark, struct err *err)
{
    const double none = (double)NAN;
    struct client_report report = {NULL, none, none, none, none, none, none, none, none, none};
    struct csv *csv = arena_alloc(arena, sizeof(*csv));

    csv_open(csv, bytes, n);
    if (!csv_next(csv) || csv->why || csv->n < 2 || strcmp(csv->at[0], "Metric") != 0 ||
        strcasecmp(csv->at[1], "avg") != 0)
        return false;
    while (csv_next(csv))
        if (!csv->why && csv->n >= 2)
            take(&report, csv->at[0], figure(csv->at[1]));
    benchmark->format = "aiperf";
    assume_steady(&report, benchmark);
    return client_report_add(&report, arena, benchmark, err);
}
