/* options_chart.c - cost over latency: the best of each kind of GPU, and the frontier as
 * a line. */
#include "api/inference/options.h"

#include "answer/svg.h"

#define TABLE inference_options_point
#define TABLE_FILE "api/inference/options_point.def"
#include "base/field/table.h"

static struct inference_options_point point_of(const struct inference_options *options,
                                               const struct serving_option *option)
{
    return (struct inference_options_point){
        .name = arena_print(options->call->arena, "%.0f x %s, %s: %.4g s, %.4g %s an hour",
                            option->design.gpu_count,
                            inference_options_kind_of(options, option)->gpu->slug,
                            inference_options_dtype(options, option), option->latency.middle,
                            option->cost.per_hour, options->call->answer.meta.currency),
        .latency_p95_seconds_estimate = option->latency.middle,
        .cost_per_hour = option->cost.per_hour,
        .on_frontier = option->on_frontier,
    };
}

/* The best of each kind, and all of the frontier. */
static const struct table *points_of(const struct inference_options *options)
{
    struct arena *arena = options->call->arena;
    struct table *table = arena_alloc(arena, sizeof(*table));
    struct inference_options_point *points =
        arena_alloc(arena, (options->n_found + 1) * sizeof(*points));
    bool *seen = arena_alloc(arena, options->n_kinds + 1);
    size_t n = 0;

    for (size_t i = 0; i < options->n_found; i++) {
        const struct serving_option *option = &options->found[i];
        size_t kind = options->kind_of[option->candidate];
        if (!seen[kind] || option->on_frontier)
            points[n++] = point_of(options, option);
        seen[kind] = true;
    }
    *table = (struct table){.fields = inference_options_point_fields,
                            .rows = points,
                            .n = n,
                            .stride = sizeof(*points)};
    return table;
}

void inference_options_chart(struct inference_options *options)
{
    struct arena *arena = options->call->arena;
    struct chart *chart = arena_alloc(arena, sizeof(*chart));

    *chart = (struct chart){
        .kind = CHART_SCATTER,
        .x_axis = AXIS_LOG,
        .y_axis = AXIS_LOG,
        .table = points_of(options),
        .title = "Cost and latency of serving the load",
        .description = arena_print(
            arena,
            "The best option of each of %zu kinds of GPU, and as a line those that no other beats "
            "in both cost and latency. The same figures as a table: this address with .csv.",
            options->n_kinds),
        .x_label = "Latency of 95 of 100 requests, s",
        .y_label = "Cost, USD per hour",
        .x_field = "latency_p95_seconds_estimate",
        .name_field = "name",
        .mark_field = "on_frontier",
        .n_curves = 1,
        .curves = {{"cost_per_hour", "frontier"}},
    };
    options->call->answer.chart = chart;
}
