/* llama_bench.c - the JSON of llama.cpp's llama-bench: one row a test, which either reads a prompt
 * or writes tokens, for one request.
 *
 * Layout: https://github.com/ggml-org/llama.cpp/blob/master/tools/llama-bench/README.md
 */
#include "feed/benchmarks/json_report.h"
#include "feed/benchmarks/serving_report.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum llama_bench_column {
    MODEL_FILENAME,
    MODEL_TYPE,
    MODEL_SIZE,
    MODEL_PARAMS,
    GPU_INFO,
    BACKENDS,
    GPU_LAYERS,
    CPU_EXPERTS,
    TYPE_K,
    N_PROMPT,
    N_GEN,
    N_DEPTH,
    AVG_TS,
    LLAMA_BENCH_COLUMNS
};

static const char *const columns[LLAMA_BENCH_COLUMNS + 1] = {
    [MODEL_FILENAME] = "model_filename",
    [MODEL_TYPE] = "model_type",
    [MODEL_SIZE] = "model_size",
    [MODEL_PARAMS] = "model_n_params",
    [GPU_INFO] = "gpu_info",
    [BACKENDS] = "backends",
    [GPU_LAYERS] = "n_gpu_layers",
    [CPU_EXPERTS] = "n_cpu_moe",
    [TYPE_K] = "type_k",
    [N_PROMPT] = "n_prompt",
    [N_GEN] = "n_gen",
    [N_DEPTH] = "n_depth",
    [AVG_TS] = "avg_ts",
};

/* "models/Qwen2.5-7B-Instruct-Q4_K_M.gguf" is qwen2.5-7b-instruct. */
static const char *model_of(const char *path, struct arena *arena)
{
    static const char SUFFIX[] = ".gguf", PART[] = "-00001-of-";
    const char *name = serving_report_model(arena, path);
    size_t n = strlen(name);

    if (n > strlen(SUFFIX) && strcmp(name + n - strlen(SUFFIX), SUFFIX) == 0)
        n -= strlen(SUFFIX);
    name = arena_part(arena, name, n);
    const char *part = strstr(name, PART);
    n = part ? (size_t)(part - name) : n;
    for (size_t i = n; i-- > 1;) {
        static const char *const formats[] = {"q", "iq", "f16", "bf16", "f32", "fp16", "mxfp4"};
        if (name[i] != '-' && name[i] != '.')
            continue;
        for (size_t k = 0; k < sizeof(formats) / sizeof(formats[0]); k++) {
            size_t length = strlen(formats[k]);
            bool word = length > 2 || isdigit((unsigned char)name[i + 1 + length]);
            if (word && strncmp(name + i + 1, formats[k], length) == 0)
                return arena_part(arena, name, i);
        }
        break;
    }
    return arena_part(arena, name, n);
}

/* Formats that the catalogue does not have are called by their width, next to the bytes of a
 * weight. */
static const char *weights_of(const char *type, double bytes, bool *known)
{
    static const char *const words[][2] = {
        {"Q8_0", "q8_0"},
        {"Q6_K", "q6_k"},
        {"Q5_K - Medium", "q5_k_m"},
        {"Q4_K - Medium", "q4_k_m"},
        {"Q3_K - Medium", "q3_k_m"},
        {"Q2_K - Medium", "q2_k"},
        {"BF16", "bf16"},
        {"F16", "fp16"},
        {"F32", "fp32"},
        {"MXFP4", "fp4"},
    };

    *known = true;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strstr(type, words[i][0]))
            return words[i][1];
    *known = false;
    return bytes < 0.8 ? "int4" : bytes < 1.5 ? "int8" : "";
}

static const char *cache_of(const char *type)
{
    return strcmp(type, "f16") == 0    ? "fp16"
           : strcmp(type, "bf16") == 0 ? "bf16"
           : strcmp(type, "q8_0") == 0 ? "int8"
           : strcmp(type, "q4_0") == 0 ? "int4"
                                       : "";
}

/* What is left out, or NULL. */
static const char *why_left_out(const struct csv *row)
{
    double layers = csv_number(row, GPU_LAYERS);
    bool reads = csv_number(row, N_PROMPT) > 0, writes = csv_number(row, N_GEN) > 0;

    if (layers == 0 || strcmp(row->at[BACKENDS], "CPU") == 0 || csv_number(row, CPU_EXPERTS) > 0)
        return "tests with layers or experts on the CPU (n_gpu_layers, n_cpu_moe) are left out: "
               "only GPUs are estimated";
    if (reads && writes)
        return "tests of prompt and answer together (-pg) are left out: measure them apart, with "
               "-p and -n";
    if (reads && csv_number(row, N_DEPTH) > 0)
        return "prompts read behind others (-d with -p) are left out: they are no first token";
    return NULL;
}

/* A prompt's test gives a first token, one that writes a time per token. */
static void add_test(struct benchmark_run *run, struct arena *arena, const struct csv *row)
{
    double prompt = csv_number(row, N_PROMPT), answer = csv_number(row, N_GEN),
           rate = csv_number(row, AVG_TS);

    benchmark_add(run, "measured_concurrent_requests", "1");
    if (answer > 0) {
        benchmark_add_count(run, arena, "measured_input_tokens", fmax(1, csv_number(row, N_DEPTH)));
        benchmark_add_count(run, arena, "measured_output_tokens", answer);
        benchmark_add_number(run, arena, "measured_time_per_output_token_seconds", 1 / rate);
    } else {
        benchmark_add_count(run, arena, "measured_input_tokens", prompt);
        benchmark_add(run, "measured_output_tokens", "1");
        benchmark_add_number(run, arena, "measured_time_to_first_token_seconds", prompt / rate);
    }
}

static bool add_llama_bench(const struct csv *row, struct arena *arena, struct benchmark *benchmark,
                            struct err *err)
{
    double bytes = csv_number(row, MODEL_SIZE) / csv_number(row, MODEL_PARAMS);
    const char *left_out = why_left_out(row);
    bool known;

    if (!row->at[AVG_TS][0] || !row->at[MODEL_TYPE][0])
        return false;
    benchmark->format = "llama-bench";
    if (left_out) {
        benchmark->note = left_out;
        return true;
    }
    if (!(csv_number(row, AVG_TS) > 0))
        return err_set(err, ERR_INVALID, "avg_ts is %.60s: it should be a number above 0",
                       row->at[AVG_TS]);
    struct benchmark_run *run = benchmark_next(benchmark, "inference-sizing");
    if (!run)
        return err_set(err, ERR_INVALID, "there are too many runs");
    if (row->at[MODEL_FILENAME][0])
        benchmark_add(run, "model", model_of(row->at[MODEL_FILENAME], arena));
    benchmark_add(run, "engine", "llama_cpp");
    benchmark_add(run, "weight_dtype", weights_of(row->at[MODEL_TYPE], bytes, &known));
    if (!known)
        benchmark_add_number(run, arena, "bytes_per_weight", bytes);
    benchmark_add(run, "kv_cache_dtype", cache_of(row->at[TYPE_K]));
    add_test(run, arena, row);
    if (row->at[GPU_INFO][0])
        run->note = arena_print(arena, "it ran on %.80s", row->at[GPU_INFO]);
    return true;
}

const struct json_report llama_bench_json = {"", columns, add_llama_bench};
