/* benchmark_read.c - detects the format by its contents, and reads a table of inputs. */
#include "feed/benchmarks/benchmark.h"

#include "base/text.h"
#include "feed/csv.h"

#include <string.h>

static bool is_name(const char *text)
{
    return text[0] && text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_")] == '\0';
}

/* The header must contain input names, one of them a measured figure. */
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

/* Spreadsheets with decimal commas use semicolons as separator; copied cells use tabs. */
static char delimiter_of(const char *bytes, size_t n)
{
    const char *newline = memchr(bytes, '\n', n);
    size_t line = newline ? (size_t)(newline - bytes) : n;

    return memchr(bytes, ',', line)    ? ','
           : memchr(bytes, ';', line)  ? ';'
           : memchr(bytes, '\t', line) ? '\t'
                                       : ',';
}

/* Converts a number's decimal comma to a point; other text is unchanged. */
static const char *with_point(struct arena *arena, const char *text)
{
    size_t whole = strspn(text, "-0123456789"), part = 0;
    double value;

    if (whole > 0 && text[whole] == ',')
        part = strspn(text + whole + 1, "0123456789eE+-");
    if (part == 0 || text[whole + 1 + part])
        return arena_text(arena, text);
    char *copy = arena_alloc(arena, whole + part + 2);
    memcpy(copy, text, whole + part + 2);
    copy[whole] = '.';
    return text_number(copy, &value) ? copy : arena_text(arena, text);
}

static bool read_csv(const char *bytes, size_t n, struct arena *arena, struct benchmark *benchmark,
                     struct err *err)
{
    struct csv *csv = arena_alloc(arena, sizeof(*csv));
    const char *names[CSV_FIELDS_MAX], *question;
    size_t n_names;

    csv_open(csv, bytes, n);
    csv->delimiter = delimiter_of(bytes, n);
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
            benchmark_add(run, names[i],
                          csv->delimiter == ';' ? with_point(arena, csv->at[i])
                                                : arena_text(arena, csv->at[i]));
    }
    return benchmark->n > 0 || err_set(err, ERR_INVALID, "the header is all there is");
}

static size_t count_in_line(const char *line, const char *end, char delimiter)
{
    size_t n = 0;

    for (; line < end && *line != '\n'; line++)
        n += *line == delimiter;
    return n;
}

/* True if the first two lines have the same number of columns, more than one. */
static bool is_sheet(const char *bytes, size_t n)
{
    const char *newline = memchr(bytes, '\n', n), *end = bytes + n;
    char delimiter = delimiter_of(bytes, n);
    size_t columns = count_in_line(bytes, end, delimiter);

    return columns > 0 && newline && count_in_line(newline + 1, end, delimiter) == columns;
}

/* Files of benchmarks that hold no run, or not in the form that is read. */
static const char *known_otherwise(const char *text)
{
    static const struct {
        const char *marks[2], *why;
    } files[] = {
        {{"\"total_num_tokens\"", "\"elapsed_time\""},
         "it is of vllm bench throughput, which sends all prompts at once and times no token: "
         "measure with vllm bench serve --max-concurrency --save-result"},
        {{"\"avg_latency\"", "\"percentiles\""},
         "it is of vllm bench latency, which says neither batch nor lengths: measure with vllm "
         "bench serve --max-concurrency --save-result"},
        {{"\"benchmark_phase\"", "\"metrics\""},
         "it has a line for each request: give profile_export_aiperf.json, in the same folder"},
        {{"\"service_kind\"", "\"experiments\""},
         "it has every request of genai-perf: give profile_export_genai_perf.json, in the same "
         "folder"
         "it"},
        {{"build_commit,build_number", "avg_ts"},
         "it is CSV of llama-bench: write JSON, with -o json"},
        {{"| t/s |", "| model "}, "it is a table of llama-bench: write JSON, with -o json"},
        {{"Run Info,", "Benchmark,"}, "it is CSV of GuideLLM: give its benchmarks.json"},
    };

    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
        if (strstr(text, files[i].marks[0]) && strstr(text, files[i].marks[1]))
            return files[i].why;
    return NULL;
}

/* Describe the bytes as far as possible. */
static bool refuse_unknown(const char *bytes, size_t n, struct arena *arena, struct err *err)
{
    size_t blank = 0;

    while (blank < n && strchr(" \t\r\n", bytes[blank]) && bytes[blank])
        blank++;
    if (blank == n)
        return err_set(err, ERR_INVALID, "it is empty");
    if (n >= 2 && (memcmp(bytes, "\xFF\xFE", 2) == 0 || memcmp(bytes, "\xFE\xFF", 2) == 0))
        return err_set(err, ERR_INVALID, "it is UTF-16: save it as UTF-8");
    const char *text = arena_part(arena, bytes, n);
    if (memchr(bytes, '\0', n) || !text_is_utf8(text))
        return err_set(err, ERR_INVALID, "it is binary, not text in UTF-8");
    const char *known = known_otherwise(text);
    if (known)
        return err_set(err, ERR_INVALID, "%s", known);
    if (bytes[blank] == '{' || bytes[blank] == '[')
        return err_set(err, ERR_INVALID,
                       "it is JSON of none of the benchmarks that are read: it has neither "
                       "mean_tpot_ms (vLLM, SGLang), system_output_throughput_tok_s "
                       "(trtllm-bench), request_latency.avg (aiperf, genai-perf), benchmarks "
                       "(GuideLLM), avg_ts (llama-bench) nor mean_tpot (InferenceX)");
    if (is_sheet(bytes + blank, n - blank))
        return err_set(err, ERR_INVALID,
                       "it is a sheet whose header does not name inputs: one column has to be "
                       "measured_time_per_output_token_seconds (in seconds), measured_step_seconds "
                       "or measured_tokens_per_second_per_gpu, others model, gpu, engine, "
                       "concurrent_requests and the like, in lower case");
    return err_set(err, ERR_INVALID,
                   "it is none of: JSON or output of the vLLM, SGLang or TensorRT-LLM benchmark, "
                   "JSON of aiperf, GuideLLM, llama-bench or InferenceX, :::MLLOG lines, a log of "
                   "Megatron, torchtitan, DeepSpeed or nanotron, a CSV with columns measured_...");
}

bool benchmark_read(const char *bytes, size_t n, struct arena *arena, struct benchmark *benchmark,
                    struct err *err)
{
    static const char mark[] = "\xEF\xBB\xBF";
    size_t skip = n >= 3 && memcmp(bytes, mark, 3) == 0 ? 3 : 0;
    static bool (*const readers[])(const char *, size_t, struct arena *, struct benchmark *,
                                   struct err *) = {
        benchmark_read_json,         benchmark_read_console, benchmark_read_mlperf,
        benchmark_read_training_log, benchmark_read_sheet,   read_csv};

    *benchmark = (struct benchmark){
        .runs = arena_alloc(arena, BENCHMARK_RUNS_MAX * sizeof(*benchmark->runs))};
    *err = (struct err){0};
    bytes += skip;
    n -= skip;
    for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++) {
        if (readers[i](bytes, n, arena, benchmark, err))
            return true;
        if (err->text[0])
            return false;
    }
    return refuse_unknown(bytes, n, arena, err);
}
