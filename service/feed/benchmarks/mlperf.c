/* mlperf.c - MLPerf's :::MLLOG lines: loadgen's server results, and blocks of a training.
 *
 * Layouts: loadgen/results.cc of mlcommons/inference, and the logging package of mlcommons/logging.
 */
#include "feed/benchmarks/benchmark.h"

#include "base/sort.h"
#include "base/text.h"
#include "feed/json_rows.h"

#include <math.h>
#include <string.h>

enum { BLOCKS_MAX = 4096 };
static const double MS = 1e-3, NS = 1e-9;
static const char MARK[] = ":::MLLOG ";

static const char *const columns[] = {"key", "value", "time_ms", "metadata__samples_count", NULL};
enum column { KEY, VALUE, TIME_MS, SAMPLES };

struct mlperf {
    double token_ns, first_ns, mean_ns, samples_per_second, tokens_per_second, offline;
    double batch, sequence;
    double started, samples; /* of the current block; NAN if none */
    double blocks[BLOCKS_MAX];
    size_t n_blocks;
};

/* A block is timed from its start to its stop, without evaluations. */
static void take_block(struct mlperf *found, const struct csv *row)
{
    double at = csv_number(row, TIME_MS), samples = csv_number(row, SAMPLES);

    if (strcmp(row->at[KEY], "block_start") == 0) {
        found->started = at;
        found->samples = samples;
    } else if (strcmp(row->at[KEY], "block_stop") == 0) {
        double each = MS * (at - found->started) / (samples - found->samples);
        if (isfinite(each) && each > 0 && samples > found->samples && found->n_blocks < BLOCKS_MAX)
            found->blocks[found->n_blocks++] = each;
        found->started = (double)NAN;
    }
}

static void take(struct mlperf *found, const struct csv *row)
{
    const struct {
        const char *key;
        double *to;
    } figures[] = {
        {"result_time_to_output_token_mean", &found->token_ns},
        {"result_first_token_mean_latency_ns", &found->first_ns},
        {"result_mean_latency_ns", &found->mean_ns},
        {"result_completed_samples_per_sec", &found->samples_per_second},
        {"result_completed_tokens_per_second", &found->tokens_per_second},
        {"result_tokens_per_second", &found->offline},
        {"global_batch_size", &found->batch},
        {"max_sequence_length", &found->sequence},
    };

    for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
        if (strcmp(row->at[KEY], figures[i].key) == 0)
            *figures[i].to = csv_number(row, VALUE);
    take_block(found, row);
}

static bool add_server(const struct mlperf *found, struct arena *arena, struct benchmark *benchmark)
{
    struct benchmark_run *run = benchmark_next(benchmark, "inference-sizing");

    benchmark->format = "mlperf inference";
    benchmark_add_count(run, arena, "measured_concurrent_requests",
                        NS * found->mean_ns * found->samples_per_second); /* Little's law */
    benchmark_add_count(run, arena, "measured_output_tokens",
                        found->tokens_per_second / found->samples_per_second);
    benchmark_add_number(run, arena, "measured_time_to_first_token_seconds", NS * found->first_ns);
    benchmark_add_number(run, arena, "measured_time_per_output_token_seconds",
                         NS * found->token_ns);
    return true;
}

static bool add_training(struct mlperf *found, struct arena *arena, struct benchmark *benchmark,
                         struct err *err)
{
    double middle = sort_select(found->blocks, found->n_blocks, found->n_blocks / 2);
    struct benchmark_run *run = benchmark_next(benchmark, "training-plan");

    benchmark->format = "mlperf training";
    if (!(found->batch > 0))
        return err_set(err, ERR_INVALID, "no global_batch_size is in it");
    benchmark_add_number(run, arena, "measured_step_seconds", middle * found->batch);
    benchmark_add_count(run, arena, "measured_global_batch_sequences", found->batch);
    benchmark_add_count(run, arena, "measured_sequence_tokens", found->sequence);
    return true;
}

bool benchmark_read_mlperf(const char *bytes, size_t n, struct arena *arena,
                           struct benchmark *benchmark, struct err *err)
{
    struct mlperf *found = arena_alloc(arena, sizeof(*found));
    struct csv *row = arena_alloc(arena, sizeof(*row));
    bool any = false;
    double none = (double)NAN;

    *found = (struct mlperf){none, none, none, none, none, none, none, none, none, none, {0}, 0};
    for (const char *at = bytes, *end = bytes + n; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((newline ? newline : end) - at);
        const char *mark = memmem(at, length, MARK, strlen(MARK));
        if (mark) {
            const char *json = mark + strlen(MARK);
            struct arena scratch = {0};
            struct json_rows *rows =
                json_rows_open(json, (size_t)(at + length - json), "", columns, &scratch);
            any = true;
            if (json_rows_next(rows, row))
                take(found, row);
            arena_free(&scratch);
        }
        at += length + 1;
    }
    if (!any)
        return false;
    if (found->n_blocks > 0)
        return add_training(found, arena, benchmark, err);
    if (found->token_ns > 0)
        return add_server(found, arena, benchmark);
    return err_set(err, ERR_INVALID,
                   found->offline > 0
                       ? "it is of the offline scenario: how many requests were in flight is not "
                         "in it; give measured_output_tokens_per_second of a replica, and "
                         "measured_concurrent_requests, yourself"
                       : "neither blocks of a training nor times per token are in it");
}
