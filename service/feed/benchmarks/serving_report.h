/* serving_report.h - the report of a serving benchmark, from JSON or console output: one row of
 * texts, one per column. */
#ifndef FEED_BENCHMARKS_SERVING_REPORT_H
#define FEED_BENCHMARKS_SERVING_REPORT_H

#include "feed/benchmarks/json_report.h"

enum serving_column {
    MODEL_ID,
    BACKEND,
    MAX_CONCURRENCY,
    CONCURRENCY,
    COMPLETED,
    FAILED,
    INPUT_TOKENS,
    OUTPUT_TOKENS,
    REQUEST_RATE,
    TTFT_MS,
    TPOT_MS,
    ITL_MS,
    E2E_MS_SGLANG,
    TENSOR,
    SGLANG_MODEL,
    SGLANG_TENSOR,
    SGLANG_DATA,
    ACCEPT_LENGTH_VLLM,
    ACCEPT_LENGTH_SGLANG,
    TRT_MODEL,
    TRT_QUANTIZATION,
    TRT_CACHE,
    TRT_TENSOR,
    TRT_PIPELINE,
    TRT_CONCURRENCY,
    TRT_INPUT,
    TRT_OUTPUT,
    TRT_RATE,
    TRT_TTFT_MS,
    TRT_TPOT_MS,
    TRT_GUESSED,
    TRT_GPU,
    SERVING_COLUMNS
};

/* Adds the row as a run. False without *err if the row is not a report, with *err if a figure is
 * invalid. */
bool serving_report_add(const struct csv *row, struct arena *arena, struct benchmark *benchmark,
                        struct err *err) MUST_CHECK;

/* The model in a path or repository, in lower case. */
const char *serving_report_model(struct arena *arena, const char *path);

/* False with *err if so few requests were completed that most of the run is its start and end. */
bool serving_report_is_steady(double completed, double flight, struct err *err) MUST_CHECK;

#endif
