/* serving_reports.c - the JSON results of the serving benchmarks of vLLM, SGLang and TensorRT-LLM.
 *
 * Layouts: vllm/benchmarks/serve.py, python/sglang/bench_serving.py and
 * tensorrt_llm/bench/dataclasses/reporting.py of their repositories.
 */
#include "feed/benchmarks/serving_report.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double MS = 1e-3;

static const char *const columns[SERVING_COLUMNS + 1] = {
    [MODEL_ID] = "model_id",
    [BACKEND] = "backend",
    [MAX_CONCURRENCY] = "max_concurrency",
    [CONCURRENCY] = "concurrency",
    [COMPLETED] = "completed",
    [FAILED] = "failed",
    [INPUT_TOKENS] = "total_input_tokens",
    [OUTPUT_TOKENS] = "total_output_tokens",
    [REQUEST_RATE] = "request_throughput",
    [TTFT_MS] = "mean_ttft_ms",
    [TPOT_MS] = "mean_tpot_ms",
    [ITL_MS] = "mean_itl_ms",
    [E2E_MS_SGLANG] = "mean_e2e_latency_ms",
    [TENSOR] = "tensor_parallel_size",
    [SGLANG_MODEL] = "server_info__model_path",
    [SGLANG_TENSOR] = "server_info__tp_size",
    [SGLANG_DATA] = "server_info__dp_size",
    [ACCEPT_LENGTH_VLLM] = "spec_decode_acceptance_length",
    [ACCEPT_LENGTH_SGLANG] = "accept_length",
    [TRT_MODEL] = "engine__model",
    [TRT_QUANTIZATION] = "engine__quantization",
    [TRT_CACHE] = "engine__kv_cache_dtype",
    [TRT_TENSOR] = "world_info__tp_size",
    [TRT_PIPELINE] = "world_info__pp_size",
    [TRT_CONCURRENCY] = "request_info__avg_num_concurrent_requests",
    [TRT_INPUT] = "request_info__avg_input_length",
    [TRT_OUTPUT] = "request_info__avg_output_length",
    [TRT_RATE] = "performance__system_output_throughput_tok_s",
    [TRT_TTFT_MS] = "streaming_metrics__avg_ttft_ms",
    [TRT_TPOT_MS] = "streaming_metrics__avg_tpot_ms",
    [TRT_GUESSED] = "decoding_stats__mode",
    [TRT_GPU] = "machine__name",
};

/* The last part of a path in lower case, as models are named in the catalogue. */
const char *serving_report_model(struct arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t n = strlen(slash ? slash + 1 : path);
    char *text = arena_alloc(arena, n + 1);

    memcpy(text, slash ? slash + 1 : path, n + 1);
    for (char *p = text; *p; p++)
        *p = (char)tolower((unsigned char)*p);
    return text;
}

/* Time between tokens equals time per token, unless speculative decoding is used. */
static double token_ms(const struct csv *row)
{
    return row->at[TPOT_MS][0] ? csv_number(row, TPOT_MS) : csv_number(row, ITL_MS);
}

/* The mean in flight by Little's law: the rate times the request time. */
static double by_rate(const struct csv *row, double outputs)
{
    return csv_number(row, REQUEST_RATE) * MS *
           (csv_number(row, TTFT_MS) + (outputs - 1) * token_ms(row));
}

/* The number of requests in flight: as stated, or the limit on it, or the mean by Little's law if
 * the request rate kept it well below that limit. A mean below 1 shows times in another unit. */
static double in_flight(const struct csv *row, double outputs)
{
    /* A judgement: runs of two or more requests per client stay below the limit while they start
     * and end, but hardly below half of it. */
    const double reached = 0.5;
    double stated = csv_number(row, CONCURRENCY), most = csv_number(row, MAX_CONCURRENCY);
    double mean = by_rate(row, outputs);

    return !isnan(stated)                                        ? stated
           : isnan(most) || (mean >= 1 && mean < reached * most) ? mean
                                                                 : most;
}

static const char *engine_of(const struct csv *row)
{
    const char *backend = row->at[BACKEND];

    if (isnan(csv_number(row, E2E_MS_SGLANG)))
        return "vllm"; /* its client names a protocol, not an engine */
    return strncmp(backend, "vllm", 4) == 0  ? "vllm"
           : strncmp(backend, "trt", 3) == 0 ? "tensorrt_llm"
                                             : "sglang";
}

/* SGLang adds what its server was started with; with several data-parallel ranks it depends on
 * further settings what a replica is. */
static double tensor_of(const struct csv *row)
{
    double stated = csv_number(row, TENSOR);

    return isnan(stated) && !(csv_number(row, SGLANG_DATA) > 1) ? csv_number(row, SGLANG_TENSOR)
                                                                : stated;
}

static void add_served(struct benchmark_run *run, struct arena *arena, const struct csv *row)
{
    double completed = csv_number(row, COMPLETED);
    double outputs = csv_number(row, OUTPUT_TOKENS) / completed;

    const char *model = row->at[MODEL_ID][0] ? row->at[MODEL_ID] : row->at[SGLANG_MODEL];

    if (model[0])
        benchmark_add(run, "model", serving_report_model(arena, model));
    benchmark_add(run, "engine", engine_of(row));
    benchmark_add_count(run, arena, "measured_concurrent_requests", in_flight(row, outputs));
    benchmark_add_count(run, arena, "measured_input_tokens",
                        csv_number(row, INPUT_TOKENS) / completed);
    benchmark_add_count(run, arena, "measured_output_tokens", outputs);
    benchmark_add_count(run, arena, "measured_tensor_parallel", tensor_of(row));
    benchmark_add_number(run, arena, "measured_time_to_first_token_seconds",
                         MS * csv_number(row, TTFT_MS));
    benchmark_add_number(run, arena, "measured_time_per_output_token_seconds", MS * token_ms(row));
}

static const char *weights_of(const char *quantization)
{
    static const char *const words[][2] = {
        {"FP8", "fp8"},         {"NVFP4", "fp4"},    {"W4A8_NVFP4", "fp4"}, {"W4A8_MXFP4", "fp4"},
        {"W4A16_MXFP4", "fp4"}, {"W4A16", "int4"},   {"W4A8_AWQ", "int4"},  {"W4A8_QSERVE", "int4"},
        {"W8A16", "int8"},      {"W8A8_SQ", "int8"},
    };

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strncmp(quantization, words[i][0], strlen(words[i][0])) == 0)
            return words[i][1];
    return NULL;
}

/* There are token times if answers were streamed, otherwise only the throughput. */
static void add_trtllm(struct benchmark_run *run, struct arena *arena, const struct csv *row)
{
    double each = csv_number(row, TRT_TPOT_MS);

    if (row->at[TRT_MODEL][0])
        benchmark_add(run, "model", serving_report_model(arena, row->at[TRT_MODEL]));
    benchmark_add(run, "engine", "tensorrt_llm");
    benchmark_add(run, "weight_dtype", weights_of(row->at[TRT_QUANTIZATION]));
    if (strcmp(row->at[TRT_CACHE], "FP8") == 0)
        benchmark_add(run, "kv_cache_dtype", "fp8");
    benchmark_add_count(run, arena, "measured_concurrent_requests",
                        csv_number(row, TRT_CONCURRENCY));
    benchmark_add_count(run, arena, "measured_input_tokens", csv_number(row, TRT_INPUT));
    benchmark_add_count(run, arena, "measured_output_tokens", csv_number(row, TRT_OUTPUT));
    benchmark_add_count(run, arena, "measured_tensor_parallel", csv_number(row, TRT_TENSOR));
    benchmark_add_count(run, arena, "measured_pipeline_parallel", csv_number(row, TRT_PIPELINE));
    if (each > 0) {
        benchmark_add_number(run, arena, "measured_time_to_first_token_seconds",
                             MS * csv_number(row, TRT_TTFT_MS));
        benchmark_add_number(run, arena, "measured_time_per_output_token_seconds", MS * each);
    } else {
        benchmark_add_number(run, arena, "measured_output_tokens_per_second",
                             csv_number(row, TRT_RATE));
    }
}

/* A figure in a report must be a number above 0, so that nothing is ignored silently. */
static bool check_figures(const struct csv *row, struct err *err)
{
    static const enum serving_column figures[] = {
        MAX_CONCURRENCY, CONCURRENCY,     INPUT_TOKENS, OUTPUT_TOKENS, TTFT_MS,  TPOT_MS,
        ITL_MS,          TRT_CONCURRENCY, TRT_INPUT,    TRT_OUTPUT,    TRT_RATE, TRT_TTFT_MS,
        TRT_TPOT_MS,     TENSOR,          TRT_TENSOR,   TRT_PIPELINE};

    for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
        const char *text = row->at[figures[i]], *name = columns[figures[i]];
        const char *part = strstr(name, "__");
        if (text[0] && !(csv_number(row, figures[i]) > 0))
            return err_set(err, ERR_INVALID, "%s is %.60s%s: it should be a number above 0",
                           part ? part + 2 : name, text,
                           strcmp(text, "0") == 0 ? ", NaN or Infinity" : "");
    }
    return true;
}

/* True if a step yielded several tokens, as in speculative decoding. */
static bool is_guessed(const struct csv *row)
{
    return csv_number(row, ACCEPT_LENGTH_VLLM) > 1 || csv_number(row, ACCEPT_LENGTH_SGLANG) > 1 ||
           row->at[TRT_GUESSED][0];
}

/* With fewer than two requests a client most of them wait for the start or run in the end. Of
 * 103 such runs of GPUStack (docs/performance-lab; 100 to 1,000 prompts sent at once) the first
 * tokens came 6 times as late in the median as with as many in flight all the time, and times per
 * token were 50 % off; of 13 with ten or more a client these were 5 % off. */
bool serving_report_is_steady(double completed, double flight, struct err *err)
{
    const double least = 2;

    if (!(completed < least * flight))
        return true;
    return err_set(err, ERR_INVALID,
                   "of %.0f requests %.0f were in flight at once: most of the run is its start and "
                   "end, not a steady load. Measure with --max-concurrency and ten times as many "
                   "prompts",
                   completed, flight);
}

static bool check_steady(const struct csv *row, struct err *err)
{
    double completed = csv_number(row, COMPLETED);

    return serving_report_is_steady(
        completed, in_flight(row, csv_number(row, OUTPUT_TOKENS) / completed), err);
}

/* Means of a request, multiplied, may be above the mean of products, but not by twice. */
static bool check_limit(const struct csv *row, struct err *err)
{
    const double loose = 2;
    double mean = by_rate(row, csv_number(row, OUTPUT_TOKENS) / csv_number(row, COMPLETED));

    return !(mean > loose * csv_number(row, MAX_CONCURRENCY)) ||
           err_set(err, ERR_INVALID,
                   "its figures contradict each other: %.4g requests a second of these times are "
                   "%.0f in flight, and max_concurrency is %s. Are times in another unit than ms?",
                   csv_number(row, REQUEST_RATE), mean, row->at[MAX_CONCURRENCY]);
}

/* Remarks on a run that its figures do not show. */
static const char *note_of(const struct csv *row, struct arena *arena)
{
    const char *failed =
        csv_number(row, FAILED) > 0
            ? arena_print(arena, "%.0f of %.0f requests failed; ", csv_number(row, FAILED),
                          csv_number(row, FAILED) + csv_number(row, COMPLETED))
            : "";
    const char *guessed = is_guessed(row) ? "it guessed tokens ahead (speculative decoding): add "
                                            "speculative_tokens as the server had it; "
                                          : "";
    const char *gpu =
        row->at[TRT_GPU][0] ? arena_print(arena, "it ran on %.80s; ", row->at[TRT_GPU]) : "";
    const char *note = arena_print(arena, "%s%s%s", failed, guessed, gpu);
    size_t n = strlen(note);

    return n > 2 ? arena_part(arena, note, n - 2) : NULL;
}

bool serving_report_add(const struct csv *row, struct arena *arena, struct benchmark *benchmark,
                        struct err *err)
{
    bool trtllm = row->at[TRT_RATE][0] != '\0';

    if (!trtllm && !row->at[TPOT_MS][0] && !row->at[ITL_MS][0])
        return false;
    if (!trtllm && !(csv_number(row, COMPLETED) > 0))
        return err_set(err, ERR_INVALID, "no request was completed");
    if (!check_figures(row, err) ||
        (!trtllm && (!check_limit(row, err) || !check_steady(row, err))))
        return false;
    struct benchmark_run *run = benchmark_next(benchmark, "inference-sizing");
    if (!run)
        return err_set(err, ERR_INVALID, "there are too many runs");
    if (trtllm)
        add_trtllm(run, arena, row);
    else
        add_served(run, arena, row);
    run->guessed = is_guessed(row);
    run->note = note_of(row, arena);
    benchmark->format = trtllm                                  ? "trtllm-bench"
                        : isnan(csv_number(row, E2E_MS_SGLANG)) ? "vllm bench serve"
                                                                : "sglang bench_serving";
    return true;
}

const struct json_report serving_json = {"", columns, serving_report_add};
