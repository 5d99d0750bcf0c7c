#include "feed/benchmarks/benchmark.h"

#include <math.h>

void benchmark_add(struct benchmark_run *run, const char *name, const char *value)
{
    if (value && value[0] && run->n < BENCHMARK_INPUTS_MAX)
        run->inputs[run->n++] = (struct benchmark_input){name, value};
}

void benchmark_add_number(struct benchmark_run *run, struct arena *arena, const char *name,
                          double value)
{
    if (isfinite(value) && value > 0)
        benchmark_add(run, name, arena_print(arena, "%.9g", value));
}

void benchmark_add_count(struct benchmark_run *run, struct arena *arena, const char *name,
                         double value)
{
    if (isfinite(value) && value > 0 && value < 1e15)
        benchmark_add(run, name, arena_print(arena, "%.0f", fmax(1, round(value))));
}

struct benchmark_run *benchmark_next(struct benchmark *benchmark, const char *question)
{
    if (benchmark->n >= BENCHMARK_RUNS_MAX)
        return NULL;
    struct benchmark_run *run = &benchmark->runs[benchmark->n++];
    *run = (struct benchmark_run){.question = question};
    return run;
}

void benchmark_address(const struct benchmark_run *run, struct buf *out)
{
    buf_print(out, "/v1/%s", run->question);
    for (size_t i = 0; i < run->n; i++) {
        buf_char(out, i ? '&' : '?');
        buf_encoded(out, run->inputs[i].name);
        buf_char(out, '=');
        buf_encoded(out, run->inputs[i].value);
    }
}
