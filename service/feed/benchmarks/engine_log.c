/* engine_log.c - what vLLM and SGLang log when they start: the weights on a GPU and the tokens that
 * the KV cache holds.
 *
 * Layouts: https://github.com/vllm-project/vllm/blob/main/vllm/v1/worker/gpu_model_runner.py and
 * vllm/v1/core/kv_cache_utils.py; https://github.com/sgl-project/sglang, model_runner.py and
 * mem_cache/memory_pool.py, whose GB are GiB, as are those of vLLM before 0.8.
 */
#include "feed/benchmarks/benchmark.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_BYTES = 4096, NUMBER_MAX_BYTES = 32 };

struct engine_log {
    const char *engine;  /* NULL until a line tells */
    double weights_gib;  /* of the GPU that holds most */
    double cache_tokens; /* of the GPU that has least room */
    double tensor, pipeline;
};

/* The number behind `mark`, with commas between thousands; NAN if the line has none. */
static double number_behind(const char *line, const char *mark)
{
    const char *at = strstr(line, mark);
    char digits[NUMBER_MAX_BYTES], *end;
    size_t n = 0;

    if (!at)
        return (double)NAN;
    at += strlen(mark);
    for (at += strspn(at, " '");
         n + 1 < sizeof(digits) && (isdigit((unsigned char)*at) || *at == '.' || *at == ','); at++)
        if (*at != ',')
            digits[n++] = *at;
    digits[n] = '\0';
    double value = strtod(digits, &end);
    return end == digits ? (double)NAN : value;
}

static void take_line(struct engine_log *log, const char *line)
{
    static const struct {
        const char *mark, *engine;
    } weights[] = {{"Model loading took ", "vllm"},
                   {"Loading model weights took ", "vllm"},
                   {"mem usage=", "sglang"}},
      tokens[] = {{"GPU KV cache size: ", "vllm"}, {"KV Cache is allocated. #tokens: ", "sglang"}};

    for (size_t i = 0; i < sizeof(weights) / sizeof(weights[0]); i++) {
        double value = number_behind(line, weights[i].mark);
        bool is_weights =
            strcmp(weights[i].engine, "sglang") != 0 || strstr(line, "Load weight end");
        if (is_weights && value > 0) {
            log->engine = weights[i].engine;
            log->weights_gib = fmax(log->weights_gib, value); /* NAN at first */
        }
    }
    for (size_t i = 0; i < sizeof(tokens) / sizeof(tokens[0]); i++) {
        double value = number_behind(line, tokens[i].mark);
        if (value > 0) {
            log->engine = tokens[i].engine;
            log->cache_tokens = fmin(log->cache_tokens, value);
        }
    }
    log->tensor = fmax(log->tensor, fmax(number_behind(line, " tensor_parallel_size="),
                                         number_behind(line, " tp_size=")));
    log->pipeline = fmax(log->pipeline, fmax(number_behind(line, " pipeline_parallel_size="),
                                             number_behind(line, " pp_size=")));
}

void benchmark_read_engine_log(const char *bytes, size_t n, struct arena *arena,
                               struct benchmark *benchmark)
{
    const double none = (double)NAN;
    struct engine_log log = {NULL, none, none, none, none};
    char line[LINE_MAX_BYTES];

    for (const char *at = bytes, *end = bytes + n; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((newline ? newline : end) - at),
               kept = length < LINE_MAX_BYTES - 1 ? length : LINE_MAX_BYTES - 1;
        memcpy(line, at, kept);
        line[kept] = '\0';
        take_line(&log, line);
        at += length + 1;
    }
    if (!log.engine)
        return;
    if (benchmark->n == 0) {
        benchmark->format = log.engine;
        benchmark_add(benchmark_next(benchmark, "inference-sizing"), "engine", log.engine);
    }
    for (size_t i = 0; i < benchmark->n; i++) {
        struct benchmark_run *run = &benchmark->runs[i];
        benchmark_add_number(run, arena, "measured_weights_gib", log.weights_gib);
        benchmark_add_count(run, arena, "measured_kv_cache_tokens", log.cache_tokens);
        benchmark_add_count(run, arena, "measured_tensor_parallel", log.tensor);
        benchmark_add_count(run, arena, "measured_pipeline_parallel", log.pipeline);
    }
}
