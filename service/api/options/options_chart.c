/* options_chart.c - chart of cost over time: the best option of each GPU type, and the Pareto
 * frontier as a line.
 */
#include "api/options/options.h"

#include "answer/svg.h"

#define TABLE options_point
#define TABLE_FILE "api/options/options_point.def"
#include "base/field/table.h"

/* The best option of each type, and all on the frontier. */
static const struct table *points_of(const struct option_list *list,
                                     const struct options_chart *words)
{
    struct arena *arena = list->context->arena;
    struct table *table = arena_alloc(arena, sizeof(*table));
    struct options_point *points = arena_alloc(arena, (list->n + 1) * sizeof(*points));
    bool *seen = arena_alloc(arena, list->n_kinds + 1);
    size_t n = 0;

    for (size_t i = 0; i < list->n; i++) {
        const struct option *option = &list->at[i];
        if (option->left_out && !option->on_frontier)
            continue;
        if (!seen[option->kind] || option->on_frontier)
            points[n++] = (struct options_point){words->name(words->context, i), option->time,
                                                 option->cost, option->on_frontier};
        seen[option->kind] = true;
    }
    *table = (struct table){
        .fields = options_point_fields, .rows = points, .n = n, .stride = sizeof(*points)};
    return table;
}

void options_chart(const struct option_list *list, const struct options_chart *words)
{
    struct arena *arena = list->context->arena;
    struct chart *chart = arena_alloc(arena, sizeof(*chart));

    *chart = (struct chart){
        .kind = CHART_SCATTER,
        .x_axis = AXIS_LOG,
        .y_axis = AXIS_LOG,
        .table = points_of(list, words),
        .title = words->title,
        .description = arena_print(
            arena,
            "The best option of each of %zu GPU types; a line joins those that no other beats in "
            "both cost and %s. The same figures as a table: this address with .csv.",
            list->n_kinds - list->n_left_out, words->time_word),
        .x_label = words->x_label,
        .y_label = words->y_label,
        .x_field = "time",
        .name_field = "name",
        .mark_field = "on_frontier",
        .n_curves = 1,
        .curves = {{"cost", "best trade-offs"}},
    };
    list->context->answer.chart = chart;
}
