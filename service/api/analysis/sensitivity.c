/* sensitivity.c - repeats a question at each value of one input, at each pair of values of two, or
 * at both ends of each input. */
#include "api/analysis/sensitivity.h"

#include "api/analysis/sensitivity_axis.h"
#include "api/analysis/sensitivity_chart.h"
#include "api/analysis/sensitivity_run.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

static void show_axis(struct sensitivity_run *run, const struct sensitivity_axis *axis, void *out)
{
    struct fields fields = *run->context->resource->out;

    field_set_text(fields_find(fields, axis->words->vary), out, axis->input->name);
    if (run->base)
        field_set_number(fields_find(fields, axis->words->value), out,
                         context_number(run->base, axis->input->name));
}

static void show_turn(struct sensitivity_run *run, void *out)
{
    struct fields fields = *run->context->resource->out;

    field_set_number(fields_find(fields, "turning_point"), out, run->turn.point);
    field_set_text(fields_find(fields, "turning_point_status"), out, run->turn.status);
    field_set_text(fields_find(fields, "turning_verdict"), out, run->turn.verdict);
    field_set_number(fields_find(fields, "turning_count"), out, run->turn.count);
}

/* Allocates the headline values: each field of the table is a double or a pointer. */
static void show_base(struct sensitivity_run *run)
{
    struct request_context *context = run->context;
    struct fields fields = *context->resource->out;
    void *out = arena_alloc(context->arena, fields.n * sizeof(double));

    _Static_assert(sizeof(double) >= sizeof(char *), "a field has room in a double");
    fields_clear(fields, out);
    if (run->base)
        sensitivity_run_copy(context->arena, run->base, fields, out);
    for (size_t i = 0; i < run->n_axes; i++)
        show_axis(run, &run->axes[i], out);
    if (run->sensitivity->turns)
        show_turn(run, out);
    context_values(context, out);
}

/* Warn if the current answer is not among the values. */
static void warn_given(struct sensitivity_run *run)
{
    for (size_t i = 0; i < run->n_axes && run->base; i++) {
        const char *name = run->axes[i].input->name;
        if (!sensitivity_run_stands_alone(run, run->base, name))
            context_warn(run->context, "changed_by_being_given",
                         "setting %s changes the answer even at its default value, because another "
                         "input then has no effect",
                         name);
    }
}

static bool answer_rows(struct sensitivity_run *run, struct err *err)
{
    if (!sensitivity_axes_settle(run, err) || !sensitivity_check_figure(run, err))
        return false;
    return run->n_axes == 2 ? sensitivity_cells(run, err) : sensitivity_points(run, err);
}

static void hold_with_varied(struct sensitivity_run *run)
{
    for (size_t i = 0; i < run->n_axes && run->base && run->sensitivity->varied; i++)
        if (text_in_list(run->sensitivity->varied, run->axes[i].input->name))
            sensitivity_run_hold(run, run->sensitivity->held_with);
}

bool sensitivity_answer(struct request_context *context, const struct sensitivity *sensitivity,
                        struct err *err)
{
    struct sensitivity_run run = {.context = context,
                                  .sensitivity = sensitivity,
                                  .turn = {.point = (double)NAN, .count = (double)NAN}};

    run.origin = context_again(context, sensitivity->of, context->arena);
    /* the rows have no figure that needs a search of its own; but one may be requested by name */
    run.origin->light = !context_text(context, "figure") && !context->common.field;
    if (!sensitivity_axes_find(&run, err))
        return false;
    run.base = sensitivity_run_again(&run, NULL, 0, context->arena, err);
    if (!run.base && !sensitivity_axes_are_spanned(&run))
        return false;
    *err = (struct err){0};
    hold_with_varied(&run);
    if (run.n_axes ? !answer_rows(&run, err)
                   : !sensitivity_check_figure(&run, err) || !sensitivity_tornado(&run, err))
        return false;
    show_base(&run);
    if (run.base)
        context_take(context, run.base);
    warn_given(&run);
    return true;
}
