/* measurements_write.c - POST /v1/measurements stores a run that the team measured, DELETE
 * /v1/measurements/{id} removes it. */
#include "api/catalog/measurements.h"

#include "api/catalog/own_engine.h"
#include "api/routes/resources.h"
#include "base/log.h"
#include "base/number.h"
#include "base/text.h"
#include "base/units.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#define TABLE measurement_write_in
#define TABLE_FILE "api/catalog/measurement_write_in.def"
#include "base/field/table.h"

enum { SET_MAX = 63 };

static const char STEP[] = "measured_step_seconds", RATE[] = "measured_tokens_per_second_per_gpu",
                  TOKEN[] = "measured_time_per_output_token_seconds";

static bool is_training(const struct measurement_write_in *in)
{
    return isnan(in->measured_time_per_output_token_seconds);
}

static void check_texts(struct request_context *context, const struct measurement_write_in *in,
                        struct err *err)
{
    size_t n = strlen(in->measurement_set);
    bool good = n > 0 && n <= SET_MAX && isalnum((unsigned char)in->measurement_set[0]) &&
                isalnum((unsigned char)in->measurement_set[n - 1]) &&
                strspn(in->measurement_set, "abcdefghijklmnopqrstuvwxyz0123456789-") == n &&
                !strstr(in->measurement_set, "--");

    if (!good)
        context_refuse(context, err, "measurement_set", "bad_form",
                       "must be lower-case letters and digits with single hyphens, at most %d",
                       SET_MAX);
    if (in->note && !text_is_utf8(in->note))
        context_refuse(context, err, "note", "bad_form", "must be UTF-8");
    for (const char *p = in->note ? in->note : ""; *p; p++)
        if (iscntrl((unsigned char)*p)) {
            context_refuse(context, err, "note", "bad_form", "must be one line of plain text");
            return;
        }
}

/* Refuse inputs missing for this kind of run, and inputs of the other kind. */
static void check_kind(struct request_context *context, const struct measurement_write_in *in,
                       struct err *err)
{
    static const char *const training[] = {"gpu_count", "sequence_tokens",
                                           "global_batch_sequences"};
    static const char *const service[] = {"weight_dtype", "concurrent_requests", "input_tokens",
                                          "output_tokens"};
    static const char *const of_engines[] = {"measured_time_to_first_token_seconds",
                                             "measured_weights_gib", "measured_kv_cache_tokens"};
    bool trains = is_training(in);
    const char *const *needed = trains ? training : service;
    size_t n_needed =
        trains ? sizeof(training) / sizeof(training[0]) : sizeof(service) / sizeof(service[0]);

    if (trains && !context_given(context, STEP) && !context_given(context, RATE)) {
        context_refuse(context, err, STEP, "missing_parameter",
                       "is required, or %s or %s: the measured value", RATE, TOKEN);
        return;
    }
    for (size_t i = 0; i < n_needed; i++)
        if (!context_given(context, needed[i]))
            context_refuse(context, err, needed[i], "missing_parameter", "is required for %s",
                           trains ? "training" : "inference");
    for (size_t i = 0; i < sizeof(of_engines) / sizeof(of_engines[0]); i++)
        if (trains && context_given(context, of_engines[i]))
            context_refuse(context, err, of_engines[i], "contradiction",
                           "is measured only in inference: enter %s too", TOKEN);
}

static const char *text_or_empty(const char *text)
{
    return text ? text : "";
}

static struct measurement blank(void)
{
    return (struct measurement){
#define MEASUREMENT_TEXT(name) .name = "",
#define MEASUREMENT_NUMBER(name) .name = (double)NAN,
#include "catalog/measurement.def"
#undef MEASUREMENT_TEXT
#undef MEASUREMENT_NUMBER
        .url = "",
        .published = "",
        .licence = "",
    };
}

static void read_training(const struct measurement_write_in *in, struct measurement *run)
{
    double tokens = in->global_batch_sequences * in->sequence_tokens;

    run->kind = "training";
    run->measured = isnan(in->measured_step_seconds)
                        ? tokens / (in->measured_tokens_per_second_per_gpu * in->gpu_count)
                        : in->measured_step_seconds;
    run->gpu_count = in->gpu_count;
    run->sequence_tokens = in->sequence_tokens;
    run->global_batch_sequences = in->global_batch_sequences;
    run->micro_batch_sequences = in->micro_batch_sequences;
    run->tensor_parallel = in->tensor_parallel;
    run->pipeline_parallel = in->pipeline_parallel;
    run->context_parallel = in->context_parallel;
    run->expert_parallel = in->expert_parallel;
    run->method = in->method;
    run->precision = in->precision;
    run->stack = in->stack;
    run->recompute = text_or_empty(in->recompute);
    run->zero_stage = in->zero_stage;
}

static void read_service(const struct measurement_write_in *in, struct measurement *run)
{
    run->kind = "served";
    run->measured = in->measured_time_per_output_token_seconds;
    run->time_to_first_token_seconds = in->measured_time_to_first_token_seconds;
    run->tensor_parallel = isnan(in->tensor_parallel) ? 1 : in->tensor_parallel;
    run->pipeline_parallel = isnan(in->pipeline_parallel) ? 1 : in->pipeline_parallel;
    run->attention_data_parallel = fmin(in->attention_data_parallel, run->tensor_parallel);
    run->engine = in->engine;
    run->weight_dtype = in->weight_dtype;
    run->kv_cache_dtype = in->kv_cache_dtype;
    run->concurrent_requests = in->concurrent_requests;
    run->input_tokens = in->input_tokens;
    run->output_tokens = in->output_tokens;
    run->weights_gib = in->measured_weights_gib;
    run->kv_cache_tokens = in->measured_kv_cache_tokens;
}

static bool read_run(struct request_context *context, const struct measurement_write_in *in,
                     struct measurement *run, struct err *err)
{
    const struct gpu *gpu = NULL;
    const struct model *model = NULL;

    check_texts(context, in, err);
    context_at_most_one(context,
                        "measured_step_seconds measured_tokens_per_second_per_gpu "
                        "measured_time_per_output_token_seconds",
                        err);
    check_kind(context, in, err);
    lookup_gpu(context, "gpu", in->gpu, &gpu, err);
    lookup_model(context, in->model, (double)NAN, &model, err);
    if (err->n_culprits)
        return false;
    *run = blank();
    run->measurement_set = in->measurement_set;
    run->gpu = gpu->slug;
    run->model = model->slug;
    run->note = text_or_empty(in->note);
    run->created_by = context->writer;
    run->memory_gib = in->measured_memory_gib;
    run->memory_kind = isnan(in->measured_memory_gib) ? "" : in->measured_memory_kind;
    if (is_training(in))
        read_training(in, run);
    else
        read_service(in, run);
    return true;
}

/* ---- physical bounds */

static bool check_memory(struct request_context *context, const struct evidence_own *judged,
                         double gpus, const char *holds, struct err *err)
{
    const struct measurement *run = judged->run;

    return isnan(run->memory_gib) ||
           own_runs_check_memory(context,
                                 &(struct own_memory){"measured_memory_gib", run->memory_gib,
                                                      judged->least_bytes, judged->capacity_bytes,
                                                      holds, run->gpu, gpus},
                                 err);
}

static bool check_training(struct request_context *context, const struct measurement_write_in *in,
                           const struct evidence_own *judged, struct err *err)
{
    bool rate = isnan(in->measured_step_seconds);
    double unit = rate ? in->global_batch_sequences * in->sequence_tokens / in->gpu_count : 1;

    if (isnan(judged->estimated))
        return context_refuse(
            context, err, "gpu_count", "contradiction",
            "no strategy divides this batch over these GPUs with the degrees given");
    if (!check_memory(context, judged, in->gpu_count, own_runs_training_holds, err))
        return false;
    return own_runs_check(
        context,
        &(struct own_figure){
            .name = rate ? RATE : STEP,
            .given = rate ? in->measured_tokens_per_second_per_gpu : in->measured_step_seconds,
            .measured = judged->run->measured / unit,
            .estimated = judged->estimated / unit,
            .least = judged->least / unit,
            .unit = rate ? "tokens/s" : "s",
            .rate = rate,
            .because = arena_print(context->arena, "at 100%% of the peak of %.0f x %s",
                                   in->gpu_count, judged->run->gpu),
            .gpus = rate ? in->gpu_count : 0,
        },
        err);
}

/* What its engine logged. */
static bool check_engine(struct request_context *context, const struct evidence_own *judged,
                         struct err *err)
{
    const struct measurement *run = judged->run;
    struct inference_constants constants;
    struct inference_run read;
    struct inference inference;

    if (isnan(run->weights_gib) && isnan(run->kv_cache_tokens))
        return true;
    if (!inference_constants_load(context->catalog, &constants, err))
        return false;
    struct own_run_basis basis = {NULL, &constants, catalog_default(context->catalog, "pool", "")};
    if (!own_run_inference(context->catalog, &basis, run, &read, &inference) ||
        (!isnan(run->weights_gib) &&
         !own_engine_check_weights(context, run->weights_gib, &inference, err)))
        return false;
    read.job.seen.weights = number_or(judged->seen.weights, 0);
    inference = inference_of(&constants, &read.job);
    return isnan(run->kv_cache_tokens) ||
           own_engine_check_tokens(context, run->kv_cache_tokens, &inference, err);
}

static bool check_service(struct request_context *context, const struct evidence_own *judged,
                          struct err *err)
{
    static const char because[] = "at the memory bandwidth and peak of the data sheet, without "
                                  "speculative decoding or a prefix cache,";
    const struct measurement *run = judged->run;
    struct own_figure each = {TOKEN,
                              run->measured,
                              run->measured,
                              judged->estimated,
                              judged->least,
                              "s",
                              false,
                              because,
                              0,
                              0};
    double opening = run->time_to_first_token_seconds;
    struct own_figure first = {"measured_time_to_first_token_seconds",
                               opening,
                               opening,
                               judged->first_estimated,
                               judged->first_least,
                               "s",
                               false,
                               because,
                               0,
                               0};

    if (isnan(judged->estimated))
        return context_refuse(context, err, "model", "unknown_figure",
                              "the catalogue lacks a figure that this estimate needs");
    if (judged->least_bytes > judged->capacity_bytes)
        return context_refuse(
            context, err, "tensor_parallel", "below_physics",
            "cannot have run: the share of the weights on each of %.0f GPUs is %.4g GiB, "
            "and %s has %.4g GiB",
            run->tensor_parallel * run->pipeline_parallel, judged->least_bytes / GIB, run->gpu,
            judged->capacity_bytes / GIB);
    return check_memory(context, judged, run->tensor_parallel * run->pipeline_parallel,
                        "the weights", err) &&
           check_engine(context, judged, err) && own_runs_check(context, &each, err) &&
           (isnan(opening) || own_runs_check(context, &first, err));
}

/* ---- writing */

static bool write_order(struct request_context *context, const struct measurement_order *order,
                        struct measurement_written *written, struct err *err)
{
    if (!context->measurements->write(context->measurements->context, order, written, err)) {
        if (err->code == ERR_DATABASE)
            log_text(LOG_WARN, "a run was not saved", "why", err->text);
        return false;
    }
    log_write(LOG_INFO, "measurement", "id=%s %s_by=%s", written->id,
              !order->run         ? "deleted"
              : written->repeated ? "repeated"
                                  : "created",
              context->writer);
    return true;
}

static bool answer_create(struct request_context *context, void *input, struct err *err)
{
    const struct measurement_write_in *in = input;
    struct measurement *run = arena_alloc(context->arena, sizeof(*run));
    struct measurement_written *written = arena_alloc(context->arena, sizeof(*written));
    struct measurement_row *row = arena_alloc(context->arena, sizeof(*row));
    struct evidence_own judged;

    if (!read_run(context, in, run, err) || !own_run_judge(context->catalog, run, &judged, err) ||
        !(is_training(in) ? check_training(context, in, &judged, err)
                          : check_service(context, &judged, err)))
        return false;
    if (!write_order(context, &(struct measurement_order){run, NULL, context->writer}, written,
                     err))
        return false;
    run->id = written->id;
    run->created_at = written->created_at;
    *row =
        measurement_row_of(run, &(struct evidence_estimate){judged.estimated, judged.low,
                                                            judged.high, own_run_memory(&judged)});
    context_values(context, row);
    context->status = written->repeated ? 200 : 201;
    context->location = arena_print(context->arena, "/v1/measurements/%s", written->id);
    answer_link(&context->answer, "self", context->location);
    return true;
}

static bool answer_delete(struct request_context *context, void *input, struct err *err)
{
    struct measurement_order order = {.id = context->path_name, .who = context->writer};
    struct measurement_written written;

    (void)input;
    context->status = 204;
    return write_order(context, &order, &written, err);
}

static const struct fields no_fields = {0};

const struct resource measurement_create_resource = {
    .name = "measurement",
    .headline = "id",
    .summary = "Store a run that you measured; it corrects the estimates of requests that name its "
               "measurement_set",
    .in = &measurement_write_in_fields,
    .in_size = sizeof(struct measurement_write_in),
    .out = &measurement_row_fields,
    .body_hint =
        "To store what a benchmark or a training wrote (vLLM, SGLang, trtllm-bench, aiperf, "
        "GuideLLM, llama-bench, MLPerf, Megatron, torchtitan, DeepSpeed, nanotron), run: gpuplan "
        "measure --store SET --token-file FILE RESULT gpu=...",
    .writes = true,
    .scope = AUTHORIZATION_MEASUREMENTS,
    .answer = answer_create,
};

const struct resource measurement_delete_resource = {
    .name = "measurement_delete",
    .headline = "id",
    .summary = "Delete a run that the same token stored",
    .in = &no_fields,
    .writes = true,
    .scope = AUTHORIZATION_MEASUREMENTS,
    .answer = answer_delete,
};
