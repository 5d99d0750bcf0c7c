/* offers_chart.c - chart of a GPU type's rental prices over time. */
#include "api/prices/offers_chart.h"

#include "answer/label.h"
#include "answer/svg.h"

#include <math.h>

#define TABLE offers_point
#define TABLE_FILE "api/prices/offers_point.def"
#include "base/field/table.h"

enum { DOTS_MAX = 2000 };

static struct offers_point dot_of(struct request_context *context, const struct offer *offer)
{
    return (struct offers_point){
        .name = arena_print(context->arena, "%s, %s, %s: %.4g %s",
                            catalog_provider_name(context->catalog, offer->rental->provider),
                            label_words(context->arena, offer->rental->purchase_option, ""),
                            context_day(context, offer->seen->from), offer->price_per_gpu_hour,
                            context->answer.meta.currency),
        .day = svg_dates_day(offer->seen->from),
        .price_per_gpu_hour = offer->price_per_gpu_hour,
    };
}

static struct offers_point price_of(struct request_context *context,
                                    const struct price_query *query)
{
    double price = catalog_price(context->catalog, query).per_gpu_hour;

    return (struct offers_point){
        .name =
            arena_print(context->arena, "valid on %s: %.4g %s", context_day(context, query->as_of),
                        price, context->answer.meta.currency),
        .day = svg_dates_day(query->as_of),
        .price_per_gpu_hour = price,
        .in_force = 1,
    };
}

/* True if no earlier offer is of the same day. */
static bool first_of_day(const struct offer *offers, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (offers[k].seen->from == offers[i].seen->from)
            return false;
    return true;
}

static const struct table *points_of(struct request_context *context, const struct offer *offers,
                                     size_t n, struct price_query query,
                                     struct window_of_days window)
{
    struct table *table = arena_alloc(context->arena, sizeof(*table));
    struct offers_point *points = arena_alloc(context->arena, (2 * n + 2) * sizeof(*points));
    size_t n_points = 0;

    for (size_t i = 0; i < n; i++) {
        if (!offers[i].seen->from)
            continue;
        points[n_points++] = dot_of(context, &offers[i]);
        query.as_of = offers[i].seen->from;
        if (first_of_day(offers, i))
            points[n_points++] = price_of(context, &query);
    }
    query.as_of = window.to && window.to < context->as_of ? window.to : context->as_of;
    points[n_points++] = price_of(context, &query);
    query.as_of = window.from;
    if (window.from && window.from < context->as_of)
        points[n_points++] = price_of(context, &query);
    *table = (struct table){
        .fields = offers_point_fields, .rows = points, .n = n_points, .stride = sizeof(*points)};
    return table;
}

void offers_chart(struct request_context *context, const struct offer *offers, size_t n,
                  struct price_query query, struct window_of_days window)
{
    struct arena *arena = context->arena;
    struct chart *chart = arena_alloc(arena, sizeof(*chart));

    if (n > DOTS_MAX)
        return;
    *chart = (struct chart){
        .kind = CHART_SCATTER,
        .x_axis = AXIS_DAYS,
        .y_axis = AXIS_ZERO,
        .table = points_of(context, offers, n, query, window),
        .title = arena_print(arena, "Rent of %s", query.gpu->name),
        .description =
            arena_print(arena,
                        "Each dot is an observed offer; the line is the %s price that answers "
                        "used each day: the median over providers. The same figures as a table: "
                        "this address with .csv.",
                        label_words(arena, query.purchase_option, "")),
        .x_label = "Day observed",
        .y_label = "USD per GPU-hour",
        .x_field = "day",
        .name_field = "name",
        .mark_field = "in_force",
        .n_curves = 1,
        .curves = {{"price_per_gpu_hour", "price used"}},
    };
    context->answer.chart = chart;
}
