/* benchmark.h - results of benchmarks and training logs, normalised to the inputs of a question.
 *
 * Read are the JSON of `vllm bench serve --save-result`, the JSON lines of SGLang's bench_serving,
 * the report of `trtllm-bench`, what these three print, what vLLM and SGLang log at their start,
 * JSON and CSV of aiperf and genai-perf, JSON of GuideLLM and llama-bench, rows of InferenceX, the
 * :::MLLOG lines of MLPerf (loadgen's detail and training), logs of Megatron, torchtitan,
 * DeepSpeed and nanotron, and a CSV whose header has names of inputs. What a file does not say
 * (most say nothing of the GPU) the caller adds.
 */
#ifndef FEED_BENCHMARKS_BENCHMARK_H
#define FEED_BENCHMARKS_BENCHMARK_H

#include "base/arena.h"
#include "base/attr.h"
#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

enum { BENCHMARK_INPUTS_MAX = 64, BENCHMARK_RUNS_MAX = 1000 };

/* One run: the question it belongs to, and the file's data as inputs of that question, in its
 * units. */
struct benchmark_run {
    const char *question; /* inference-sizing or training-plan */
    struct benchmark_input {
        const char *name, *value;
    } inputs[BENCHMARK_INPUTS_MAX];
    size_t n;
    bool guessed;     /* speculative decoding was used */
    const char *note; /* what the figures do not show; NULL if nothing */
};

struct benchmark {
    const char *format; /* detected format */
    const char *note;   /* what is missing from the file or was ignored; NULL if nothing */
    struct benchmark_run *runs;
    size_t n;
};

/* Read the bytes; texts are in the arena. False with *err, which says what is missing, if they
 * yield no run. */
bool benchmark_read(const char *bytes, size_t n, struct arena *arena, struct benchmark *benchmark,
                    struct err *err) MUST_CHECK;

/* Append the path and query of the question that the run corrects: /v1/training-plan?model=... */
void benchmark_address(const struct benchmark_run *run, struct buf *out);

/* For the readers: add an input, unless its value is unknown. */
void benchmark_add(struct benchmark_run *run, const char *name, const char *value);
void benchmark_add_number(struct benchmark_run *run, struct arena *arena, const char *name,
                          double value);
void benchmark_add_count(struct benchmark_run *run, struct arena *arena, const char *name,
                         double value);
/* The next run to fill in; NULL if there are too many. */
struct benchmark_run *benchmark_next(struct benchmark *benchmark, const char *question);

/* The readers: false without *err if the bytes have another format, with *err if they are
 * malformed. */
bool benchmark_read_json(const char *bytes, size_t n, struct arena *arena,
                         struct benchmark *benchmark, struct err *err) MUST_CHECK;
bool benchmark_read_sheet(const char *bytes, size_t n, struct arena *arena,
                          struct benchmark *benchmark, struct err *err) MUST_CHECK;
bool benchmark_read_console(const char *bytes, size_t n, struct arena *arena,
                            struct benchmark *benchmark, struct err *err) MUST_CHECK;
/* Adds what vLLM or SGLang logged at their start to the runs of a console, or as a run of its own;
 * nothing if they did not. */
void benchmark_read_engine_log(const char *bytes, size_t n, struct arena *arena,
                               struct benchmark *benchmark);
bool benchmark_read_mlperf(const char *bytes, size_t n, struct arena *arena,
                           struct benchmark *benchmark, struct err *err) MUST_CHECK;
bool benchmark_read_training_log(const char *bytes, size_t n, struct arena *arena,
                                 struct benchmark *benchmark, struct err *err) MUST_CHECK;

#endif
