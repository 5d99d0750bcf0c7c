/* benchmark_fuzz.c - what a benchmark, a training or a cluster's accounting wrote, of any format:
 * what is made of it is a question, each input once, named and finite, or hours of months. */
#include "fuzz.h"

#include "base/text.h"
#include "feed/benchmarks/benchmark.h"
#include "feed/usage/usage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void check(const struct benchmark_run *run)
{
    double value;

    fuzz_need(strcmp(run->question, "inference-sizing") == 0 ||
                  strcmp(run->question, "training-plan") == 0,
              "a run corrects a question there is");
    fuzz_need(run->n <= BENCHMARK_INPUTS_MAX, "a run has as many inputs as there is room for");
    for (size_t i = 0; i < run->n; i++) {
        const struct benchmark_input *input = &run->inputs[i];
        fuzz_need(input->name[0] && input->value[0], "an input has a name and a value");
        if (text_number(input->value, &value))
            fuzz_need(isfinite(value), "a figure is finite");
    }
}

static void check_usage(const uint8_t *data, size_t size)
{
    char *text = calloc(1, size + 1);
    struct usage usage;
    struct err err = {0};

    if (size)
        memcpy(text, data, size);
    if (usage_read(text, size, 1785542400, &usage, &err)) {
        fuzz_need(usage.n > 0 && usage.n <= USAGE_MONTHS_MAX && usage.format,
                  "what is read has months and a format");
        for (size_t i = 0; i < usage.n; i++)
            fuzz_need(usage_hours(&usage, i) >= 0 && usage_hours(&usage, i) <= 744,
                      "a month has as many hours as there are");
    } else {
        fuzz_need(err.text[0], "a refusal says why");
    }
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct benchmark benchmark;
    struct arena arena = {0};
    struct err err = {0};

    check_usage(data, size);
    if (benchmark_read((const char *)data, size, &arena, &benchmark, &err)) {
        fuzz_need(benchmark.n > 0 && benchmark.format, "what is read has a run and a format");
        for (size_t i = 0; i < benchmark.n; i++)
            check(&benchmark.runs[i]);
    } else {
        fuzz_need(err.text[0], "a refusal says why");
    }
    arena_free(&arena);
    return 0;
}
