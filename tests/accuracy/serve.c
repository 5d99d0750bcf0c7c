/* serve.c - the time per output token beside every measured run of a file, as often as a fit asks.
 *
 *   serve SERVED.csv
 *
 * Reads lines of "key=value ..." or "key:scope=value ...": constants to change, none for the
 * catalogue's own. Answers each with one line, the predicted seconds of every run in the file's
 * order. A line that starts with "interval" is answered with the factor u of each run's 80 %
 * interval. Run from the root of the tree.
 */
#include "base/mem.h"
#include "estimate/inference.h"

#include "fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct run {
    struct inference_job job;
    double concurrency;
};

static _Noreturn void bail(const char *what, const char *name)
{
    fprintf(stderr, "serve: no %s %s\n", what, name);
    exit(1);
}

static enum engine engine_of(const char *name)
{
    static const char *const names[ENGINE_COUNT] = {"unspecified", "vllm",      "tensorrt_llm",
                                                    "sglang",      "llama_cpp", "compiled"};

    for (int i = 0; i < ENGINE_COUNT; i++)
        if (strcmp(names[i], name) == 0)
            return (enum engine)i;
    bail("engine", name);
}

static enum number number_of(const char *name)
{
    return strcmp(name, "fp8") == 0   ? NUMBER_FP8
           : strcmp(name, "fp4") == 0 ? NUMBER_FP4
                                      : NUMBER_BF16;
}

static struct run read_run(const struct catalog *catalog, const struct fixture_csv *csv, size_t row)
{
    const char *name = fixture_csv_cell(csv, row, "model");
    const char *card = fixture_csv_cell(csv, row, "gpu");
    const struct model *model = catalog_model(catalog, name);
    const struct gpu *gpu = catalog_gpu(catalog, card);

    if (!model)
        bail("model", name);
    if (!gpu)
        bail("GPU", card);
    return (struct run){
        .job = {.shape = shape_of(model),
                .gpu = gpu,
                .weight_format = number_of(fixture_csv_cell(csv, row, "weight_dtype")),
                .kv_format = number_of(fixture_csv_cell(csv, row, "kv_cache_dtype")),
                .bytes_per_weight = (double)NAN,
                .engine = engine_of(fixture_csv_cell(csv, row, "engine")),
                .tensor = strtod(fixture_csv_cell(csv, row, "tensor_parallel"), NULL),
                .pipeline = 1,
                .gpus_per_node = 8,
                .input_tokens = strtod(fixture_csv_cell(csv, row, "input_tokens"), NULL),
                .output_tokens = strtod(fixture_csv_cell(csv, row, "output_tokens"), NULL),
                .memory_utilization = catalog_default(catalog, "pool", "")},
        .concurrency = strtod(fixture_csv_cell(csv, row, "concurrent_requests"), NULL)};
}

/* One "key=value" or "key:scope=value". */
static void set(struct inference_constants *constants, char *word)
{
    char *equals = strchr(word, '='), *colon = strchr(word, ':');

    *equals = '\0';
    if (colon)
        *colon = '\0';
    double *value = inference_constant(constants, word, colon ? colon + 1 : "");
    if (!value)
        bail("constant", word);
    *value = strtod(equals + 1, NULL);
}

/* Change the constants a line names. */
static void change(struct inference_constants *constants, const char *line)
{
    size_t length;

    for (const char *at = line + strspn(line, " \n"); *at;
         at += length + strspn(at + length, " \n")) {
        char word[96];
        length = strcspn(at, " \n");
        snprintf(word, sizeof(word), "%.*s", (int)length, at);
        if (strchr(word, '='))
            set(constants, word);
    }
}

static void answer(const struct run *runs, size_t n, const struct inference_constants *constants,
                   bool interval)
{
    for (size_t i = 0; i < n; i++) {
        struct inference inference = inference_of(constants, &runs[i].job);
        struct served served = inference_serve(&inference, runs[i].concurrency);
        enum interval kind = inference_interval_kind(&inference, served.batch);
        printf("%.9g ", interval ? inference_interval(&inference, kind) : served.tpot);
    }
    printf("\n");
    (void)fflush(stdout);
}

int main(int argc, char **argv)
{
    struct catalog *catalog = fixture_catalog();
    struct inference_constants seeded;
    struct fixture_csv csv;
    struct err err = {0};
    char line[4096];

    if (argc != 2)
        return 64;
    fixture_need(inference_constants_load(catalog, &seeded, &err), &err);
    fixture_csv_read(&csv, argv[1]);
    struct run *runs = mem_alloc(csv.n_rows * sizeof(*runs));
    for (size_t i = 0; i < csv.n_rows; i++)
        runs[i] = read_run(catalog, &csv, i);
    while (fgets(line, sizeof(line), stdin)) {
        struct inference_constants constants = seeded;
        bool interval = strncmp(line, "interval", 8) == 0;
        change(&constants, line);
        answer(runs, csv.n_rows, &constants, interval);
    }
    free(runs);
    fixture_csv_free(&csv);
    catalog_free(catalog);
    return 0;
}
