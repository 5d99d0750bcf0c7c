#include "command/measure.h"

#include "base/buf.h"
#include "base/text.h"
#include "command/command_line.h"
#include "command/measure_store.h"
#include "feed/benchmarks/benchmark.h"
#include "settings/exit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ADDRESS_MAX = 64 * 1024 };

static const char usage[] =
    "usage: gpuplan measure [--run N] [--url URL] FILE [NAME=VALUE ...]\n"
    "       gpuplan measure --store SET --token-file FILE [--run N] [--url URL] FILE "
    "[NAME=VALUE ...]\n"
    "\n"
    "Reads the output of a benchmark or a training run and prints the question that this run\n"
    "corrects, one argument of gpuplan ask per line:\n"
    "\n"
    "  gpuplan ask $(gpuplan measure result.json gpu=h100-sxm5-80gb concurrent_requests=64)\n"
    "\n"
    "NAME=VALUE adds an input or overrides the file, which seldom names the GPU. Times are those\n"
    "of one replica.\n"
    "\n"
    "  --run N    which run, if the file has several\n"
    "  --url URL  print the address of the question at that daemon instead\n"
    "\n"
    "With --store the daemon at URL (default: GPUPLAN_URL, or the one at GPUPLAN_LISTEN) stores\n"
    "all runs, or --run N: from then on they correct questions with measurement_set=SET. If\n"
    "neither the file nor a NAME=VALUE gives weight_dtype, the default for the model, GPU and\n"
    "engine is used and printed.\n"
    "\n"
    "  --store SET        name of the set: lower case, digits and single hyphens\n"
    "  --token-file FILE  its first line is a token that may store measurements\n"
    "\n"
    "FILE is JSON from vllm bench serve --save-result, SGLang's bench_serving or trtllm-bench\n"
    "--report_json, what these three print, or what vLLM and SGLang log at their start; JSON or\n"
    "CSV of aiperf or genai-perf, JSON of GuideLLM or llama-bench -o json, or rows of InferenceX;\n"
    "MLPerf's mlperf_log_detail.txt of a server, or the log of an MLPerf training; a log of\n"
    "Megatron, torchtitan, DeepSpeed or nanotron, whose peak memory is read too; or a CSV with\n"
    "input names as its header.\n";

struct measure {
    const char *run, *url;
    bool help;
    const char *file;
    struct arena arena;
    struct benchmark benchmark;
};

static const char *input(const struct benchmark_run *run, const char *name)
{
    for (size_t i = 0; i < run->n; i++)
        if (strcmp(run->inputs[i].name, name) == 0)
            return run->inputs[i].value;
    return NULL;
}

/* What tells the runs of a file apart: requests in flight, the model, tokens of a prompt and an
 * answer. */
static void list_runs(const struct benchmark *benchmark)
{
    for (size_t i = 0; i < benchmark->n; i++) {
        const struct benchmark_run *run = &benchmark->runs[i];
        const char *requests = input(run, "measured_concurrent_requests"),
                   *prompt = input(run, "measured_input_tokens"),
                   *answer = input(run, "measured_output_tokens"), *model = input(run, "model");
        const char *between = "  ";

        fprintf(stderr, "  --run %zu", i + 1);
        if (requests) {
            fprintf(stderr, "%s%s request%s in flight", between, requests,
                    strcmp(requests, "1") == 0 ? "" : "s");
            between = ", ";
        }
        if (model) {
            fprintf(stderr, "%s%s", between, model);
            between = ", ";
        }
        if (prompt && answer)
            fprintf(stderr, "%s%s + %s tokens", between, prompt, answer);
        fputc('\n', stderr);
    }
}

/* The run chosen by --run or the only one; NULL with several and no choice. */
static struct benchmark_run *choose(const struct measure *measure, struct err *err)
{
    const struct benchmark *benchmark = &measure->benchmark;
    double number = 1;

    if (!measure->run && benchmark->n > 1) {
        fprintf(stderr, "%s holds %zu runs:\n", measure->file, benchmark->n);
        list_runs(benchmark);
        err_set(err, ERR_INVALID, "choose one with --run");
        return NULL;
    }
    if (measure->run &&
        (!text_number(measure->run, &number) || number < 1 || number > (double)benchmark->n)) {
        err_set(err, ERR_INVALID, "--run must be from 1 to %zu", benchmark->n);
        return NULL;
    }
    return &benchmark->runs[(size_t)number - 1];
}

/* Values given by the caller override those of the file. */
static bool add_pair(struct measure *measure, struct benchmark_run *run, const char *pair,
                     struct err *err)
{
    const char *equals = strchr(pair, '=');

    if (!equals || equals == pair)
        return err_set(err, ERR_INVALID, "%.200s: inputs are written NAME=VALUE", pair);
    const char *name = arena_part(&measure->arena, pair, (size_t)(equals - pair));
    for (size_t i = 0; i < run->n; i++)
        if (strcmp(run->inputs[i].name, name) == 0) {
            run->inputs[i].value = equals + 1;
            return true;
        }
    benchmark_add(run, name, equals + 1);
    return true;
}

static void print_note(const struct measure *measure, const char *note)
{
    if (note)
        fprintf(stderr, "gpuplan measure: %s: %s\n", measure->file, note);
}

static void print_question(const struct measure *measure, const struct benchmark_run *run)
{
    puts(run->question);
    for (size_t i = 0; i < run->n; i++)
        printf("%s=%s\n", run->inputs[i].name, run->inputs[i].value);
    fprintf(stderr, "gpuplan measure: read as %s\n", measure->benchmark.format);
    print_note(measure, measure->benchmark.note);
    print_note(measure, run->note);
}

static void print_address(const char *url, const struct benchmark_run *run)
{
    size_t n = strlen(url);
    struct buf address;

    buf_init(&address, ADDRESS_MAX);
    buf_print(&address, "%.*s", (int)(n - (n > 0 && url[n - 1] == '/')), url);
    benchmark_address(run, &address);
    puts(buf_data(&address));
    buf_free(&address);
}

static bool add_pairs(struct measure *measure, struct benchmark_run *run, char **pairs,
                      struct err *err)
{
    for (; *pairs; pairs++)
        if (!add_pair(measure, run, *pairs, err))
            return false;
    return true;
}

static bool print_one(struct measure *measure, char **pairs, struct err *err)
{
    struct benchmark_run *run = choose(measure, err);

    if (!run || !add_pairs(measure, run, pairs, err))
        return false;
    if (measure->url)
        print_address(measure->url, run);
    else
        print_question(measure, run);
    return true;
}

/* Stores the chosen run, or all runs until one is refused. Runs already stored are not stored
 * twice. */
static bool store(struct measure *measure, const struct measure_store *to, char **pairs,
                  struct err *err)
{
    struct benchmark_run *one = measure->run ? choose(measure, err) : NULL;
    size_t n = one ? 1 : measure->benchmark.n;

    print_note(measure, measure->benchmark.note);
    if (measure->run && !one)
        return false;
    for (size_t i = 0; i < n; i++) {
        struct benchmark_run *run = one ? one : &measure->benchmark.runs[i];
        struct err why = {0};
        print_note(measure, run->note);
        if (!add_pairs(measure, run, pairs, &why) || !measure_store_run(to, run, &why))
            return n == 1 ? err_set(err, why.code, "%s", why.text)
                   : i == 0
                       ? err_set(err, why.code, "run 1 of %zu: %.400s", n, why.text)
                       : err_set(err, why.code,
                                 "run %zu of %zu: %.320s; those before it are stored, and are not "
                                 "stored twice if the file is sent again",
                                 i + 1, n, why.text);
    }
    return true;
}

static bool read_file(struct measure *measure, const struct buf *bytes, struct err *err)
{
    struct err why = {0};

    return benchmark_read(buf_data(bytes), bytes->length, &measure->arena, &measure->benchmark,
                          &why) ||
           err_set(err, why.code, "%.120s: %.360s", measure->file, why.text);
}

static bool run_measure(struct measure *measure, const struct measure_store *to, char **pairs,
                        struct err *err)
{
    struct buf bytes;

    buf_init(&bytes, COMMAND_LINE_FILE_MAX_BYTES);
    bool good = command_line_file(measure->file, &bytes, err) && read_file(measure, &bytes, err) &&
                (to->set ? store(measure, to, pairs, err) : print_one(measure, pairs, err));
    buf_free(&bytes);
    return good;
}

int measure_command(int argc, char **argv, const struct conf *conf)
{
    struct measure measure = {0};
    struct measure_store to = {0};
    char listener[128];
    const struct option names[] = {
        {"run", required_argument, NULL, 0},   {"url", required_argument, NULL, 0},
        {"store", required_argument, NULL, 0}, {"token-file", required_argument, NULL, 0},
        {"help", no_argument, NULL, 0},        {0}};
    const char **const values[] = {&measure.run, &measure.url, &to.set, &to.token_file};
    bool *const flags[] = {&measure.help};
    struct err err = {0};

    if (!command_line_read(argc, argv, names, values, flags))
        return EXIT_USAGE;
    if (measure.help || optind >= argc || !to.set != !to.token_file) {
        fputs(usage, measure.help ? stdout : stderr);
        return measure.help ? EXIT_OK : EXIT_USAGE;
    }
    measure.file = argv[optind];
    snprintf(listener, sizeof(listener), "http://%s", conf->listen);
    to.url = measure.url ? measure.url : conf->url[0] ? conf->url : listener;
    bool good = run_measure(&measure, &to, argv + optind + 1, &err);
    arena_free(&measure.arena);
    return good ? EXIT_OK : command_line_complain("measure", &err);
}
