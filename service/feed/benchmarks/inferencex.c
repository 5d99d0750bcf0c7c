/* inferencex.c - rows as InferenceX publishes them, and others in its layout: one run each, with
 * times in seconds.
 *
 * Read off published rows of https://github.com/SemiAnalysisAI/InferenceX and of vLLM's nightly
 * measurements.
 */
#include "feed/benchmarks/json_report.h"
#include "feed/benchmarks/serving_report.h"

#include <math.h>
#include <string.h>

enum inferencex_column {
    HW,
    DEVICE,
    FRAMEWORK,
    MODEL,
    PRECISION,
    CONC,
    ISL,
    OSL,
    TP,
    DP_ATTENTION,
    DISAGG,
    SPEC_DECODING,
    MEAN_TTFT,
    MEAN_TPOT,
    INFERENCEX_COLUMNS
};

static const char *const columns[INFERENCEX_COLUMNS + 1] = {
    [HW] = "hw",
    [DEVICE] = "device",
    [FRAMEWORK] = "framework",
    [MODEL] = "model",
    [PRECISION] = "precision",
    [CONC] = "conc",
    [ISL] = "isl",
    [OSL] = "osl",
    [TP] = "tp",
    [DP_ATTENTION] = "dp_attention",
    [DISAGG] = "disagg",
    [SPEC_DECODING] = "spec_decoding",
    [MEAN_TTFT] = "mean_ttft",
    [MEAN_TPOT] = "mean_tpot",
};

static const char *engine_of(const char *framework)
{
    return strstr(framework, "sglang") ? "sglang"
           : strstr(framework, "vllm") ? "vllm"
           : strstr(framework, "trt")  ? "tensorrt_llm"
                                       : "";
}

static const char *weights_of(const char *precision)
{
    static const char *const formats[] = {"fp4", "fp8", "bf16", "fp16", "int8", "int4"};

    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
        if (strcmp(precision, formats[i]) == 0)
            return formats[i];
    return "";
}

static bool is_true(const char *text)
{
    return strcmp(text, "true") == 0 || strcmp(text, "True") == 0;
}

/* False with *err if a figure is missing, or there are two kinds of replicas. */
static bool check(const struct csv *row, struct err *err)
{
    static const enum inferencex_column figures[] = {CONC, ISL, OSL, MEAN_TPOT};

    if (is_true(row->at[DISAGG]))
        return err_set(err, ERR_INVALID,
                       "prompts were read on other GPUs than answers were written on (disagg): it "
                       "is not a run of one replica");
    for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
        if (!(csv_number(row, figures[i]) > 0))
            return err_set(err, ERR_INVALID, "%s is %.60s: it should be a number above 0",
                           columns[figures[i]],
                           row->at[figures[i]][0] ? row->at[figures[i]] : "missing");
    return true;
}

static bool add_inferencex(const struct csv *row, struct arena *arena, struct benchmark *benchmark,
                           struct err *err)
{
    const char *guessed = row->at[SPEC_DECODING],
               *gpu = row->at[HW][0] ? row->at[HW] : row->at[DEVICE];

    if (!row->at[MEAN_TPOT][0] || !row->at[CONC][0])
        return false;
    if (!check(row, err))
        return false;
    struct benchmark_run *run = benchmark_next(benchmark, "inference-sizing");
    if (!run)
        return err_set(err, ERR_INVALID, "there are too many runs");
    if (row->at[MODEL][0])
        benchmark_add(run, "model", serving_report_model(arena, row->at[MODEL]));
    benchmark_add(run, "engine", engine_of(row->at[FRAMEWORK]));
    benchmark_add(run, "weight_dtype", weights_of(row->at[PRECISION]));
    benchmark_add_count(run, arena, "measured_concurrent_requests", csv_number(row, CONC));
    benchmark_add_count(run, arena, "measured_input_tokens", csv_number(row, ISL));
    benchmark_add_count(run, arena, "measured_output_tokens", csv_number(row, OSL));
    benchmark_add_count(run, arena, "measured_tensor_parallel", csv_number(row, TP));
    if (is_true(row->at[DP_ATTENTION]))
        benchmark_add_count(run, arena, "measured_attention_data_parallel", csv_number(row, TP));
    benchmark_add_number(run, arena, "measured_time_to_first_token_seconds",
                         csv_number(row, MEAN_TTFT));
    benchmark_add_number(run, arena, "measured_time_per_output_token_seconds",
                         csv_number(row, MEAN_TPOT));
    run->guessed = guessed[0] && strcmp(guessed, "none") != 0 && strcmp(guessed, "false") != 0;
    run->note = arena_print(arena, "%s%.60s%s", gpu[0] ? "it ran on " : "", gpu,
                            run->guessed ? "; it guessed tokens ahead (speculative decoding): add "
                                           "speculative_tokens as the server had it"
                                         : "");
    benchmark->format = "InferenceX";
    return true;
}

const struct json_report inferencex_json = {"", columns, add_inferencex};
