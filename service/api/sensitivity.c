/* sensitivity.c - the question asked again: at each value of one input, or at both ends of each. */
#include "api/sensitivity.h"

#include "api/sensitivity_run.h"
#include "base/text.h"
#include "estimate/spread.h"

#include <math.h>
#include <string.h>

/* The nearest number among the inputs. */
static bool refuse_unknown(struct sensitivity_run *run, const char *typed, struct err *err)
{
    const char *best = "";
    size_t least = (size_t)-1;

    for (size_t i = 0; i < run->sensitivity->of->in->n; i++) {
        const struct field *field = &run->sensitivity->of->in->at[i];
        size_t distance = text_distance(typed, field->name);
        if (!field_is_text(field) && distance < least) {
            least = distance;
            best = field->name;
        }
    }
    return call_refuse(run->call, err, "vary", "unknown_name",
                       "the question has no number of that name; the nearest is %s", best);
}

static bool find_input(struct sensitivity_run *run, struct err *err)
{
    const char *name = run_text(run->call, "vary");

    run->vary = fields_find(*run->sensitivity->of->in, name);
    if (!run->vary)
        return refuse_unknown(run, name, err);
    if (field_is_text(run->vary))
        return call_refuse(run->call, err, "vary", "not_a_number",
                           "is a word, and only numbers can be varied: ask once for each");
    return true;
}

/* One end as given, within what the input accepts. */
static bool check_end(struct sensitivity_run *run, const char *name, double value, struct err *err)
{
    const struct field *field = run->vary;

    if (isnan(value))
        return call_refuse(run->call, err, name, "missing_parameter",
                           "is needed: %s has no value of its own to start from", field->name);
    if (value < field->min || value > field->max)
        return call_refuse(run->call, err, name, "out_of_range",
                           "must be between %.10g and %.10g, as %s itself", field->min, field->max,
                           field->name);
    return true;
}

static bool check_ends(struct sensitivity_run *run, struct spread ends, struct err *err)
{
    bool whole = run->vary->type == FIELD_COUNT || run->vary->type == FIELD_FLAG;
    bool good = check_end(run, "from", ends.low, err);

    good = check_end(run, "to", ends.high, err) && good;
    if (good && ends.low > ends.high)
        good = call_refuse(run->call, err, "from", "contradiction", "must not be above to, %.10g",
                           ends.high);
    if (good && whole && ends.low != floor(ends.low))
        good = call_refuse(run->call, err, "from", "not_whole",
                           "must be a whole number, as %s itself", run->vary->name);
    return good;
}

static bool check_step(struct sensitivity_run *run, struct spread ends, double step,
                       struct err *err)
{
    bool whole = run->vary->type == FIELD_COUNT || run->vary->type == FIELD_FLAG;
    double points = spread_points(ends, step);

    if (!(step > 0) && ends.high > ends.low)
        return call_refuse(run->call, err, "step", "out_of_range", "must be above zero");
    if (whole && step != floor(step))
        return call_refuse(run->call, err, "step", "not_whole",
                           "must be a whole number, as %s itself", run->vary->name);
    if (points > SENSITIVITY_POINTS_MAX)
        return call_refuse(run->call, err, "step", "too_many",
                           "makes %.0f values, at most %d: from %.10g to %.10g a step of %.4g "
                           "makes 13",
                           points, SENSITIVITY_POINTS_MAX, ends.low, ends.high,
                           spread_step(ends, whole));
    return true;
}

/* The ends and the step: as given, else around the value in force. */
static bool find_grid(struct sensitivity_run *run, double value, struct spread *ends, double *step,
                      struct err *err)
{
    const struct field *field = run->vary;
    bool whole = field->type == FIELD_COUNT || field->type == FIELD_FLAG;
    double from = run_number(run->call, "from"), to = run_number(run->call, "to");

    *ends = spread_around(value, field->min, field->max);
    if (field->type == FIELD_FLAG)
        *ends = (struct spread){0, 1};
    else if (isnan(value))
        *ends = (struct spread){(double)NAN, (double)NAN};
    if (whole)
        ends->low = ceil(ends->low);
    ends->low = isnan(from) ? ends->low : from;
    ends->high = isnan(to) ? ends->high : to;
    if (!check_ends(run, *ends, err))
        return false;
    *step = run_number(run->call, "step");
    if (isnan(*step))
        *step = spread_step(*ends, whole);
    return check_step(run, *ends, *step, err);
}

/* A value, and the question answered there, in an arena of its own. */
struct point {
    double value;
    struct arena arena;
    struct call *answered; /* NULL where it is refused */
    struct err err;
};

struct points {
    struct sensitivity_run *run;
    struct point *at;
};

static void answer_piece(void *context, size_t i)
{
    struct points *points = context;
    struct point *point = &points->at[i];

    point->answered =
        run_again(points->run, points->run->vary->name, point->value, &point->arena, &point->err);
}

static void fill_point(struct sensitivity_run *run, const struct point *point, void *row)
{
    struct fields fields = run->sensitivity->points;

    fields_clear(fields, row);
    field_set_number(fields_find(fields, "value"), row, point->value);
    if (point->answered)
        run_copy(run, point->answered, fields, row);
    else
        field_set_text(fields_find(fields, "note"), row, run_reason(run, &point->err));
}

/* Answer at each value; false where none of them has an answer, with the error of the first. */
static bool fill_points(struct sensitivity_run *run, struct points *points, size_t n, char *rows,
                        struct err *err)
{
    bool answered = false;

    parallel_each(run->call->parallel, n, answer_piece, points);
    for (size_t i = 0; i < n; i++) {
        fill_point(run, &points->at[i], rows + i * run->sensitivity->point_size);
        answered |= points->at[i].answered != NULL;
    }
    if (!answered)
        *err = points->at[0].err;
    for (size_t i = 0; i < n; i++)
        arena_free(&points->at[i].arena);
    return answered;
}

static bool answer_points(struct sensitivity_run *run, struct err *err)
{
    struct call *call = run->call;
    size_t size = run->sensitivity->point_size;
    double value = run->base ? run_number(run->base, run->vary->name) : (double)NAN, step;
    struct spread ends;

    if (!find_grid(run, value, &ends, &step, err))
        return false;
    size_t n = (size_t)spread_points(ends, step);
    char *rows = arena_alloc(call->arena, n * size);
    struct points points = {run, arena_alloc(call->arena, n * sizeof(*points.at))};
    for (size_t i = 0; i < n; i++)
        points.at[i].value = spread_point(ends, step, i);
    if (!fill_points(run, &points, n, rows, err))
        return false;
    call_table(call, "points", rows, n, size);
    call_set_number(call, "from", ends.low, run_source(call, "from"), NULL);
    call_set_number(call, "to", ends.high, run_source(call, "to"), NULL);
    call_set_number(call, "step", step, run_source(call, "step"), NULL);
    run_chart_points(run);
    return true;
}

static bool check_alone(struct call *call, struct err *err)
{
    static const char *const names[] = {"from", "to", "step"};
    bool good = true;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (call_given(call, names[i]))
            good = call_refuse(call, err, names[i], "contradiction",
                               "needs vary, the input whose values it is of");
    return good;
}

/* The answer to the question as it stands: its warnings, and its inputs in force. */
static void take_base(struct sensitivity_run *run)
{
    struct call *call = run->call;
    const struct inputs *from = &run->base->inputs;

    memcpy(call->inputs.values, from->values, run->sensitivity->of->in_size);
    memcpy(call->inputs.sources, from->sources, from->fields.n * sizeof(from->sources[0]));
    memcpy(call->inputs.references, from->references, from->fields.n * sizeof(from->references[0]));
    for (size_t i = 0; i < run->base->answer.n_warnings; i++)
        answer_warn(&call->answer, run->base->answer.warnings[i].code,
                    run->base->answer.warnings[i].detail);
}

/* Room for the headline values: every field of the table has one, a double or a pointer. */
static void show_base(struct sensitivity_run *run)
{
    struct call *call = run->call;
    struct fields fields = *call->resource->out;
    void *out = arena_alloc(call->arena, fields.n * sizeof(double));

    _Static_assert(sizeof(double) >= sizeof(char *), "a field has room in a double");
    fields_clear(fields, out);
    if (run->base) {
        run_copy(run, run->base, fields, out);
        if (run->vary)
            field_set_number(fields_find(fields, "value"), out,
                             run_number(run->base, run->vary->name));
    }
    field_set_text(fields_find(fields, "vary"), out, run->vary ? run->vary->name : NULL);
    call_values(call, out);
}

bool sensitivity_answer(struct call *call, const struct sensitivity *sensitivity, struct err *err)
{
    struct sensitivity_run run = {.call = call, .sensitivity = sensitivity};
    bool vary = call_given(call, "vary");

    run.origin = call_again(call, sensitivity->of, call->arena);
    if (vary ? !find_input(&run, err) : !check_alone(call, err))
        return false;
    run.base = run_again(&run, NULL, 0, call->arena, err);
    bool spanned = vary && call_given(call, "from") && call_given(call, "to");
    if (!run.base && !spanned)
        return false;
    *err = (struct err){0};
    if (!(vary ? answer_points(&run, err) : run_effects(&run, err)))
        return false;
    show_base(&run);
    if (run.base)
        take_base(&run);
    return true;
}
