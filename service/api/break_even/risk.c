/* risk.c - /v1/break-even/risk: the certainty of the verdict under uncertain prices. */
#include "api/break_even/risk.h"

#include "answer/svg.h"
#include "api/resource/currency.h"
#include "api/routes/resources.h"
#include "base/sort.h"
#include "api/analysis/risk_cache.h"

#include <math.h>
#include <string.h>

static const struct field in_rows[] = {
#define FIELDS_OF struct break_even_in
#include "base/field/rows.h"
#include "api/break_even/in.def"
#include "base/field/end.h"
#define FIELDS_OF struct ownership
#include "base/field/rows.h"
#include "estimate/ownership/inputs.def"
#include "base/field/end.h"
#define FIELDS_OF struct break_even_risk_in
#include "base/field/rows.h"
#include "api/break_even/risk_in.def"
#include "base/field/end.h"
};
static const struct fields in_fields = FIELDS_INIT(in_rows);

#define TABLE break_even_risk_point
#define TABLE_FILE "api/break_even/risk_point.def"
#include "base/field/table.h"

#define TABLE break_even_risk_out
#define TABLE_FILE "api/break_even/risk_out.def"
#include "base/field/table.h"

#define TABLE break_even_risk_input
#define TABLE_FILE "api/break_even/risk_input.def"
#include "base/field/table.h"

#define TABLE break_even_risk_class
#define TABLE_FILE "api/break_even/risk_class.def"
#include "base/field/table.h"

/* The break-even at the used values: fills defaults, refuses invalid inputs, and gives the
 * warnings. */
static struct request_context *answer_base(struct request_context *context, struct err *err)
{
    struct request_context *base = context_again(context, &break_even_resource, context->arena);

    return base->resource->answer(base, base->inputs.values, err) ? base : NULL;
}

static void take_offers(struct request_context *context, const struct request_context *base)
{
    const struct table *offers = pricing_offers_of(base);

    if (offers)
        answer_table(&context->answer, *offers);
}

static void fill_percentiles(struct break_even_risk_out *out, const struct risk *risk)
{
    double months[RISK_PERCENTILES];

    for (int i = 0; i < RISK_PERCENTILES; i++)
        months[i] = isfinite(risk->months[i]) ? risk->months[i] : (double)NAN;
    out->buy_saving_p05 = risk->saving[RISK_P05];
    out->buy_saving_p50 = risk->saving[RISK_P50];
    out->buy_saving_p95 = risk->saving[RISK_P95];
    out->break_even_months_p05 = months[RISK_P05];
    out->break_even_months_p50 = months[RISK_P50];
    out->break_even_months_p95 = months[RISK_P95];
    out->npv_p05 = risk->present[RISK_P05];
    out->npv_p50 = risk->present[RISK_P50];
    out->npv_p95 = risk->present[RISK_P95];
}

static void fill_risk(struct break_even_risk_out *out, const struct risk *risk)
{
    bool buys = strcmp(out->verdict, "buy") == 0;

    out->probability_buy_cheaper = risk->probability_buy;
    out->probability_break_even = risk->probability_reached;
    out->buy_saving_mean = risk->mean_saving;
    out->npv_mean = risk->mean_present;
    out->expected_regret = buys ? risk->regret_of_buying : risk->regret_of_renting;
    out->probability_verdict_right = buys ? risk->probability_buy : 1 - risk->probability_buy;
    out->perfect_information_value = fmin(risk->regret_of_buying, risk->regret_of_renting);
    fill_percentiles(out, risk);
    out->value_at_risk = fmax(0, buys ? -out->npv_p05 : out->npv_p95);
}

/* Most important input first; ties by name. */
static int by_share(const void *a, const void *b)
{
    const struct break_even_risk_input *x = a, *y = b;

    if (x->variance_share > y->variance_share || x->variance_share < y->variance_share)
        return x->variance_share > y->variance_share ? -1 : 1;
    return strcmp(x->key, y->key);
}

static void add_inputs(struct request_context *context, const struct risk_bands *bands,
                       const struct risk *risk)
{
    struct break_even_risk_input *rows =
        arena_alloc(context->arena, (bands->n + 1) * sizeof(*rows));

    for (size_t i = 0; i < bands->n; i++) {
        const struct risk_band *band = &bands->at[i];
        rows[i] = (struct break_even_risk_input){
            .key = band->input.field->name,
            .unit = band->input.field->unit,
            .low = band->input.triangle.low,
            .mode = band->input.triangle.middle,
            .high = band->input.triangle.high,
            .basis = band->basis,
            .variance_share = risk->variance_share[i],
            .information_value = risk->information[i],
        };
    }
    sort_items(rows, bands->n, sizeof(*rows), by_share);
    context_table(context, "drawn_inputs", rows, bands->n, sizeof(*rows));
}

/* The input with the highest value of information. */
static const char *best_to_know(const struct risk_bands *bands, const struct risk *risk)
{
    size_t best = 0;

    for (size_t i = 1; i < bands->n; i++)
        if (risk->information[i] > risk->information[best])
            best = i;
    /* Means of the same draws summed in another order differ in the last digits. */
    double least = 1e-9 * fabs(risk->mean_saving);
    return bands->n && risk->information[best] > least ? bands->at[best].input.field->name : NULL;
}

static void add_classes(struct request_context *context, const struct risk *risk)
{
    struct break_even_risk_class *rows =
        arena_alloc(context->arena, (risk->n_classes + 1) * sizeof(*rows));

    for (size_t i = 0; i < risk->n_classes; i++)
        rows[i] =
            (struct break_even_risk_class){risk->classes[i].from, risk->classes[i].to,
                                           risk->classes[i].share, risk->classes[i].share_up_to};
    context_table(context, "distribution", rows, risk->n_classes, sizeof(*rows));
}

/* If the used value is an end of its band, all draws, and so the median, deviate in one direction:
 * such inputs are drawn only on request. */
static void warn_of_ends(struct request_context *context, const struct risk_bands *bands)
{
    const char *names = NULL;
    size_t n = 0;

    for (size_t i = 0; i < bands->n; i++) {
        const struct risk_triangle *triangle = &bands->at[i].input.triangle;
        const char *name = bands->at[i].input.field->name;
        if (triangle->low == triangle->high ||
            (triangle->low < triangle->middle && triangle->middle < triangle->high))
            continue;
        names = n++ ? arena_join(context->arena, names, ", ", name, "") : name;
    }
    if (bands->n_held)
        context_warn(context, "held_inputs",
                     "%zu inputs are at an end of their usual band and are taken as certain: %s; "
                     "use bands=NAME:low:high to vary one",
                     bands->n_held, bands->held);
    if (n)
        context_warn(context, "one_sided_bands",
                     "%zu inputs are at an end of their band and are varied in one direction "
                     "only: %s; use bands=NAME:value:value to fix one",
                     n, names);
}

static size_t place_of(const struct risk_bands *bands, const char *key)
{
    size_t i = 0;

    while (i < bands->n && strcmp(bands->at[i].input.field->name, key) != 0)
        i++;
    return i;
}

static void simulate(struct request_context *context, const struct break_even_risk_in *in,
                     const struct risk_bands *bands, struct risk *risk)
{
    struct risk_input *inputs = arena_alloc(context->arena, (bands->n + 1) * sizeof(*inputs));
    struct risk_model *model = arena_alloc(context->arena, sizeof(*model));
    size_t decline = place_of(bands, "rent_price_decline_ratio");
    size_t retention = place_of(bands, "annual_value_retention");

    for (size_t i = 0; i < bands->n; i++)
        inputs[i] = bands->at[i].input;
    risk_model_init(model, &in->of.own, inputs, bands->n);
    if (decline < bands->n && retention < bands->n) {
        model->leading = decline;
        model->following = retention;
        model->correlation = in->rent_resale_correlation;
    }
    risk_cache_simulate(context->risk_cache, model, (uint64_t)in->seed, (size_t)in->draws,
                        context->parallel, context->arena, risk);
}

static struct break_even_risk_out *new_out(struct request_context *context,
                                           const struct break_even_risk_in *in,
                                           const struct break_even_out *base)
{
    struct break_even_risk_out *out = arena_alloc(context->arena, sizeof(*out));

    fields_clear(break_even_risk_out_fields, out);
    out->verdict = base->verdict;
    out->buy_saving = base->buy_saving;
    out->npv = base->npv;
    out->horizon_months = in->of.own.horizon_months;
    out->search_months = base->search_months;
    out->draws = in->draws;
    out->seed = in->seed;
    return out;
}

/* Draws vary around known prices: without prices there is no distribution. */
static bool check_prices(const struct break_even_in *in, const char *verdict, struct err *err)
{
    static const struct {
        const char *price, *give;
    } unknown[] = {
        {"price within bounds", "rent_price_per_gpu_hour and server_price"},
        {"rent price", "rent_price_per_gpu_hour"},
        {"purchase price", "server_price or gpu_card_price"},
        {"rent or purchase price", "rent_price_per_gpu_hour and server_price or gpu_card_price"},
    };
    int which =
        (isnan(in->own.rent_price_per_gpu_hour) ? 1 : 0) + (isnan(in->own.server_price) ? 2 : 0);

    return (which == 0 && verdict) ||
           err_set(err, ERR_NO_SOLUTION,
                   "no %s for %s is known for that day and these filters: enter %s%s",
                   unknown[which].price, in->gpu, unknown[which].give,
                   which == 2 ? "; what renting alone costs, with its interval, is answered by "
                                "/v1/break-even (rent_total_cost_low, rent_total_cost_high)"
                              : "");
}

/* The cumulative distribution of the saving, at the class limits. */
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

static void add_chart(struct request_context *context, const struct break_even_risk_in *in,
                      const struct risk *risk)
{
    struct arena *arena = context->arena;
    struct chart *chart = arena_alloc(arena, sizeof(*chart));

    *chart = (struct chart){
        .x_axis = AXIS_DATA,
        .table = points_of(context, risk),
        .title =
            arena_print(arena, "What buying saves: %s \u00d7 %s, %.0f months",
                        context_count(context, in->of.own.gpu_count),
                        catalog_gpu(context->catalog, in->of.gpu)->name, in->of.own.horizon_months),
        .description =
            arena_print(arena,
                        "Of %s simulations, buying costs no more in %.4g%%; 90%% save between "
                        "%s and %s USD. Left of the line at zero renting is cheaper.",
                        context_count(context, in->draws), 100 * risk->probability_buy,
                        context_count(context, risk->saving[RISK_P05]),
                        context_count(context, risk->saving[RISK_P95])),
        .x_label = "What buying saves, USD",
        .y_label = "Share of simulations that save no more",
        .x_field = "buy_saving",
        .n_curves = 1,
        .curves = {{"probability_up_to", "simulations"}},
    };
    if (risk->classes[0].from <= 0 && risk->classes[risk->n_classes - 1].to >= 0)
        chart->marks[chart->n_marks++] = (struct chart_mark){0, "break-even", false};
    context->answer.chart = chart;
}

static const char *sentence_of(struct request_context *context,
                               const struct break_even_risk_out *out)
{
    struct arena *arena = context->arena;
    bool buys = strcmp(out->verdict, "buy") == 0, saves = out->buy_saving >= 0;
    const char *text = arena_print(
        arena,
        "As entered, %s costs %s less%s; it costs less in %.3g%% of %s simulations. In 90%% of "
        "them, "
        "buying saves between %s and %s (if negative, renting saves).",
        saves ? "buying" : "renting", currency_amount(context, fabs(out->buy_saving)),
        saves && !buys ? ", but is ruled out" : "",
        100 * (saves == buys ? out->probability_verdict_right : 1 - out->probability_verdict_right),
        context_count(context, out->draws), context_count(context, out->buy_saving_p05),
        currency_amount(context, out->buy_saving_p95));

    if (out->value_at_risk > 0)
        text = arena_join(arena, text, " In 5% ", buys ? "renting" : "buying",
                          " is cheaper by at least ", currency_amount(context, out->value_at_risk),
                          ", discounted to today; the other figures are not discounted.");
    return out->ask_first
               ? arena_join(arena, text, " Find out ", out->ask_first, " first: it matters most.")
               : text;
}

static bool answer(struct request_context *context, void *input, struct err *err)
{
    struct break_even_risk_in *in = input;
    struct risk_bands *bands = arena_alloc(context->arena, sizeof(*bands));
    struct risk *risk = arena_alloc(context->arena, sizeof(*risk));
    struct request_context *base = answer_base(context, err);

    if (!base)
        return false;
    context_take(context, base);
    struct break_even_risk_out *out = new_out(context, in, break_even_figures(base));
    if (!check_prices(&in->of, out->verdict, err) ||
        !break_even_risk_bands(context, base, bands, err))
        return false;
    warn_of_ends(context, bands);
    context->doing = arena_print(context->arena, "the simulation of %.0f draws", in->draws);
    simulate(context, in, bands, risk);
    if (cancelled(context->cancel))
        return false;
    fill_risk(out, risk);
    out->ask_first = best_to_know(bands, risk);
    out->sentence = sentence_of(context, out);
    add_chart(context, in, risk);
    context_values(context, out);
    add_inputs(context, bands, risk);
    add_classes(context, risk);
    take_offers(context, base);
    return true;
}

/* A draw takes about seven microseconds. */
static enum cost cost_of(const void *in)
{
    return ((const struct break_even_risk_in *)in)->draws > 2e4 ? COST_LONG : COST_SHORT;
}

const struct resource break_even_risk_resource = {
    .name = "break_even_risk",
    .headline = "probability_buy_cheaper",
    .summary = "How certain buy or rent is: the saving over many draws of uncertain prices",
    .in = &in_fields,
    .in_size = sizeof(struct break_even_risk_in),
    .out = &break_even_risk_out_fields,
    .tables = {{"drawn_inputs", "drawn_input", &break_even_risk_input_fields, "variance_share",
                "The inputs that are drawn, and how much each matters"},
               {"distribution", "class", &break_even_risk_class_fields, NULL,
                "How often the saving has which value"},
               OFFERS_USED_TABLE},
    .takes_model_config = true,
    .cost_of = cost_of,
    .work = "the simulation of all draws",
    .smaller = "ask for fewer draws",
    .answer = answer,
};
