/* benchmark.h - results of benchmarks and training logs, normalised to the inputs of a question.
 *
 * Read are the JSON of `vllm bench serve --save-result`, the JSON lines of SGLang's bench_serving,
 * the report of `trtllm-bench`, what these three print, the :::MLLOG lines of MLPerf (loadgen's
 * detail and training), logs of Megatron, torchtitan, DeepSpeed and nanotron, and a CSV whose
 * header has names of inputs. What a file does not say (most say nothing of the GPU) the caller
 * adds.
 */
#ifndef FEED_BENCHMARKS_BENCHMARK_H
#define FEED_BENCHMARKS_BENCHMARK_H

#include "base/arena.h"
#include "base/attr.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

enum { BENCHMARK_INPUTS_MAX = 64, BENCHMARK_RUNS_MAX = 1000 };

/* One run: the question that takes it, and what the file says of it, in the inputs' units. */
struct benchmark_run {
    const char *question; /* inference-sizing or training-plan */
    struct benchmark_input {
        const char *name, *value;
    } inputs[BENCHMARK_INPUTS_MAX];
    size_t n;
    bool guessed;     /* tokens ahead: speculative decoding */
    const char *note; /* what its figures do not tell; NULL: nothing */
};

struct benchmark {
    const char *format; /* what the file was taken for */
    const char *note;   /* what it lacks or was left out of it; NULL: nothing */
    struct benchmark_run *runs;
    size_t n;
};

/* Read the bytes; texts are in the arena. False with *err, which says what is missing, where no run
 * can be made of them. */
bool benchmark_read(const char *bytes, size_t n, struct arena *arena, struct benchmark *benchmark,
                    struct err *err) MUST_CHECK;

/* For the readers: add what is known, and nothing where it is not. */
void benchmark_add(struct benchmark_run *run, const char *name, const char *value);
void benchmark_add_number(struct benchmark_run *run, struct arena *arena, const char *name,
                          double value);
void benchmark_add_count(struct benchmark_run *run, struct arena *arena, const char *name,
                         double value);
/* A run to fill, NULL where there are too many. */
struct benchmark_run *benchmark_next(struct benchmark *benchmark, const char *question);

/* The readers: false where the bytes are of another format, or with *err where they are bad. */
bool benchmark_read_serving(const char *bytes, size_t n, struct arena *arena,
                            struct benchmark *benchmark, struct err *err) MUST_CHECK;
bool benchmark_read_console(const char *bytes, size_t n, struct arena *arena,
                            struct benchmark *benchmark, struct err *err) MUST_CHECK;
bool benchmark_read_mlperf(const char *bytes, size_t n, struct arena *arena,
                           struct benchmark *benchmark, struct err *err) MUST_CHECK;
bool benchmark_read_training_log(const char *bytes, size_t n, struct arena *arena,
                                 struct benchmark *benchmark, struct err *err) MUST_CHECK;

#endif
