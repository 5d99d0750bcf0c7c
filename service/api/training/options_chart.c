/* options_chart.c - cost over days: the options listed, and the frontier as a line. */
#include "api/training/options.h"

#include "answer/svg.h"

#include <math.h>

#define TABLE training_options_point
#define TABLE_FILE "api/training/options_point.def"
#include "base/field/table.h"

static struct training_options_point point_of(const struct options_question *question,
                                              const struct options_found *found)
{
    const struct training_strategy *on = &found->plan->on;

    return (struct training_options_point){
        .name = arena_print(question->call->arena, "%.0f x %s: %.4g days, %.4g %s", on->gpu_count,
                            question->questions[found->candidate].gpu->slug, found->totals.days,
                            found->cost, question->call->answer.meta.currency),
        .days = found->totals.days,
        .total_cost = found->cost,
        .on_frontier = found->on_frontier,
    };
}

/* The best of each kind, and all of the frontier. */
static const struct table *points_of(const struct options_question *question)
{
    struct arena *arena = question->call->arena;
    struct table *table = arena_alloc(arena, sizeof(*table));
    struct training_options_point *points =
        arena_alloc(arena, (question->n_found + 1) * sizeof(*points));
    bool *seen = arena_alloc(arena, question->n_candidates + 1);
    size_t n = 0;

    for (size_t i = 0; i < question->n_found; i++) {
        const struct options_found *found = &question->found[i];
        if (!seen[found->candidate] || found->on_frontier == 1)
            points[n++] = point_of(question, found);
        seen[found->candidate] = true;
    }
    *table = (struct table){
        .fields = training_options_point_fields, .rows = points, .n = n, .stride = sizeof(*points)};
    return table;
}

void options_chart(struct options_question *question)
{
    struct arena *arena = question->call->arena;
    struct chart *chart = arena_alloc(arena, sizeof(*chart));
    const struct model *model = question->questions[0].model;

    if (question->maximize != MAXIMIZE_NOTHING)
        return;
    *chart = (struct chart){
        .kind = CHART_SCATTER,
        .x_axis = AXIS_LOG,
        .y_axis = AXIS_LOG,
        .table = points_of(question),
        .title = arena_print(arena, "Cost and days of training %s", model->name),
        .description = arena_print(
            arena,
            "The best option of each of %zu kinds of GPU, and as a line those that no other beats "
            "in both cost and time. The same figures as a table: this address with .csv.",
            question->n_candidates),
        .x_label = "Days",
        .y_label = "Cost, USD",
        .x_field = "days",
        .name_field = "name",
        .mark_field = "on_frontier",
        .n_curves = 1,
        .curves = {{"total_cost", "frontier"}},
    };
    question->call->answer.chart = chart;
}
