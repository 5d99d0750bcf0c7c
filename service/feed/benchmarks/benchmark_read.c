/* benchmark_read.c - tells the formats apart by what they hold, and reads a sheet of inputs. */
#include "feed/benchmarks/benchmark.h"

#include "feed/csv.h"

#include <string.h>

static bool is_name(const char *text)
{
    return text[0] && text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_")] == '\0';
}

/* The header has names of inputs, one of them of what was measured. */
static const char *csv_question(const struct csv *header)
{
    const char *question = NULL;

    for (size_t i = 0; i < header->n; i++) {
        if (!is_name(header->at[i]))
            return NULL;
        if (strcmp(header->at[i], "measured_step_seconds") == 0 ||
            strcmp(header->at[i], "measured_tokens_per_second_per_gpu") == 0)
            question = "training-plan";
        else if (!question && strncmp(header->at[i], "measured_", strlen("measured_")) == 0)
            question = "inference-sizing";
    }
    return question;
}

static bool read_csv(const char *bytes, size_t n, struct arena *arena, struct benchmark *benchmark,
                     struct err *err)
{
    struct csv *csv = arena_alloc(arena, sizeof(*csv));
    const char *names[CSV_FIELDS_MAX], *question;
    size_t n_names;

    csv_open(csv, bytes, n);
    if (!csv_next(csv) || csv->why)
        return false;
    question = csv_question(csv);
    if (!question)
        return false;
    benchmark->format = "csv";
    n_names = csv->n;
    for (size_t i = 0; i < n_names; i++)
        names[i] = arena_text(arena, csv->at[i]);
    while (csv_next(csv)) {
        struct benchmark_run *run = csv->why ? NULL : benchmark_next(benchmark, question);
        if (!run || csv->n != n_names)
            return err_set(err, ERR_INVALID, "line %zu: %s", csv->line,
                           csv->why ? csv->why
                           : run    ? "it has not as many columns as the header"
                                    : "there are too many runs");
        for (size_t i = 0; i < n_names; i++)
            benchmark_add(run, names[i], arena_text(arena, csv->at[i]));
    }
    return benchmark->n > 0 || err_set(err, ERR_INVALID, "the header is all there is");
}

bool benchmark_read(const char *bytes, size_t n, struct arena *arena, struct benchmark *benchmark,
                    struct err *err)
{
    static bool (*const readers[])(const char *, size_t, struct arena *, struct benchmark *,
                                   struct err *) = {benchmark_read_serving, benchmark_read_mlperf,
                                                    benchmark_read_training_log, read_csv};

    *benchmark = (struct benchmark){
        .runs = arena_alloc(arena, BENCHMARK_RUNS_MAX * sizeof(*benchmark->runs))};
    *err = (struct err){0};
    for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++) {
        if (readers[i](bytes, n, arena, benchmark, err))
            return true;
        if (err->text[0])
            return false;
    }
    return err_set(err, ERR_INVALID,
                   "it is none of: JSON of vllm bench serve, SGLang's bench_serving or "
                   "trtllm-bench, :::MLLOG lines, a log of Megatron or torchtitan, a CSV with "
                   "columns measured_...");
}
