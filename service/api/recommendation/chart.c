/* chart.c - the options of the list: cost over the days of the jobs, or over the
 * latency where there are none. */
#include "api/recommendation/recommendation.h"

#include "answer/svg.h"

#define TABLE recommendation_point
#define TABLE_FILE "api/recommendation/point.def"
#include "base/field/table.h"

static const struct table *points_of(const struct recommendation *recommendation)
{
    struct arena *arena = recommendation->context->arena;
    const struct recommendation_list *list = &recommendation->list;
    struct table *table = arena_alloc(arena, sizeof(*table));
    struct recommendation_point *points = arena_alloc(arena, (list->n + 1) * sizeof(*points));

    for (size_t i = 0; i < list->n; i++)
        points[i] = (struct recommendation_point){
            .name = recommendation_sentence(recommendation, &list->at[i]),
            .days = list->at[i].days.middle,
            .latency_p95_seconds_estimate = list->at[i].latency.middle,
            .total_cost = list->at[i].total.middle,
            .on_frontier = list->at[i].on_frontier,
        };
    *table = (struct table){.fields = recommendation_point_fields,
                            .rows = points,
                            .n = list->n,
                            .stride = sizeof(*points)};
    return table;
}

void recommendation_chart(struct recommendation *recommendation)
{
    struct arena *arena = recommendation->context->arena;
    struct chart *chart = arena_alloc(arena, sizeof(*chart));
    bool jobs = recommendation->wanted[RECOMMENDATION_TRAIN] ||
                recommendation->wanted[RECOMMENDATION_FINETUNE];

    *chart = (struct chart){
        .kind = CHART_SCATTER,
        .x_axis = AXIS_LOG,
        .y_axis = AXIS_LOG,
        .table = points_of(recommendation),
        .title = "Cost and time of the options",
        .description = arena_print(
            arena,
            "The %zu options of the list, and as a line those of one kind of GPU that no other "
            "beats in both cost and time. The same figures as a table: this address with .csv.",
            recommendation->list.n),
        .x_label = jobs ? "Days of the jobs" : "Latency of 95 of 100 requests, s",
        .y_label = "Cost to the horizon, USD",
        .x_field = jobs ? "days" : "latency_p95_seconds_estimate",
        .name_field = "name",
        .mark_field = "on_frontier",
        .n_curves = 1,
        .curves = {{"total_cost", "frontier"}},
    };
    recommendation->context->answer.chart = chart;
}
