/* sensitivity_axis.c - the inputs that are varied, their ends and steps. */
#include "api/analysis/sensitivity_axis.h"

#include "base/spelling.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

static const struct sensitivity_axis_words words[AXES_MAX] = {
    {"vary", "from", "to", "step", "value"},
    {"vary_2", "from_2", "to_2", "step_2", "value_2"},
};

bool sensitivity_axis_is_whole(const struct sensitivity_axis *axis)
{
    return axis->input->type == FIELD_COUNT || axis->input->type == FIELD_FLAG;
}

double sensitivity_axis_value(const struct sensitivity_axis *axis, size_t i)
{
    return range_point(axis->ends, axis->step, i);
}

bool sensitivity_axes_are_spanned(const struct sensitivity_run *run)
{
    for (size_t i = 0; i < run->n_axes; i++)
        if (!context_given(run->context, words[i].from) ||
            !context_given(run->context, words[i].to))
            return false;
    return run->n_axes > 0;
}

/* Refuse an unknown name, suggesting the nearest numeric input. */
static bool refuse_unknown(struct sensitivity_run *run, const char *vary, struct err *err)
{
    struct spelling near = spelling_of(context_text(run->context, vary));
    const struct fields *inputs = run->sensitivity->of->in;

    for (size_t i = 0; i < inputs->n; i++)
        if (!field_is_text(&inputs->at[i]))
            spelling_try(&near, inputs->at[i].name);
    return context_refuse(run->context, err, vary, "unknown_name",
                          "the question has no number with that name; did you mean %s?",
                          near.nearest);
}

static bool find_input(struct sensitivity_run *run, size_t i, struct err *err)
{
    struct sensitivity_axis *axis = &run->axes[i];
    const char *vary = words[i].vary;

    axis->words = &words[i];
    axis->input = fields_find(*run->sensitivity->of->in, context_text(run->context, vary));
    if (!axis->input)
        return refuse_unknown(run, vary, err);
    if (field_is_text(axis->input))
        return context_refuse(
            run->context, err, vary, "not_a_number",
            "is not a number, and only numbers can be varied: send one request per value");
    if (i > 0 && axis->input == run->axes[0].input)
        return context_refuse(run->context, err, vary, "contradiction",
                              "is already named by %s: name another input", words[0].vary);
    return true;
}

/* Refuse ends and a step given without their input. */
static bool check_alone(struct request_context *context, const struct sensitivity_axis_words *axis,
                        struct err *err)
{
    const char *const names[] = {axis->from, axis->to, axis->step};
    bool good = true;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (context_given(context, names[i]))
            good = context_refuse(context, err, names[i], "contradiction",
                                  "needs %s, the input it belongs to", axis->vary);
    return good;
}

bool sensitivity_axes_find(struct sensitivity_run *run, struct err *err)
{
    struct request_context *context = run->context;
    bool good = true;

    for (size_t i = 0; i < AXES_MAX; i++) {
        if (!context_given(context, words[i].vary)) {
            good = check_alone(context, &words[i], err) && good;
        } else if (i > run->n_axes) {
            good = context_refuse(context, err, words[i].vary, "contradiction",
                                  "needs %s, the input it is combined with", words[0].vary);
        } else {
            good = find_input(run, i, err) && good;
            run->n_axes++;
        }
    }
    return good;
}

/* Check that a given end is in the input's accepted range. */
static bool check_end(struct request_context *context, const struct sensitivity_axis *axis,
                      const char *name, double value, struct err *err)
{
    const struct field *field = axis->input;

    if (isnan(value))
        return context_refuse(context, err, name, "missing_parameter",
                              "is required: %s has no value of its own to start from", field->name);
    if (value < field->min || value > field->max)
        return context_refuse(context, err, name, "out_of_range",
                              "must be between %.10g and %.10g, like %s itself", field->min,
                              field->max, field->name);
    return true;
}

static bool check_ends(struct request_context *context, const struct sensitivity_axis *axis,
                       struct err *err)
{
    const char *from = axis->words->from, *to = axis->words->to;
    struct range_ends ends = axis->ends;
    bool good = check_end(context, axis, from, ends.low, err);

    good = check_end(context, axis, to, ends.high, err) && good;
    if (good && ends.low > ends.high)
        good = context_refuse(context, err, from, "contradiction", "must not be above %s, %.10g",
                              to, ends.high);
    if (good && sensitivity_axis_is_whole(axis) && ends.low != floor(ends.low))
        good = context_refuse(context, err, from, "not_whole",
                              "must be a whole number, like %s itself", axis->input->name);
    return good;
}

static bool check_step(struct request_context *context, struct sensitivity_axis *axis,
                       struct err *err)
{
    const char *name = axis->words->step;
    double points = range_points(axis->ends, axis->step);
    bool whole = sensitivity_axis_is_whole(axis);

    if (!(axis->step > 0) && axis->ends.high > axis->ends.low)
        return context_refuse(context, err, name, "out_of_range", "must be above zero");
    if (whole && axis->step != floor(axis->step))
        return context_refuse(context, err, name, "not_whole",
                              "must be a whole number, like %s itself", axis->input->name);
    if (points > SENSITIVITY_POINTS_MAX)
        return context_refuse(context, err, name, "too_many",
                              "makes %.0f values, at most %d: from %.10g to %.10g a step of %.4g "
                              "makes 13",
                              points, SENSITIVITY_POINTS_MAX, axis->ends.low, axis->ends.high,
                              range_step(axis->ends, whole));
    axis->n = (size_t)points;
    return true;
}

/* The default ends. */
static struct range_ends usual_ends(const struct sensitivity_run *run,
                                    const struct sensitivity_axis *axis)
{
    const struct field *field = axis->input;
    double value = run->base ? context_number(run->base, field->name) : (double)NAN;
    struct range_ends ends = range_around(value, field->min, field->max);

    if (field->type == FIELD_FLAG)
        return (struct range_ends){0, 1};
    if (isnan(value))
        return (struct range_ends){(double)NAN, (double)NAN};
    if (sensitivity_axis_is_whole(axis))
        ends.low = ceil(ends.low);
    return ends;
}

static bool settle(struct sensitivity_run *run, struct sensitivity_axis *axis, struct err *err)
{
    struct request_context *context = run->context;
    const struct sensitivity_axis_words *name = axis->words;
    double from = context_number(context, name->from), to = context_number(context, name->to);
    double step = context_number(context, name->step);

    axis->ends = usual_ends(run, axis);
    axis->ends.low = isnan(from) ? axis->ends.low : from;
    axis->ends.high = isnan(to) ? axis->ends.high : to;
    if (!check_ends(context, axis, err))
        return false;
    axis->step = isnan(step) ? range_step(axis->ends, sensitivity_axis_is_whole(axis)) : step;
    if (!check_step(context, axis, err))
        return false;
    context_set_number(context, name->from, axis->ends.low,
                       sensitivity_run_source(context, name->from), NULL);
    context_set_number(context, name->to, axis->ends.high,
                       sensitivity_run_source(context, name->to), NULL);
    context_set_number(context, name->step, axis->step, sensitivity_run_source(context, name->step),
                       NULL);
    return true;
}

static bool check_cells(struct sensitivity_run *run, struct err *err)
{
    size_t cells = run->axes[0].n * run->axes[1].n, most = run->sensitivity->cells_max;

    if (cells <= most)
        return true;
    return context_refuse(run->context, err, "step_2", "too_many",
                          "makes %zu x %zu = %zu cells, at most %zu: take a larger step or step_2; "
                          "without steps it is 13 x 13",
                          run->axes[0].n, run->axes[1].n, cells, most);
}

bool sensitivity_axes_settle(struct sensitivity_run *run, struct err *err)
{
    bool good = true;

    for (size_t i = 0; i < run->n_axes; i++)
        good = settle(run, &run->axes[i], err) && good;
    return good && (run->n_axes < AXES_MAX || check_cells(run, err));
}
