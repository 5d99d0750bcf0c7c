/* serving_console.c - console output of the serving benchmarks of vLLM, SGLang and TensorRT-LLM,
 * possibly embedded in a log with other lines.
 *
 * Layouts: the files that serving_reports.c names.
 */
#include "feed/benchmarks/serving_report.h"

#include <ctype.h>
#include <string.h>

enum { LINE_MAX_BYTES = 4096 };

static const struct label {
    const char *text;
    enum serving_column column;
} labels[] = {
    {"Backend:", BACKEND},
    {"Maximum request concurrency:", MAX_CONCURRENCY},
    {"Max request concurrency:", MAX_CONCURRENCY},
    {"Concurrency:", CONCURRENCY},
    {"Successful requests:", COMPLETED},
    {"Failed requests:", FAILED},
    {"Total input tokens:", INPUT_TOKENS},
    {"Total generated tokens:", OUTPUT_TOKENS},
    {"Request throughput (req/s):", REQUEST_RATE},
    {"Accept length:", ACCEPT_LENGTH_SGLANG},
    {"Acceptance length:", ACCEPT_LENGTH_VLLM},
    {"Mean E2E Latency (ms):", E2E_MS_SGLANG},
    {"Mean TTFT (ms):", TTFT_MS},
    {"Mean TPOT (ms):", TPOT_MS},
    {"Mean ITL (ms):", ITL_MS},
    {"Model:", TRT_MODEL},
    {"KV Cache Dtype:", TRT_CACHE},
    {"Quantization:", TRT_QUANTIZATION},
    {"TP Size:", TRT_TENSOR},
    {"PP Size:", TRT_PIPELINE},
    {"Number of concurrent requests:", TRT_CONCURRENCY},
    {"Average Input Length (tokens):", TRT_INPUT},
    {"Average Output Length (tokens):", TRT_OUTPUT},
    {"Total Output Throughput (tokens/sec):", TRT_RATE},
    {"Average time-to-first-token [TTFT] (ms):", TRT_TTFT_MS},
    {"Average time-per-output-token [TPOT] (ms):", TRT_TPOT_MS},
};

/* Texts that stand for a missing value. */
static const char *const nones[] = {"not", "None", "N/A"};

struct console {
    struct csv *row;
    size_t begins; /* line where the current report begins; 0 if none */
    bool trtllm;
    const char *model; /* from the printed arguments */
    struct arena *arena;
    struct benchmark *benchmark;
};

/* The trimmed line, without a container's name in front of a bar. */
static const char *copy_line(char to[LINE_MAX_BYTES], const char *from, size_t n)
{
    if (n > LINE_MAX_BYTES - 1)
        n = LINE_MAX_BYTES - 1;
    for (size_t i = 0; i < n; i++)
        to[i] = from[i];
    to[n] = '\0';
    for (size_t end = strlen(to); end > 0 && isspace((unsigned char)to[end - 1]);)
        to[--end] = '\0';
    const char *bar = strstr(to, " | "), *line = bar ? bar + 3 : to;
    return line + strspn(line, " \t");
}

/* "Namespace(backend='vllm', ..., model='Qwen/Qwen3-32B', ...)" */
static void take_arguments(struct console *console, const char *line)
{
    static const char NAME[] = "model='";
    const char *at = strstr(line, "Namespace(");

    while (at && (at = strstr(at, NAME))) {
        bool whole = at[-1] == ' ' || at[-1] == '(';
        at += strlen(NAME);
        if (whole && at[0] != '\'')
            console->model = arena_part(console->arena, at, strcspn(at, "'"));
    }
}

static void take_figure(struct console *console, const char *line)
{
    for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++) {
        size_t n = strlen(labels[i].text);
        if (strncmp(line, labels[i].text, n) != 0)
            continue;
        const char *value = line + n + strspn(line + n, " \t");
        const char *text = arena_part(console->arena, value, strcspn(value, " \t"));
        bool none = false;
        for (size_t k = 0; k < sizeof(nones) / sizeof(nones[0]); k++)
            none = none || strcmp(text, nones[k]) == 0;
        if (!none)
            console->row->at[labels[i].column] = text;
    }
    if (strncmp(line, "= DECODING STATISTICS", strlen("= DECODING STATISTICS")) == 0)
        console->row->at[TRT_GUESSED] = "guessed";
}

/* Complete the current report. */
static bool finish(struct console *console, struct err *err)
{
    struct err why = {0};
    size_t line = console->begins;

    if (line == 0)
        return true;
    console->begins = 0;
    if (!console->trtllm && console->model)
        console->row->at[MODEL_ID] = console->model;
    if (serving_report_add(console->row, console->arena, console->benchmark, &why))
        return true;
    return err_set(err, ERR_INVALID, "line %zu: %.400s", line,
                   why.text[0]       ? why.text
                   : console->trtllm ? "the report that begins here is cut off: it has no line "
                                       "'Total Output Throughput (tokens/sec):'"
                                     : "the report that begins here is cut off: it has neither a "
                                       "line 'Mean TPOT (ms):' nor 'Mean ITL (ms):'");
}

bool benchmark_read_console(const char *bytes, size_t n, struct arena *arena,
                            struct benchmark *benchmark, struct err *err)
{
    char text[LINE_MAX_BYTES];
    struct console console = {
        .row = arena_alloc(arena, sizeof(struct csv)), .arena = arena, .benchmark = benchmark};
    size_t number = 1;

    for (const char *at = bytes, *end = bytes + n; at < end; number++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((newline ? newline : end) - at);
        const char *line = copy_line(text, at, length);
        bool trtllm =
            strcmp(line, "= PYTORCH BACKEND") == 0 || strcmp(line, "= ENGINE DETAILS") == 0;
        if (trtllm || strstr(line, " Serving Benchmark Result ")) {
            if (!finish(&console, err))
                return false;
            console.begins = number;
            console.trtllm = trtllm;
            for (int i = 0; i < SERVING_COLUMNS; i++)
                console.row->at[i] = "";
        }
        take_arguments(&console, line);
        if (console.begins)
            take_figure(&console, line);
        at += length + 1;
    }
    if (!finish(&console, err))
        return false;
    benchmark_read_engine_log(bytes, n, arena, benchmark);
    return benchmark->n > 0;
}
