/* training_logs.c - logs of Megatron, torchtitan, DeepSpeed and nanotron: the median step after the
 * first ones, and the most memory that any line gives.
 *
 * Layouts: megatron/training/training.py of NVIDIA/Megatron-LM ("elapsed time per iteration (ms):",
 * and arguments as "seq_length ..... 4096"), torchtitan/components/metrics.py of
 * pytorch/torchtitan ("step:", "tps:" of one GPU), deepspeed/utils/timer.py of
 * deepspeedai/DeepSpeed ("CurrSamplesPerSec=", and its configuration as arguments), and
 * src/nanotron/logging of huggingface/nanotron ("elapsed_time_per_iteration_ms: 1.27K").
 */
#include "feed/benchmarks/benchmark.h"

#include "base/sort.h"
#include "base/text.h"
#include "base/units.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum { STEPS_MAX = 100000, LINE_MAX_BYTES = 4096 };
static const double MS = 1e-3;

struct training_log {
    double *steps; /* as the source prints them */
    size_t n, bad; /* bad: steps whose figure is truncated or not a number above 0 */
    double batch, sequence, gpus;
    double micro_batch, tensor, pipeline, context, expert, zero_stage;
    double allocated, reserved; /* bytes, the most of all lines; NAN: none says it */
    bool fp8, started;          /* started: torchtitan printed its start message */
};

/* A program that writes logs: its name as a format and as a stack, the label of a step's figure,
 * and the function that reads a line. */
struct log_source {
    const char *name, *stack, *step;
    void (*take)(struct training_log *, const char *line);
};
enum { MEGATRON, TORCHTITAN, DEEPSPEED, NANOTRON, LOG_SOURCES };
static const struct log_source sources[LOG_SOURCES];

/* The number after a label, possibly with thousands separators; NAN if the line has none. */
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

/* Matches "fp8 ..... hybrid"; without fp8 the value is None. */
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

/* A step's figure must not end the line, where it could be truncated. */
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

    take_step(log, line, sources[MEGATRON].step);
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

/* The number of GPUs as the product of the mesh dimensions: "device mesh with ['dp_shard', 'tp'],
 * [16, 8]", or in later releases "pp=1, dp_replicate=1, dp_shard=16, cp=1, tp=8". */
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
        take_step(log, line, sources[TORCHTITAN].step);
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

/* A step's figure is in samples of all GPUs per second; the batch is among the arguments of the
 * configuration. */
static void take_deepspeed(struct training_log *log, const char *line)
{
    take_step(log, line, sources[DEEPSPEED].step);
    take_argument(line, "train_batch_size", &log->batch);
    take_argument(line, "world_size", &log->gpus);
    take_argument(line, "zero_optimization_stage", &log->zero_stage);
}

/* A step of 1,000 ms or more is printed as "1.27K". */
static void take_nanotron(struct training_log *log, const char *line)
{
    const char *label = sources[NANOTRON].step, *at = strstr(line, label);
    double batch = number_after(line, "global_batch_size:"),
           sequence = number_after(line, "sequence_length:"), micro = number_after(line, "mbs:");
    size_t n = log->n;

    take_step(log, line, label);
    if (at && log->n > n) {
        at += strlen(label);
        at += strspn(at, " 0123456789.");
        log->steps[n] *= *at == 'K' ? 1e3 : *at == 'M' ? 1e6 : 1;
    }
    if (batch > 0)
        log->batch = batch;
    if (sequence > 0)
        log->sequence = sequence;
    if (micro > 0)
        log->micro_batch = micro;
}

static const struct log_source sources[LOG_SOURCES] = {
    [MEGATRON] = {"megatron", "megatron", "elapsed time per iteration (ms):", take_megatron},
    [TORCHTITAN] = {"torchtitan", "fsdp", "tps:", take_torchtitan},
    [DEEPSPEED] = {"deepspeed", "deepspeed", "CurrSamplesPerSec=", take_deepspeed},
    [NANOTRON] = {"nanotron", NULL, "elapsed_time_per_iteration_ms:", take_nanotron},
};

/* Figures of Megatron's report_memory(), of Megatron-Bridge in decimal units, of DeepSpeed's timer
 * and see_memory_usage(), whose GB are GiB, of nanotron, and of torchtitan, which has only one. */
static void take_memory(struct training_log *log, const char *line)
{
    const struct {
        const char *label;
        double unit;
        double *to;
        const char *follows;
    } figures[] = {
        {"| max allocated:", MIB, &log->allocated, ""},
        {"| max reserved:", MIB, &log->reserved, ""},
        {"mem-max-allocated-bytes:", 1, &log->allocated, ""},
        {"mem-max-reserved-bytes:", 1, &log->reserved, ""},
        {"mem-max-allocated-gigabytes:", GIGA, &log->allocated, ""},
        {"mem-max-reserved-gigabytes:", GIGA, &log->reserved, ""},
        {"MaxMemAllocated=", GIB, &log->allocated, "GB"},
        {"Max_MA", GIB, &log->allocated, " GB"},
        {"Max_CA", GIB, &log->reserved, " GB"},
        {"Peak allocated", MIB, &log->allocated, "MiB"},
        {"Peak allocated:", MIB, &log->allocated, "MiB"},
        {"Peak reserved:", MIB, &log->reserved, "MiB"},
        {" memory:", GIB, &log->reserved, "GiB("},
    };

    for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
        const char *label = figures[i].label, *at = strstr(line, label);
        double value = number_after(line, label);
        if (!(value > 0) || !isfinite(value))
            continue;
        at += strlen(label);
        at += strspn(at, " ");
        at += strspn(at, "0123456789.,");
        if (strncmp(at, figures[i].follows, strlen(figures[i].follows)) == 0 && *at)
            *figures[i].to = fmax(*figures[i].to, value * figures[i].unit);
    }
}

/* Copy the line without terminal colours. */
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
                       const struct log_source *source)
{
    char line[LINE_MAX_BYTES];

    for (const char *at = bytes, *end = bytes + n; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((newline ? newline : end) - at);
        copy_line(line, at, length);
        source->take(log, line);
        take_memory(log, line);
        at += length + 1;
    }
}

/* Skips the first fifth as warm-up, at least one step if there are several. */
static double median(const struct training_log *log)
{
    size_t skipped = log->n > 1 ? (log->n + 4) / 5 : 0, kept = log->n - skipped;

    return sort_select(log->steps + skipped, kept, kept / 2);
}

/* What the log lacks, and which steps were left out; NULL if nothing. */
static const char *note_of(const struct training_log *log, const struct log_source *source,
                           struct arena *arena)
{
    const char *lacks = source == &sources[TORCHTITAN]             ? NULL
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

/* True if the log has a time of a step. Otherwise false: with *err if it is recognised as a log of
 * one of the programs, without if it is not. */
static bool check_steps(const struct training_log *log, const struct log_source *source,
                        struct err *err)
{
    bool arguments = !isnan(log->sequence) || !isnan(log->gpus);

    if (log->n > 0 && source == &sources[DEEPSPEED] && isnan(log->batch))
        return err_set(err, ERR_INVALID,
                       "a log of DeepSpeed gives samples per second, but has no train_batch_size, "
                       "which its configuration prints when it starts");
    if (log->n > 0)
        return true;
    if (log->bad > 0)
        return err_set(err, ERR_INVALID, "none of its %zu steps has a number above 0 after '%s'",
                       log->bad, source->step);
    if (arguments || log->started) {
        source = &sources[arguments ? MEGATRON : TORCHTITAN];
        return err_set(err, ERR_INVALID, "a log of %s without a step: no line has '%s'",
                       arguments ? "Megatron" : "torchtitan", source->step);
    }
    return false;
}

static void add_memory(struct benchmark_run *run, const struct training_log *log,
                       struct arena *arena)
{
    bool allocated = !isnan(log->allocated);

    if (!allocated && isnan(log->reserved))
        return;
    benchmark_add_number(run, arena, "measured_memory_gib",
                         (allocated ? log->allocated : log->reserved) / GIB);
    benchmark_add(run, "measured_memory_kind", allocated ? "allocated" : "reserved");
}

static void add_log(struct benchmark *benchmark, struct training_log *log,
                    const struct log_source *source, struct arena *arena)
{
    struct benchmark_run *run = benchmark_next(benchmark, "training-plan");

    benchmark->format = source->name;
    benchmark->note = note_of(log, source, arena);
    benchmark_add(run, "stack", source->stack);
    benchmark_add_count(run, arena, "measured_gpu_count", log->gpus);
    benchmark_add_count(run, arena, "measured_global_batch_sequences", log->batch);
    benchmark_add_count(run, arena, "measured_sequence_tokens", log->sequence);
    benchmark_add_count(run, arena, "measured_micro_batch_sequences", log->micro_batch);
    benchmark_add_count(run, arena, "measured_tensor_parallel", log->tensor);
    benchmark_add_count(run, arena, "measured_pipeline_parallel", log->pipeline);
    benchmark_add_count(run, arena, "measured_context_parallel", log->context);
    benchmark_add_count(run, arena, "measured_expert_parallel", log->expert);
    benchmark_add_count(run, arena, "measured_zero_stage", log->zero_stage);
    benchmark_add(run, "precision", log->fp8 ? "fp8" : NULL);
    if (source == &sources[TORCHTITAN])
        benchmark_add_number(run, arena, "measured_tokens_per_second_per_gpu", median(log));
    else
        benchmark_add_number(run, arena, "measured_step_seconds",
                             source == &sources[DEEPSPEED] ? log->batch / median(log)
                                                           : MS * median(log));
    add_memory(run, log, arena);
}

static struct training_log empty(double *steps)
{
    double none = (double)NAN;

    return (struct training_log){.steps = steps,
                                 .batch = none,
                                 .sequence = none,
                                 .gpus = none,
                                 .micro_batch = none,
                                 .tensor = none,
                                 .pipeline = none,
                                 .context = none,
                                 .expert = none,
                                 .zero_stage = none,
                                 .allocated = none,
                                 .reserved = none};
}

bool benchmark_read_training_log(const char *bytes, size_t n, struct arena *arena,
                                 struct benchmark *benchmark, struct err *err)
{
    double *steps = arena_alloc(arena, STEPS_MAX * sizeof(*steps));
    struct training_log stepless = empty(steps); /* the log's settings, for the error */

    for (const struct log_source *source = sources; source < sources + LOG_SOURCES; source++) {
        struct training_log log = empty(steps);
        read_lines(&log, bytes, n, source);
        if (log.n + log.bad > 0) {
            if (!check_steps(&log, source, err))
                return false;
            add_log(benchmark, &log, source, arena);
            return true;
        }
        if (source == &sources[MEGATRON] || log.started)
            stepless = log;
    }
    return check_steps(&stepless, sources, err);
}
