/* measured_run.c - /v1/measured-run: the question that a run in a benchmark's file corrects. */
#include "api/routes/resources.h"
#include "base/buf.h"
#include "feed/benchmarks/benchmark.h"

#define TABLE measured_run_in
#define TABLE_FILE "api/catalog/measured_run_in.def"
#include "base/field/table.h"

#define TABLE measured_run_out
#define TABLE_FILE "api/catalog/measured_run_out.def"
#include "base/field/table.h"

enum { QUESTION_MAX = 64 * 1024 };

static const char *question_of(const struct benchmark_run *run, struct arena *arena)
{
    struct buf out;

    buf_init(&out, QUESTION_MAX);
    benchmark_address(run, &out);
    const char *question = arena_text(arena, buf_data(&out));
    buf_free(&out);
    return question;
}

/* The requested run, by default the last, as benchmarks append their results. */
static const struct benchmark_run *choose(struct request_context *context,
                                          const struct benchmark *benchmark, double number,
                                          struct err *err)
{
    if (number > (double)benchmark->n) {
        context_refuse(context, err, "run", "out_of_range", "the file has %zu run%s", benchmark->n,
                       benchmark->n == 1 ? "" : "s");
        return NULL;
    }
    if (isnan(number) && benchmark->n > 1)
        context_warn(context, "several_runs",
                     "The file has %zu runs. This is the last; run=1 is the first.", benchmark->n);
    return &benchmark->runs[isnan(number) ? benchmark->n - 1 : (size_t)number - 1];
}

static bool answer(struct request_context *context, void *input, struct err *err)
{
    const struct measured_run_in *in = input;
    struct measured_run_out *out = arena_alloc(context->arena, sizeof(*out));
    struct benchmark benchmark;
    struct err why = {0};

    if (!benchmark_read(in->file, strlen(in->file), context->arena, &benchmark, &why))
        return context_refuse(context, err, "file", "bad_form", "%s", why.text);
    const struct benchmark_run *run = choose(context, &benchmark, in->run, err);
    if (!run)
        return false;
    if (benchmark.note)
        context_warn(context, "file_note", "%s", benchmark.note);
    if (run->note)
        context_warn(context, "run_note", "%s", run->note);
    *out = (struct measured_run_out){question_of(run, context->arena), benchmark.format,
                                     (double)(run - benchmark.runs + 1), (double)benchmark.n};
    context_values(context, out);
    answer_link(&context->answer, "question", out->question);
    return true;
}

const struct resource measured_run_resource = {
    .name = "measured_run",
    .headline = "question",
    .summary = "The question that a run in the file of a benchmark or a training corrects",
    .in = &measured_run_in_fields,
    .in_size = sizeof(struct measured_run_in),
    .out = &measured_run_out_fields,
    .answer = answer,
};
