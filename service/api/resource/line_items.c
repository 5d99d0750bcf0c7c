/* line_items.c - a plan's line items as a table, and as a chart of a GPU's memory and of a step's
 * or token's time, part by part. */
#include "api/resource/line_items.h"

#include "answer/label.h"
#include "answer/svg.h"

#include <math.h>
#include <string.h>

#define TABLE account_row
#define TABLE_FILE "api/resource/line_item.def"
#include "base/field/table.h"
const struct fields line_item_fields = FIELDS_INIT(account_row_rows);

#define TABLE account_point
#define TABLE_FILE "api/resource/line_item_point.def"
#include "base/field/table.h"

void line_items_table(struct request_context *context, const struct line_items *line_items)
{
    struct account_row *rows = arena_alloc(context->arena, line_items->n * sizeof(*rows));

    for (size_t i = 0; i < line_items->n; i++) {
        const struct line_item *line = &line_items->at[i];
        rows[i] = (struct account_row){
            .group = line->group,
            .key = line->key,
            .value = line->value,
            .unit = line->unit,
            .quantity = line->quantity,
            .unit_price = line->unit_price,
            .amount = line->amount,
            .currency = isnan(line->amount) ? NULL : context->answer.meta.currency,
            .formula = line->formula,
        };
    }
    context_table(context, "line_items", rows, line_items->n, sizeof(*rows));
}

static const char *text_of(struct arena *arena, double value, const char *unit)
{
    bool small = strcmp(unit, "s") == 0 && value < 1;

    return small ? arena_print(arena, "%.3g ms", value * 1000)
                 : arena_print(arena, "%.4g %s", value, unit);
}

/* Add the lines of a group, and their sum; returns their number. */
static size_t add_panel(struct arena *arena, const struct line_items *line_items, const char *group,
                        size_t panel, struct account_point *points)
{
    size_t n = 0;
    double sum = 0;
    const char *unit = "";

    for (size_t i = 0; i < line_items->n; i++) {
        const struct line_item *line = &line_items->at[i];
        bool part = strcmp(line->group, group) == 0 && strcmp(line->key, "unused") != 0;
        if (!part || !(line->value > 0))
            continue;
        unit = line->unit;
        points[n++] = (struct account_point){
            .name = label_words(arena, line->key, line->unit),
            .value = line->value,
            .text = text_of(arena, line->value, unit),
            .panel = (double)panel,
        };
        sum += line->value;
    }
    if (n)
        points[n++] = (struct account_point){
            .name = "total",
            .value = sum,
            .text = text_of(arena, sum, unit),
            .panel = (double)panel,
            .whole = 1,
        };
    return n;
}

void line_items_chart(struct request_context *context, const struct line_items *line_items,
                      double capacity_gib, const char *title, const char *time_title)
{
    struct arena *arena = context->arena;

    if (!context->drawn)
        return;
    struct chart *chart = arena_alloc(arena, sizeof(*chart));
    struct table *table = arena_alloc(arena, sizeof(*table));
    struct account_point *points = arena_alloc(arena, (line_items->n + 2) * sizeof(*points));
    size_t n = add_panel(arena, line_items, "memory", 0, points);

    n += add_panel(arena, line_items, "time", 1, points + n);
    *table = (struct table){
        .fields = account_point_fields, .rows = points, .n = n, .stride = sizeof(*points)};
    *chart = (struct chart){
        .kind = CHART_PARTS,
        .table = table,
        .title = title,
        .description = "Memory and time, broken down into parts. The same figures as a table: "
                       "/line-items with .csv.",
        .x_field = "name",
        .y_field = "panel",
        .name_field = "text",
        .mark_field = "whole",
        .n_curves = 1,
        .curves = {{"value", "value"}},
        .n_panels = 2,
        .panels = {{"GPU memory", capacity_gib,
                    arena_print(arena, "a GPU has %.4g GiB", capacity_gib)},
                   {time_title, (double)NAN, NULL}},
    };
    context->answer.chart = chart;
}
