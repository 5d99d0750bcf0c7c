/* risk_chart.c - the distribution of the saving as a rising curve. */
#include "api/break_even/risk.h"

#include "answer/svg.h"

#define TABLE break_even_risk_point
#define TABLE_FILE "api/break_even/risk_point.def"
#include "base/field/table.h"

/* The ends of the classes. */
static const struct table *points_of(struct request_context *context, const struct risk *risk)
{
    struct table *table = arena_alloc(context->arena, sizeof(*table));
    struct break_even_risk_point *points =
        arena_alloc(context->arena, (risk->n_classes + 1) * sizeof(*points));
    size_t n = 0;

    points[n++] = (struct break_even_risk_point){risk->classes[0].from, 0};
    for (size_t i = 0; i < risk->n_classes; i++)
        points[n++] =
            (struct break_even_risk_point){risk->classes[i].to, risk->classes[i].share_up_to};
    *table = (struct table){
        .fields = break_even_risk_point_fields, .rows = points, .n = n, .stride = sizeof(*points)};
    return table;
}

void break_even_risk_chart(struct request_context *context, const struct break_even_risk_in *in,
                           const struct risk *risk)
{
    struct arena *arena = context->arena;
    struct chart *chart = arena_alloc(arena, sizeof(*chart));

    *chart = (struct chart){
        .x_axis = AXIS_DATA,
        .table = points_of(context, risk),
        .title = arena_print(arena, "What buying saves: %.0f x %s, %.0f months",
                             in->of.own.gpu_count, in->of.gpu, in->of.own.horizon_months),
        .description = arena_print(
            arena,
            "Of %.0f draws buying costs no more in %.4g of 100; 90 of 100 save between "
            "%.0f and %.0f USD. Left of the line at zero renting is cheaper.",
            in->draws, 100 * risk->probability_buy, risk->saving[RISK_P05], risk->saving[RISK_P95]),
        .x_label = "Cost of renting less that of buying, USD",
        .y_label = "Share of the draws that save no more",
        .x_field = "buy_saving",
        .n_curves = 1,
        .curves = {{"probability_up_to", "draws"}},
    };
    if (risk->classes[0].from <= 0 && risk->classes[risk->n_classes - 1].to >= 0)
        chart->marks[chart->n_marks++] = (struct chart_mark){0, "same cost", false};
    context->answer.chart = chart;
}
