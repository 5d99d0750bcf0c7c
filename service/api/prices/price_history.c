/* price_history.c - /v1/price-summary/history: rents over time, as an index of the same offers.
 */
#include "api/routes/resources.h"

#include "answer/label.h"
#include "answer/svg.h"
#include "catalog/price_index.h"

#include <math.h>

#define TABLE price_history_in
#define TABLE_FILE "api/prices/price_history_in.def"
#include "base/field/table.h"

#define TABLE price_history_out
#define TABLE_FILE "api/prices/price_history_out.def"
#include "base/field/table.h"

#define TABLE price_history_row
#define TABLE_FILE "api/prices/price_history_row.def"
#include "base/field/table.h"

#define TABLE price_history_point
#define TABLE_FILE "api/prices/price_history_point.def"
#include "base/field/table.h"

static void add_rows(struct request_context *context, const struct price_index *index)
{
    struct price_history_row *rows = arena_alloc(context->arena, index->n * sizeof(*rows));

    for (size_t i = 0; i < index->n; i++) {
        const struct price_change *level = &index->quarters[i].level;
        rows[i] = (struct price_history_row){
            .quarter_date = context_day(context, index->quarters[i].from),
            .rent_index = level->ratio,
            .rent_index_low = level->low,
            .rent_index_high = level->high,
            .pair_count = (double)level->n_pairs,
            .provider_count = (double)level->n_providers,
        };
    }
    context_table(context, "quarters", rows, index->n, sizeof(*rows));
}

static void add_values(struct request_context *context, const struct price_index *index)
{
    struct price_history_out *out = arena_alloc(context->arena, sizeof(*out));
    const struct price_change *change = &index->per_year;

    *out = (struct price_history_out){
        .rent_change_per_year_ratio = change->ratio - 1,
        .rent_change_per_year_ratio_low = change->low - 1,
        .rent_change_per_year_ratio_high = change->high - 1,
        .pair_count = (double)change->n_pairs,
        .provider_count = (double)change->n_providers,
        .first_observed_date = context_day(context, index->first),
        .last_observed_date = context_day(context, index->last),
    };
    context_values(context, out);
}

static const struct table *points_of(struct arena *arena, const struct price_index *index)
{
    struct table *table = arena_alloc(arena, sizeof(*table));
    struct price_history_point *points = arena_alloc(arena, index->n * sizeof(*points));

    for (size_t i = 0; i < index->n; i++) {
        const struct price_change *level = &index->quarters[i].level;
        points[i] = (struct price_history_point){svg_dates_day(index->quarters[i].from),
                                                 level->ratio, level->low, level->high};
    }
    *table = (struct table){.fields = price_history_point_fields,
                            .rows = points,
                            .n = index->n,
                            .stride = sizeof(*points)};
    return table;
}

static void draw(struct request_context *context, const struct price_query *query,
                 const struct price_index *index)
{
    struct arena *arena = context->arena;
    struct chart *chart = arena_alloc(arena, sizeof(*chart));

    *chart = (struct chart){
        .x_axis = AXIS_DAYS,
        .y_axis = AXIS_ZERO,
        .table = points_of(arena, index),
        .title =
            arena_print(arena, "Rent of %s over time", query->gpu ? query->gpu->name : "all GPUs"),
        .description = arena_print(
            arena,
            "Price of the same %s offers in each quarter relative to their latest price, with "
            "its 95%% interval. The same figures as a table: this address with .csv.",
            label_words(arena, query->purchase_option, "")),
        .x_label = "Quarter",
        .y_label = "Rent (latest = 1)",
        .x_field = "day",
        .n_curves = 3,
        .curves = {{"rent_index", "index"},
                   {"rent_index_low", "lower end"},
                   {"rent_index_high", "upper end"}},
    };
    context->answer.chart = chart;
}

static bool answer(struct request_context *context, void *input, struct err *err)
{
    const struct price_history_in *in = input;
    struct price_query query = {.purchase_option = in->purchase_option,
                                .provider = in->provider,
                                .region = in->region,
                                .as_of = context->as_of};

    if (in->gpu)
        lookup_gpu(context, "gpu", in->gpu, &query.gpu, err);
    pricing_check_provider(context, in->provider, err);
    if (err->n_culprits)
        return false;
    struct price_index index = price_index_of(context->catalog, &query, context->arena);
    add_values(context, &index);
    add_rows(context, &index);
    if (index.n)
        draw(context, &query, &index);
    else
        pricing_warn_empty(context, in->gpu, in->region, NULL, (double)NAN);
    if (index.n && !index.per_year.n_pairs)
        context_warn(context, "no_pair",
                     "no offer has two prices seen a year apart: the yearly change is unknown");
    return true;
}

/* All GPUs together can take long. */
static enum cost cost_of(const void *in)
{
    return !((const struct price_history_in *)in)->gpu ? COST_SHORT : COST_NONE;
}

const struct resource price_history_resource = {
    .name = "price_history",
    .headline = "rent_change_per_year_ratio",
    .summary = "Rent over time as an index of the same offers, and its change per year",
    .in = &price_history_in_fields,
    .in_size = sizeof(struct price_history_in),
    .out = &price_history_out_fields,
    .tables = {{"quarters", "quarter", &price_history_row_fields, NULL, "A quarter each"}},
    .cost_of = cost_of,
    .work = "the index of all offers",
    .smaller = "name the gpu",
    .listed = true,
    .answer = answer,
};
