/* json_report.h - the JSON layouts of benchmarks: where their rows are, the columns that are read,
 * and what makes a run of a row. */
#ifndef FEED_BENCHMARKS_JSON_REPORT_H
#define FEED_BENCHMARKS_JSON_REPORT_H

#include "feed/benchmarks/benchmark.h"
#include "feed/csv.h"

struct json_report {
    const char *rows; /* as in json_rows.h */
    const char *const *columns;
    /* False without *err if the row is of another layout, with *err if a figure is invalid. A row
     * that is left out adds no run, and says so in benchmark->note. */
    bool (*add)(const struct csv *row, struct arena *arena, struct benchmark *benchmark,
                struct err *err);
};

extern const struct json_report serving_json, aiperf_json, guidellm_json, inferencex_json,
    llama_bench_json;

#endif
