/* measurements.c - /v1/measurements and /v1/measurements/{id}: published runs and runs stored by
 * the team, each with our estimate for it. */
#include "api/catalog/measurements.h"
#include "api/routes/resources.h"

#include "answer/svg.h"
#include "api/resource/list.h"
#include "base/text.h"
#include "base/units.h"

#include <math.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#define TABLE measurements_in
#define TABLE_FILE "api/catalog/measurements_in.def"
#include "base/field/table.h"

static const struct field rows_of_measurement[] = {
#define FIELDS_OF struct measurement_row
#include "base/field/rows.h"
#include "api/catalog/measurement_row.def"
#include "base/field/end.h"
};
const struct fields measurement_row_fields = FIELDS_INIT(rows_of_measurement);

#define TABLE measurements_point
#define TABLE_FILE "api/catalog/measurements_point.def"
#include "base/field/table.h"

static double is_inside(const struct measurement *run, const struct evidence_estimate *estimate)
{
    return isnan(estimate->middle)
               ? (double)NAN
               : run->measured >= estimate->low && run->measured <= estimate->high;
}

/* Runs with incomplete sources, and disaggregated ones, are not used in the fit. */
static bool is_fitted(const struct measurement *run)
{
    return !run->measurement_set && !run->completed[0] && strcmp(run->kind, "pools") != 0;
}

static void fill_shape(struct measurement_row *row, const struct measurement *run)
{
    row->sequence_tokens = run->sequence_tokens;
    row->global_batch_sequences = run->global_batch_sequences;
    row->tensor_parallel = run->tensor_parallel;
    row->pipeline_parallel = run->pipeline_parallel;
    row->context_parallel = run->context_parallel;
    row->expert_parallel = run->expert_parallel;
    row->attention_data_parallel = run->attention_data_parallel;
    row->concurrent_requests = run->concurrent_requests;
    row->input_tokens = run->input_tokens;
    row->output_tokens = run->output_tokens;
    row->output_tokens_cv = run->output_tokens_cv;
    row->time_to_first_token_seconds = run->time_to_first_token_seconds;
}

static void fill_source(struct measurement_row *row, const struct measurement *run)
{
    row->published = text_given(run->published);
    row->source = text_given(run->source);
    row->source_url = text_given(run->url);
    row->licence = text_given(run->licence);
    row->completed = text_given(run->completed);
    row->note = text_given(run->note);
    row->measurement_set = run->measurement_set;
    row->created_at = run->created_at;
    row->created_by = run->created_by;
}

static void fill(struct measurement_row *row, const struct measurement *run,
                 const struct evidence_estimate *estimate)
{
    row->id = run->id;
    row->kind = run->kind;
    row->model = text_given(run->model);
    row->gpu = run->gpu;
    row->gpu_count = evidence_gpus(run);
    row->engine = text_given(evidence_software(run));
    row->engine_version = text_given(run->engine_version);
    row->precision = text_given(evidence_precision(run));
    row->quantity = evidence_quantity(run);
    row->quantity_unit = evidence_unit(run);
    row->measured = run->measured;
    row->estimated = estimate->middle;
    row->estimated_low = estimate->low;
    row->estimated_high = estimate->high;
    row->ratio = estimate->middle / run->measured;
    row->inside = is_inside(run, estimate);
    row->fitted = is_fitted(run);
    fill_shape(row, run);
    fill_source(row, run);
    row->measured_memory_gib = run->memory_gib;
    row->measured_memory_kind = text_given(run->memory_kind);
    row->measured_weights_gib = run->weights_gib;
    row->measured_kv_cache_tokens = run->kv_cache_tokens;
    row->estimated_memory_gib = estimate->memory > 0 ? estimate->memory / GIB : (double)NAN;
}

static bool is(const char *wanted, const char *value)
{
    return !wanted || strcasecmp(wanted, value) == 0;
}

static bool wanted(const struct measurements_in *in, const struct measurement *run,
                   const struct evidence_estimate *estimate)
{
    return is(in->kind, run->kind) && is(in->model, run->model) && is(in->gpu, run->gpu) &&
           (!in->measurement_set || strcmp(in->measurement_set, run->measurement_set) == 0) &&
           is(in->engine, evidence_software(run)) && is(in->precision, evidence_precision(run)) &&
           (!in->source || strcasestr(run->source, in->source) ||
            strcasestr(run->url, in->source) || strcasestr(run->source_group, in->source)) &&
           (isnan(in->min_gpu_count) || evidence_gpus(run) >= in->min_gpu_count) &&
           (isnan(in->max_gpu_count) || evidence_gpus(run) <= in->max_gpu_count) &&
           (isnan(in->inside) || in->inside == is_inside(run, estimate));
}

static struct measurements_point point_of(struct request_context *context,
                                          const struct measurement_row *row)
{
    return (struct measurements_point){
        .name = arena_print(context->arena, "%s: measured %.4g %s, estimated %.4g", row->id,
                            row->measured, row->quantity_unit, row->estimated),
        .measured = row->measured,
        .estimated = row->estimated,
    };
}

/* The rows with an estimate, and the ends of the diagonal. */
static const struct table *points_of(struct request_context *context,
                                     const struct measurement_row *rows, size_t n)
{
    struct table *table = arena_alloc(context->arena, sizeof(*table));
    struct measurements_point *points = arena_alloc(context->arena, (n + 2) * sizeof(*points));
    double least = (double)INFINITY, most = 0;
    size_t n_points = 0;

    for (size_t i = 0; i < n; i++)
        if (!isnan(rows[i].estimated)) {
            points[n_points++] = point_of(context, &rows[i]);
            least = fmin(least, rows[i].measured);
            most = fmax(most, rows[i].measured);
        }
    if (n_points) {
        points[n_points++] = (struct measurements_point){"equal", least, least, 1};
        points[n_points++] = (struct measurements_point){"equal", most, most, 1};
    }
    *table = (struct table){.fields = measurements_point_fields,
                            .rows = points,
                            .n = n_points,
                            .stride = sizeof(*points)};
    return table;
}

static void draw(struct request_context *context, const char *set,
                 const struct measurement_row *rows, size_t n)
{
    struct chart *chart = arena_alloc(context->arena, sizeof(*chart));

    *chart = (struct chart){
        .kind = CHART_SCATTER,
        .x_axis = AXIS_LOG,
        .y_axis = AXIS_LOG,
        .table = points_of(context, rows, n),
        .title = arena_join(context->arena, set ? "Runs of measurement_set " : "Published runs",
                            set ? set : "", ": estimated over measured"),
        .description = "Each dot is a run: measured from left to right, estimated from bottom to "
                       "top, in seconds or GPU-hours. On the line both are equal. The same "
                       "figures as a table: this address with .csv.",
        .x_label = "Measured",
        .y_label = "Estimated",
        .x_field = "measured",
        .name_field = "name",
        .mark_field = "equal",
        .n_curves = 1,
        .curves = {{"estimated", "equal"}},
    };
    context->answer.chart = chart;
}

struct measurement_row measurement_row_of(const struct measurement *run,
                                          const struct evidence_estimate *estimate)
{
    struct measurement_row row;

    fields_clear(measurement_row_fields, &row);
    fill(&row, run, estimate);
    return row;
}

/* Run i of the set, or of all published runs; false past the last. */
static bool run_at(const struct evidence *evidence, const char *set, size_t i,
                   const struct measurement **run, struct evidence_estimate *estimate)
{
    if (i >= (set ? evidence->n_own : evidence->n))
        return false;
    *run = set ? evidence->own[i].run : &evidence->runs[i];
    *estimate =
        set ? (struct evidence_estimate){evidence->own[i].estimated, evidence->own[i].low,
                                         evidence->own[i].high, own_run_memory(&evidence->own[i])}
            : evidence->estimates[i];
    return true;
}

/* Refuses misspelt names; a known model without measurements gives an empty list. Replaces an alias
 * of a model by its slug. */
static void check_names(struct request_context *context, struct measurements_in *in,
                        const struct evidence *evidence, struct err *err)
{
    bool has_model = !in->model, has_gpu = !in->gpu;
    const struct model *model = NULL;
    const struct gpu *gpu;

    for (size_t i = 0; i < evidence->n && !(has_model && has_gpu); i++) {
        has_model = has_model || is(in->model, evidence->runs[i].model);
        has_gpu = has_gpu || is(in->gpu, evidence->runs[i].gpu);
    }
    if (!has_model && lookup_model(context, in->model, (double)NAN, &model, err))
        in->model = model->slug;
    if (!has_gpu)
        lookup_gpu(context, "gpu", in->gpu, &gpu, err);
}

static bool answer(struct request_context *context, void *input, struct err *err)
{
    struct measurements_in *in = input;
    const struct evidence *evidence = evidence_of(context->catalog, context->arena);
    size_t *found =
        arena_alloc(context->arena, (evidence->n + evidence->n_own + 1) * sizeof(*found));
    const char *set = in->measurement_set;
    const struct measurement *run;
    struct evidence_estimate estimate;
    struct page page;
    size_t n = 0;

    if (in->min_gpu_count > in->max_gpu_count)
        context_refuse(context, err, "max_gpu_count", "contradiction",
                       "is less than min_gpu_count");
    check_names(context, in, evidence, err);
    if (err->n_culprits || !list_page(context, &page, err))
        return false;
    for (size_t i = 0; run_at(evidence, set, i, &run, &estimate); i++)
        if (wanted(in, run, &estimate))
            found[n++] = i;
    bool whole = page.n == SIZE_MAX;
    size_t first = page.first < n ? page.first : n;
    size_t n_rows = n - first < page.n ? n - first : page.n;
    struct measurement_row *rows = arena_alloc(context->arena, (n_rows + 1) * sizeof(*rows));
    for (size_t i = 0; i < n_rows; i++) {
        if (run_at(evidence, set, found[first + i], &run, &estimate))
            fill(&rows[i], run, &estimate);
    }
    context_table(context, "rows", rows, n_rows, sizeof(*rows));
    draw(context, set, rows, n_rows);
    if (!whole)
        list_set_page(context, n);
    return true;
}

/* A stored or published run by its id. */
static bool answer_one(struct request_context *context, void *input, struct err *err)
{
    const struct evidence *evidence = evidence_of(context->catalog, context->arena);
    struct measurement_row *row = arena_alloc(context->arena, sizeof(*row));
    bool own = strncmp(context->path_name, "own-", 4) == 0;
    const struct measurement *run;
    struct evidence_estimate estimate;

    (void)input;
    for (size_t i = 0; run_at(evidence, own ? "" : NULL, i, &run, &estimate); i++)
        if (strcmp(run->id, context->path_name) == 0) {
            *row = measurement_row_of(run, &estimate);
            context_values(context, row);
            return true;
        }
    return err_set(err, ERR_NOT_FOUND, "there is no run %.60s; /v1/measurements lists them",
                   context->path_name);
}

static const struct fields no_fields = {0};

const struct resource measurement_resource = {
    .name = "measurement",
    .headline = "measured",
    .summary = "One run, published or your own",
    .in = &no_fields,
    .out = &measurement_row_fields,
    .remove = &measurement_delete_resource,
    .answer = answer_one,
};

const struct resource measurements_resource = {
    .name = "measurements",
    .headline = "measured",
    .summary = "Published runs, each with our estimate for it",
    .in = &measurements_in_fields,
    .in_size = sizeof(struct measurements_in),
    .tables = {{"rows", "measurement", &measurement_row_fields, NULL, "One run each"}},
    .answer = answer,
};
