/* training_logs.c - logs of Megatron and torchtitan: the median step after the first ones.
 *
 * Layouts: megatron/training/training.py of NVIDIA/Megatron-LM ("elapsed time per iteration (ms):",
 * and arguments as "seq_length ..... 4096"), and torchtitan/components/metrics.py of
 * pytorch/torchtitan ("step:", "tps:" of one GPU).
 */
#include "feed/benchmarks/benchmark.h"

#include "base/quickselect.h"
#include "base/text.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum { STEPS_MAX = 100000, LINE_MAX_BYTES = 4096 };
static const double MS = 1e-3;
static const char MEGATRON_STEP[] = "elapsed time per iteration (ms):", TORCHTITAN_STEP[] = "tps:";

struct training_log {
    double *steps; /* milliseconds of a step, or tokens per second of a GPU */
    size_t n, bad; /* bad: steps whose figure is no number above 0, or is cut off */
    double batch, sequence, gpus;
    double micro_batch, tensor, pipeline, context, expert;
    bool fp8, started; /* torchtitan said that it did */
};

/* The number behind a label, thousands by commas; NAN where the line has it not. */
static double number_after(const char *line, const char *label)
{
    const char *at = strstr(line, label);
    char digits[32];
    size_t n = 0;
    double value;

    if (!at)
        return (double)NAN;
    for (at += strlen(label); *at == ' '; at++)
        ;
    for (; n + 1 < sizeof(digits) && (isdigit((unsigned char)*at) || strchr(".,eE+-", *at)) && *at;
         at++)
        if (*at != ',')
            digits[n++] = *at;
    digits[n] = '\0';
    return text_number(digits, &value) ? value : (double)NAN;
}

/* Megatron prints its arguments with dots between name and value. */
static void take_argument(const char *line, const char *name, double *to)
{
    const char *at = strstr(line, name);

    if (!at || (at > line && at[-1] != ' '))
        return;
    at += strlen(name);
    if (strncmp(at, " ...", 4) != 0)
        return;
    at += 1 + strspn(at + 1, ".");
    double value = number_after(at, "");
    if (value > 0)
        *to = value;
}

/* "fp8 ..... hybrid", where others have None. */
static bool says_fp8(const char *line)
{
    const char *at = strstr(line, " fp8 ...");

    if (!at)
        return false;
    at += strlen(" fp8 ");
    at += strspn(at, ".");
    return strncmp(at, " hybrid", strlen(" hybrid")) == 0 ||
           strncmp(at, " e4m3", strlen(" e4m3")) == 0;
}

/* The figure of a step stands within a line: one that ends the line may lack digits. */
static void take_step(struct training_log *log, const char *line, const char *label)
{
    const char *at = strstr(line, label);
    double value = number_after(line, label);

    if (!at)
        return;
    at += strlen(label);
    at += strspn(at, " ");
    bool whole = at[strspn(at, "0123456789.,eE+-")] != '\0';
    if (value > 0 && isfinite(value) && whole && log->n < STEPS_MAX)
        log->steps[log->n++] = value;
    else
        log->bad++;
}

static void take_megatron(struct training_log *log, const char *line)
{
    double batch = number_after(line, "global batch size:");

    take_step(log, line, MEGATRON_STEP);
    if (batch > 0)
        log->batch = batch;
    take_argument(line, "seq_length", &log->sequence);
    take_argument(line, "world_size", &log->gpus);
    take_argument(line, "global_batch_size", &log->batch);
    take_argument(line, "micro_batch_size", &log->micro_batch);
    take_argument(line, "tensor_model_parallel_size", &log->tensor);
    take_argument(line, "pipeline_model_parallel_size", &log->pipeline);
    take_argument(line, "context_parallel_size", &log->context);
    take_argument(line, "expert_model_parallel_size", &log->expert);
    log->fp8 = log->fp8 || says_fp8(line);
}

/* GPUs, as the product of what they are divided into: "device mesh with ['dp_shard', 'tp'], [16,
 * 8]", or in releases since "pp=1, dp_replicate=1, dp_shard=16, cp=1, tp=8". */
static double mesh_gpus(const char *line)
{
    static const char *const names[] = {"pp=", "dp_replicate=", "dp_shard=", "cp=", ", tp="};
    const char *at = strstr(line, "device mesh with ["), *sizes = at ? strstr(at, "], [") : NULL;
    double gpus = 1;

    if (sizes) {
        for (at = sizes + strlen("], ["); isdigit((unsigned char)*at);) {
            gpus *= number_after(at, "");
            at += strspn(at, "0123456789");
            at += strspn(at, ", ");
        }
        return gpus;
    }
    if (!strstr(line, "dp_replicate=") || !strstr(line, "dp_shard="))
        return (double)NAN;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        gpus *= number_after(line, names[i]);
    return gpus;
}

static void take_torchtitan(struct training_log *log, const char *line)
{
    if (strstr(line, "step:") && strstr(line, "loss:") && !strstr(line, "validate"))
        take_step(log, line, TORCHTITAN_STEP);
    if (strstr(line, "Training starts at step"))
        log->started = true;
    double gpus = mesh_gpus(line);
    if (gpus > 0)
        log->gpus = gpus;
    double batch = number_after(line, "global batch size "),
           sequence = number_after(line, "sequence length ");
    if (strstr(line, "local batch size ") && batch > 0 && sequence > 0) {
        log->batch = batch;
        log->sequence = sequence;
    }
}

/* The line as text, without the colours of a terminal. */
static void copy_line(char *to, const char *from, size_t n)
{
    size_t length = 0;

    for (size_t i = 0; i < n && length + 1 < LINE_MAX_BYTES; i++) {
        if (from[i] == '\033') {
            while (i < n && from[i] != 'm')
                i++;
            continue;
        }
        to[length++] = from[i] ? from[i] : ' ';
    }
    to[length] = '\0';
}

static void read_lines(struct training_log *log, const char *bytes, size_t n,
                       void (*take)(struct training_log *, const char *))
{
    char line[LINE_MAX_BYTES];

    for (const char *at = bytes, *end = bytes + n; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((newline ? newline : end) - at);
        copy_line(line, at, length);
        take(log, line);
        at += length + 1;
    }
}

/* The first fifth, at least one where there are several, is warming up. */
static double median(const struct training_log *log)
{
    size_t skipped = log->n > 1 ? (log->n + 4) / 5 : 0, kept = log->n - skipped;

    return quickselect(log->steps + skipped, kept, kept / 2);
}

/* What the log lacks, or what was left out of it. */
static const char *note_of(const struct training_log *log, bool megatron, struct arena *arena)
{
    const char *lacks = !megatron                                  ? NULL
                        : isnan(log->gpus) && isnan(log->sequence) ? "world_size and seq_length"
                        : isnan(log->gpus)                         ? "world_size"
                        : isnan(log->sequence)                     ? "seq_length"
                                                                   : NULL;
    const char *bad = log->bad == 0 ? ""
                                    : arena_print(arena,
                                                  "%zu of %zu steps have no time above "
                                                  "0 and were left out; ",
                                                  log->bad, log->bad + log->n);
    const char *few = log->n > 1 ? "" : "only one step, and the first ones are slow; ";
    const char *missing =
        lacks ? arena_print(arena, "no %s, taken from the question unless given; ", lacks) : "";
    const char *note = arena_print(arena, "%s%s%s", bad, few, missing);
    size_t n = strlen(note);

    return n > 2 ? arena_part(arena, note, n - 2) : NULL;
}

/* False with *err if it is a log of one of the two without any time of a step. */
static bool check_steps(const struct training_log *log, bool megatron, struct err *err)
{
    bool arguments = !isnan(log->sequence) || !isnan(log->gpus);

    if (log->n > 0)
        return true;
    if (log->bad > 0)
        return err_set(err, ERR_INVALID, "none of its %zu steps has a number above 0 after '%s'",
                       log->bad, megatron ? MEGATRON_STEP : TORCHTITAN_STEP);
    if (arguments || log->started)
        return err_set(err, ERR_INVALID, "a log of %s without a step: no line has '%s'",
                       arguments ? "Megatron" : "torchtitan",
                       arguments ? MEGATRON_STEP : TORCHTITAN_STEP);
    return false;
}

static void add_log(struct benchmark *benchmark, struct training_log *log, bool megatron,
                    struct arena *arena)
{
    struct benchmark_run *run = benchmark_next(benchmark, "training-plan");

    benchmark->format = megatron ? "megatron" : "torchtitan";
    benchmark->note = note_of(log, megatron, arena);
    benchmark_add(run, "stack", megatron ? "megatron" : "fsdp");
    benchmark_add_count(run, arena, "measured_gpu_count", log->gpus);
    benchmark_add_count(run, arena, "measured_global_batch_sequences", log->batch);
    benchmark_add_count(run, arena, "measured_sequence_tokens", log->sequence);
    benchmark_add_count(run, arena, "measured_micro_batch_sequences", log->micro_batch);
    benchmark_add_count(run, arena, "measured_tensor_parallel", log->tensor);
    benchmark_add_count(run, arena, "measured_pipeline_parallel", log->pipeline);
    benchmark_add_count(run, arena, "measured_context_parallel", log->context);
    benchmark_add_count(run, arena, "measured_expert_parallel", log->expert);
    benchmark_add(run, "precision", log->fp8 ? "fp8" : NULL);
    if (megatron)
        benchmark_add_number(run, arena, "measured_step_seconds", MS * median(log));
    else
        benchmark_add_number(run, arena, "measured_tokens_per_second_per_gpu", median(log));
}

bool benchmark_read_training_log(const char *bytes, size_t n, struct arena *arena,
                                 struct benchmark *benchmark, struct err *err)
{
    double none = (double)NAN;
    struct training_log log = {.steps = arena_alloc(arena, STEPS_MAX * sizeof(double)),
                               .batch = none,
                               .sequence = none,
                               .gpus = none,
                               .micro_batch = none,
                               .tensor = none,
                               .pipeline = none,
                               .context = none,
                               .expert = none};

    read_lines(&log, bytes, n, take_megatron);
    bool megatron = log.n + log.bad > 0;
    if (!megatron)
        read_lines(&log, bytes, n, take_torchtitan);
    if (!check_steps(&log, megatron, err))
        return false;
    add_log(benchmark, &log, megatron, arena);
    return true;
}
