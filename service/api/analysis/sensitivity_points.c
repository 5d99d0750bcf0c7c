/* sensitivity_points.c - answers the question at each value of an input, or at each pair of values
 * of two. */
#include "api/analysis/sensitivity_axis.h"
#include "api/analysis/sensitivity_chart.h"
#include "api/analysis/sensitivity_run.h"

#include <string.h>

/* Number of complete answers held in memory at a time, until their rows are made. */
enum { CHUNK = 64 };

struct piece {
    struct arena arena;
    struct request_context *answered; /* NULL if refused */
    struct err err;
};

/* The rows being made. */
struct rows {
    struct sensitivity_run *run;
    struct fields fields;
    size_t size, n;
    const char *figure; /* the figure in column `figure`; NULL if there is none */
    char *at;
    size_t first;
    struct piece *pieces;
    bool answered;      /* at least one has an answer */
    struct err refusal; /* error of the first row */
};

/* The settings of row i; the second input varies fastest. */
static size_t settings_of(const struct sensitivity_run *run, size_t i, struct setting settings[])
{
    for (size_t a = run->n_axes; a-- > 0;) {
        const struct sensitivity_axis *axis = &run->axes[a];
        settings[a] =
            (struct setting){axis->input->name, sensitivity_axis_value(axis, i % axis->n)};
        i /= axis->n;
    }
    return run->n_axes;
}

static void answer_piece(void *context, size_t i)
{
    struct rows *rows = context;
    struct piece *piece = &rows->pieces[i];
    struct setting settings[AXES_MAX] = {{0}};
    size_t n = settings_of(rows->run, rows->first + i, settings);

    piece->answered = sensitivity_run_again(rows->run, settings, n, &piece->arena, &piece->err);
}

static void fill_row(struct rows *rows, size_t i)
{
    struct sensitivity_run *run = rows->run;
    struct piece *piece = &rows->pieces[i];
    void *row = rows->at + (rows->first + i) * rows->size;
    struct setting settings[AXES_MAX] = {{0}};
    size_t n = settings_of(run, rows->first + i, settings);

    fields_clear(rows->fields, row);
    for (size_t a = 0; a < n; a++)
        field_set_number(fields_find(rows->fields, run->axes[a].words->value), row,
                         settings[a].value);
    if (!piece->answered) {
        field_set_text(fields_find(rows->fields, "note"), row,
                       sensitivity_run_reason(run, &piece->err));
        if (rows->first + i == 0)
            rows->refusal = piece->err;
        return;
    }
    rows->answered = true;
    sensitivity_run_copy(run->context->arena, piece->answered, rows->fields, row);
    if (rows->figure)
        field_set_number(fields_find(rows->fields, "figure"), row,
                         sensitivity_run_figure(piece->answered, rows->figure));
}

/* Fill all rows; false, with the error of the first, if none has an answer. */
static bool fill_rows(struct rows *rows, struct err *err)
{
    struct sensitivity_run *run = rows->run;
    struct arena *arena = run->context->arena;

    rows->at = arena_alloc(arena, rows->n * rows->size);
    rows->pieces = arena_alloc(arena, CHUNK * sizeof(*rows->pieces));
    for (; rows->first < rows->n; rows->first += CHUNK) {
        size_t n = rows->n - rows->first < CHUNK ? rows->n - rows->first : CHUNK;
        memset(rows->pieces, 0, n * sizeof(*rows->pieces));
        parallel_each(run->context->parallel, n, answer_piece, rows);
        for (size_t i = 0; i < n; i++) {
            fill_row(rows, i);
            arena_free(&rows->pieces[i].arena);
        }
    }
    if (!rows->answered)
        *err = rows->refusal;
    return rows->answered;
}

bool sensitivity_points(struct sensitivity_run *run, struct err *err)
{
    const struct sensitivity *of = run->sensitivity;
    struct rows rows = {
        .run = run, .fields = of->points, .size = of->point_size, .n = run->axes[0].n};

    if (!fill_rows(&rows, err))
        return false;
    context_table(run->context, "points", rows.at, rows.n, rows.size);
    if (of->turns)
        sensitivity_threshold(run, rows.at, rows.n);
    sensitivity_chart_points(run);
    return true;
}

bool sensitivity_cells(struct sensitivity_run *run, struct err *err)
{
    const struct sensitivity *of = run->sensitivity;
    struct rows rows = {.run = run,
                        .fields = of->cells,
                        .size = of->cell_size,
                        .n = run->axes[0].n * run->axes[1].n,
                        .figure = sensitivity_figure_name(run, *of->of->out, "")};

    if (!fill_rows(&rows, err))
        return false;
    context_table(run->context, "cells", rows.at, rows.n, rows.size);
    sensitivity_chart_cells(run, rows.figure);
    return true;
}
