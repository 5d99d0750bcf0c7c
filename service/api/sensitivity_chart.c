/* sensitivity_chart.c - a figure over the values of an input, or a bar for each input. */
#include "api/sensitivity_run.h"

#include "answer/svg.h"

#include <math.h>
#include <string.h>

/* The figure to draw: `field` where it is one, else the first of the resource's that is known.
 * `behind`: what follows its name in the columns. */
static const char *figure_of(const struct sensitivity_run *run, struct fields columns,
                             const char *behind)
{
    struct arena *arena = run->call->arena;
    const char *asked = run->call->common.field, *name = NULL;

    if (asked && fields_find(columns, arena_print(arena, "%s%s", asked, behind)))
        return asked;
    for (const char *p = run->sensitivity->figures; *p;) {
        size_t n = strcspn(p, ",");
        name = arena_print(arena, "%.*s", (int)n, p);
        if (run->base && !isnan(run_figure(run->base, name)))
            break;
        p += n + (p[n] == ',');
    }
    return name;
}

static struct chart *new_chart(struct sensitivity_run *run, enum chart_kind kind)
{
    struct arena *arena = run->call->arena;
    struct chart *chart = arena_alloc(arena, sizeof(*chart));
    struct table *table = arena_alloc(arena, sizeof(*table));

    *table = run->call->answer.tables[0];
    *chart = (struct chart){.kind = kind, .table = table};
    run->call->answer.chart = chart;
    return chart;
}

/* "total_cost, USD" */
static const char *label(struct arena *arena, const struct field *field)
{
    bool says_all = !field->unit[0] || strcmp(field->unit, field->name) == 0;

    return says_all ? field->name : arena_print(arena, "%s, %s", field->name, field->unit);
}

static void add_curve(struct chart *chart, struct fields columns, const char *field,
                      const char *name)
{
    if (fields_find(columns, field))
        chart->curves[chart->n_curves++] = (struct curve){field, name};
}

void run_chart_points(struct sensitivity_run *run)
{
    struct arena *arena = run->call->arena;
    struct fields columns = run->sensitivity->points;
    const char *name = figure_of(run, columns, "");
    const struct field *field = fields_find(columns, name);
    struct chart *chart = new_chart(run, CHART_CURVES);

    chart->title = arena_print(arena, "%s over %s", name, run->vary->name);
    chart->description =
        arena_print(arena,
                    "%s at %zu values of %s, with its interval. The same as a table: this address "
                    "with .csv.",
                    name, chart->table->n, run->vary->name);
    chart->x_axis = chart->y_axis = AXIS_DATA;
    chart->x_label = label(arena, run->vary);
    chart->y_label = label(arena, field);
    chart->x_field = "value";
    add_curve(chart, columns, name, name);
    add_curve(chart, columns, arena_print(arena, "%s_low", name), "low");
    add_curve(chart, columns, arena_print(arena, "%s_high", name), "high");
}

void run_chart_effects(struct sensitivity_run *run, const struct call *middle)
{
    struct arena *arena = run->call->arena;
    struct fields columns = run->sensitivity->effects;
    const char *name = figure_of(run, columns, "_at_low");
    struct chart *chart = new_chart(run, CHART_BARS);

    chart->title = arena_print(arena, "What moves %s", name);
    chart->description = arena_print(
        arena,
        "A bar for each input, from %s at its low value to %s at its high value; the line "
        "is where all inputs stand. The same as a table: this address with .csv.",
        name, name);
    chart->x_label = label(arena, fields_find(middle->answer.fields, name));
    chart->x_field = "input";
    chart->x_middle = run_figure(middle, name);
    chart->n_curves = 2;
    chart->curves[0] = (struct curve){arena_print(arena, "%s_at_low", name), "low value"};
    chart->curves[1] = (struct curve){arena_print(arena, "%s_at_high", name), "high value"};
}
