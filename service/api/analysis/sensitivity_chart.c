/* sensitivity_chart.c - charts a figure over the values of an input, a cell for each pair of
 * values, or a bar per input. */
#include "api/analysis/sensitivity_chart.h"

#include "answer/label.h"
#include "answer/svg.h"
#include "base/spelling.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

static bool is_column(const struct sensitivity_run *run, struct fields columns, const char *name,
                      const char *behind)
{
    const struct field *field =
        fields_find(columns, arena_print(run->context->arena, "%s%s", name, behind));

    return field && !field_is_text(field);
}

const char *sensitivity_figure_name(const struct sensitivity_run *run, struct fields columns,
                                    const char *behind)
{
    const char *const asked[] = {context_text(run->context, "figure"), run->context->common.field};
    const char *name = NULL;

    for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++)
        if (asked[i] && is_column(run, columns, asked[i], behind))
            return asked[i];
    for (const char *p = run->sensitivity->figures; *p;) {
        size_t n = strcspn(p, ",");
        name = arena_print(run->context->arena, "%.*s", (int)n, p);
        if (run->base && !isnan(sensitivity_run_figure(run->base, name)))
            break;
        p += n + (p[n] == ',');
    }
    return name;
}

bool sensitivity_check_figure(struct sensitivity_run *run, struct err *err)
{
    const char *figure = context_text(run->context, "figure"),
               *behind = run->n_axes ? "" : "_at_low";
    struct fields out = *run->sensitivity->of->out;
    struct fields columns = run->n_axes == 2   ? out
                            : run->n_axes == 1 ? run->sensitivity->points
                                               : run->sensitivity->effects;

    if (!figure || is_column(run, columns, figure, behind))
        return true;
    struct spelling near = spelling_of(figure);
    for (size_t i = 0; i < out.n; i++)
        if (is_column(run, columns, out.at[i].name, behind))
            spelling_try(&near, out.at[i].name);
    return context_refuse(run->context, err, "figure", "unknown_name",
                          "is not a figure of this table; did you mean %s?", near.nearest);
}

/* Maximum number of rows in a tornado chart; further ones would be thinner than a line. */
enum { BARS_MAX = 20 };

static struct chart *new_chart(struct sensitivity_run *run, enum chart_kind kind)
{
    struct arena *arena = run->context->arena;
    struct chart *chart = arena_alloc(arena, sizeof(*chart));
    struct table *table = arena_alloc(arena, sizeof(*table));

    *table = run->context->answer.tables[0];
    if (kind == CHART_BARS && table->n > BARS_MAX)
        table->n = BARS_MAX;
    *chart = (struct chart){.kind = kind, .table = table};
    run->context->answer.chart = chart;
    return chart;
}

/* "Total cost, USD" */
static const char *label(struct arena *arena, const struct field *field)
{
    return label_axis(arena, field->name, field->unit);
}

static const char *words(struct arena *arena, const struct field *field)
{
    return label_words(arena, field->name, field->unit);
}

/* True for ratios usually written in percent, unlike factors such as PUE. */
static bool is_share(const struct field *field)
{
    return strcmp(field->unit, "ratio") == 0 && !(field->min >= 1);
}

static void add_curve(struct chart *chart, struct fields columns, const char *field,
                      const char *name)
{
    if (fields_find(columns, field))
        chart->curves[chart->n_curves++] = (struct curve){field, name};
}

static const char *grouped(struct request_context *context, double value)
{
    const double many = 1000;

    return fabs(value) < many ? arena_print(context->arena, "%.6g", value)
                              : context_count(context, value);
}

/* Mark the turning point if it is in the charted range; always describe it in words. */
static void mark_turn(struct sensitivity_run *run, struct chart *chart)
{
    struct arena *arena = run->context->arena;
    const struct sensitivity_axis *axis = &run->axes[0];
    double point = run->turn.point;

    if (isnan(point))
        return;
    const char *at = grouped(run->context, point);
    chart->description = arena_print(arena, "The verdict changes to %s at %s. %s",
                                     run->turn.verdict, at, chart->description);
    if (point >= axis->ends.low && point <= axis->ends.high)
        chart->marks[chart->n_marks++] = (struct chart_mark){
            point, arena_print(arena, "%s from %s", run->turn.verdict, at), true};
}

void sensitivity_chart_points(struct sensitivity_run *run)
{
    struct arena *arena = run->context->arena;
    struct fields columns = run->sensitivity->points;
    const struct field *input = run->axes[0].input;
    const char *name = sensitivity_figure_name(run, columns, "");
    const struct field *field = fields_find(columns, name);
    struct chart *chart = new_chart(run, CHART_CURVES);

    chart->title =
        arena_print(arena, "%s over %s", label_axis(arena, name, field->unit), words(arena, input));
    chart->x_percent = is_share(input);
    chart->y_percent = is_share(field);
    chart->x_axis = chart->y_axis = AXIS_DATA;
    chart->x_label = label(arena, input);
    chart->y_label = label(arena, field);
    chart->x_field = "value";
    add_curve(chart, columns, name, words(arena, field));
    add_curve(chart, columns, arena_print(arena, "%s_low", name), "low");
    add_curve(chart, columns, arena_print(arena, "%s_high", name), "high");
    chart->description =
        arena_print(arena, "%s at %zu values of %s%s. The same as a table: this address with .csv.",
                    label(arena, field), chart->table->n, words(arena, input),
                    chart->n_curves > 1 ? ", with its interval" : "");
    mark_turn(run, chart);
}

/* The value that cells are compared with: zero if the figure's sign is the verdict, else the figure
 * with all inputs unchanged. */
static double middle_of(const struct sensitivity_run *run, const char *figure)
{
    const struct sensitivity *of = run->sensitivity;
    size_t n = strcspn(of->figures, ",");

    if (of->turns && strlen(figure) == n && strncmp(of->figures, figure, n) == 0)
        return 0;
    return run->base ? sensitivity_run_figure(run->base, figure) : (double)NAN;
}

void sensitivity_chart_cells(struct sensitivity_run *run, const char *figure)
{
    struct arena *arena = run->context->arena;
    const struct sensitivity_axis *across = &run->axes[0], *up = &run->axes[1];
    struct chart *chart = new_chart(run, CHART_GRID);
    const struct field *field = fields_find(*run->sensitivity->of->out, figure);

    chart->title = arena_print(arena, "%s over %s and %s", label(arena, field),
                               words(arena, across->input), words(arena, up->input));
    chart->x_percent = is_share(across->input);
    chart->y_percent = is_share(up->input);
    chart->x_label = label(arena, across->input);
    chart->y_label = label(arena, up->input);
    chart->x_field = across->words->value;
    chart->y_field = up->words->value;
    chart->x_middle = middle_of(run, figure);
    chart->n_curves = 1;
    chart->curves[0] = (struct curve){"figure", figure};
    chart->description = arena_print(
        arena,
        "%s in %zu cells: %zu values of %s from left to right, %zu of %s from the bottom up. "
        "What is above %s has one colour, what is below another. The same as a table: this "
        "address with .csv.",
        label(arena, field), chart->table->n, across->n, words(arena, across->input), up->n,
        words(arena, up->input), grouped(run->context, chart->x_middle));
}

void sensitivity_chart_effects(struct sensitivity_run *run, const struct request_context *middle)
{
    struct arena *arena = run->context->arena;
    struct fields columns = run->sensitivity->effects;
    const char *name = sensitivity_figure_name(run, columns, "_at_low");
    struct chart *chart = new_chart(run, CHART_BARS);

    const struct field *field = fields_find(middle->answer.fields, name);
    const char *said = words(arena, field);

    chart->title = arena_print(arena, "What moves %s", said);
    chart->description = arena_print(
        arena,
        "A bar for each of the %zu inputs that move it most, from %s at the low value to %s at the "
        "high value; the line is where all inputs stand. All of them as a table: this address "
        "with .csv.",
        chart->table->n, said, said);
    chart->x_label = label(arena, field);
    chart->x_field = "input";
    chart->unit_field = "unit";
    chart->x_middle = sensitivity_run_figure(middle, name);
    chart->n_curves = 2;
    chart->curves[0] = (struct curve){arena_print(arena, "%s_at_low", name), "low value"};
    chart->curves[1] = (struct curve){arena_print(arena, "%s_at_high", name), "high value"};
}
