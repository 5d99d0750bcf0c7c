/* gpus.c - /v1/break-even/gpus: several GPU types side by side, with a break-even for each; with a
 * workload, each with the number of GPUs it needs. */
#include "api/break_even/break_even.h"
#include "api/break_even/plan.h"

#include "answer/svg.h"
#include "api/resource/difference.h"
#include "api/options/options.h"
#include "api/options/shared_warnings.h"
#include "api/routes/resources.h"
#include "api/analysis/sensitivity_run.h"
#include "base/sort.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

/* The break-even inputs come first, so that their table's offsets are valid here too. */
struct break_even_gpus_in {
    struct break_even_in of;
#include "base/field/members.h"
#include "api/break_even/gpus_in.def"
#include "base/field/end.h"
};

static const struct field in_rows[] = {
#define FIELDS_OF struct break_even_in
#include "base/field/rows.h"
#include "api/break_even/in.def"
#include "base/field/end.h"
#define FIELDS_OF struct ownership
#include "base/field/rows.h"
#include "estimate/ownership/inputs.def"
#include "base/field/end.h"
#define FIELDS_OF struct break_even_gpus_in
#include "base/field/rows.h"
#include "api/break_even/gpus_in.def"
#include "base/field/end.h"
};
static const struct fields in_fields = FIELDS_INIT(in_rows);

#define TABLE break_even_gpus_out
#define TABLE_FILE "api/break_even/gpus_out.def"
#include "base/field/table.h"

#define TABLE break_even_gpus_row
#define TABLE_FILE "api/break_even/gpus_row.def"
#include "base/field/table.h"

#define TABLE break_even_gpus_bar
#define TABLE_FILE "api/break_even/gpus_bar.def"
#include "base/field/table.h"

/* A GPU type and its break-even. */
struct kind {
    const char *gpu;
    double rent_price, server_price; /* prices given for it; NAN if not given */
    struct arena arena;
    struct request_context *answered; /* NULL if refused */
    struct err err;
};

struct comparison_of_gpus {
    struct request_context *context;
    struct kind *kinds;
    size_t n, n_answered;
};

/* ---- the GPUs, and their prices */

/* Inputs about one GPU type cannot be given for several at once. */
static bool check_single(struct request_context *context, size_t n, struct err *err)
{
    static const char *const of_one[][2] = {
        {"rent_price_per_gpu_hour", "give rent_prices"},
        {"server_price", "give server_prices"},
        {"gpu_card_price", "give server_prices"},
        {"gpu_tdp_w", "ask for each GPU separately"},
        {"node_power_kw", "ask for each GPU separately"},
        {"lease_payment_month", "ask for each GPU separately"},
        {"residual_value", "give annual_value_retention"},
        {"tokens_per_second", "ask for each GPU separately"},
    };
    bool good = true;

    for (size_t i = 0; n > 1 && i < sizeof(of_one) / sizeof(of_one[0]); i++)
        if (context_given(context, of_one[i][0]))
            good =
                context_refuse(context, err, of_one[i][0], "contradiction",
                               "applies to one GPU type, but gpu names %zu: %s", n, of_one[i][1]);
    return good;
}

/* `prices` is a list of gpu:price, given as parameter `name`. */
static bool check_prices(struct request_context *context, const char *name, const char *prices,
                         const struct break_even_gpus_in *in, struct err *err)
{
    const char *item;
    bool good = true;

    if (!options_check_figures(context, name, prices, false, err))
        return false;
    while ((item = arena_next_item(context->arena, &prices))) {
        const char *gpu = arena_part(context->arena, item, strcspn(item, ":"));
        if (!text_in_list(in->of.gpu, gpu))
            good = context_refuse(context, err, name, "contradiction", "%s is not among gpu", gpu);
    }
    return good;
}

static bool add_kind(struct comparison_of_gpus *c, const struct break_even_gpus_in *in,
                     const char *gpu, struct err *err)
{
    for (size_t i = 0; i < c->n; i++)
        if (strcmp(c->kinds[i].gpu, gpu) == 0)
            return context_refuse(c->context, err, "gpu", "contradiction", "names %s twice", gpu);
    c->kinds[c->n++] = (struct kind){
        .gpu = gpu,
        .rent_price = text_figure_in_list(in->rent_prices, gpu),
        .server_price = text_figure_in_list(in->server_prices, gpu),
    };
    return true;
}

/* Compare the same number of each. Without this, desktop cards would be counted by their own
 * default, one card. */
static void keep_count(struct comparison_of_gpus *c, const struct break_even_gpus_in *in)
{
    bool desks = false;

    for (size_t i = 0; i < c->n; i++)
        desks |= break_even_is_for_desks(catalog_gpu(c->context->catalog, c->kinds[i].gpu));
    if (desks && c->n > 1)
        context_set_number(c->context, "gpu_count", in->of.own.gpu_count, SOURCE_REQUEST, NULL);
}

static bool read_kinds(struct comparison_of_gpus *c, const struct break_even_gpus_in *in,
                       struct err *err)
{
    struct request_context *context = c->context;
    bool good = options_check_gpus(context, in->of.gpu, err);

    good = check_prices(context, "rent_prices", in->rent_prices, in, err) && good;
    good = check_prices(context, "server_prices", in->server_prices, in, err) && good;
    if (!good)
        return false;
    c->kinds = arena_alloc(context->arena, (strlen(in->of.gpu) + 1) * sizeof(*c->kinds));
    const char *list = in->of.gpu, *gpu;
    while ((gpu = arena_next_item(context->arena, &list)))
        good = add_kind(c, in, catalog_gpu(context->catalog, gpu)->slug, err) && good;
    keep_count(c, in);
    return check_single(context, c->n, err) && good;
}

/* ---- a break-even for each */

static void answer_kind(void *context, size_t i)
{
    const struct comparison_of_gpus *c = context;
    struct kind *kind = &c->kinds[i];
    struct request_context *again = context_again(c->context, &break_even_resource, &kind->arena);

    context_set_text(again, "gpu", kind->gpu, SOURCE_REQUEST, NULL);
    if (!isnan(kind->rent_price))
        context_set_number(again, "rent_price_per_gpu_hour", kind->rent_price, SOURCE_REQUEST,
                           NULL);
    if (!isnan(kind->server_price))
        context_set_number(again, "server_price", kind->server_price, SOURCE_REQUEST, NULL);
    if (again->resource->answer(again, again->inputs.values, &kind->err))
        kind->answered = again;
}

/* Returns false, with the error of the first, if none has an answer. */
static bool answer_kinds(struct comparison_of_gpus *c, struct err *err)
{
    parallel_each(c->context->parallel, c->n, answer_kind, c);
    for (size_t i = 0; i < c->n; i++)
        c->n_answered += c->kinds[i].answered != NULL;
    if (c->n_answered == 0)
        *err = c->kinds[0].err;
    return c->n_answered > 0 && !cancelled(c->context->cancel);
}

static const struct kind *first_answered(const struct comparison_of_gpus *c)
{
    size_t i = 0;

    while (!c->kinds[i].answered)
        i++;
    return &c->kinds[i];
}

/* ---- rows */

/* Link to its break-even, with the prices given for it under that resource's names. */
static const char *link_of(struct request_context *context, const struct kind *kind)
{
    struct buf out;

    if (context->model_config)
        return NULL;
    buf_init(&out, OPTIONS_LINK_MAX);
    options_link_text(&out, "gpu", kind->gpu);
    options_link_given(&out, context, break_even_resource.in, "gpu");
    if (!isnan(kind->rent_price))
        options_link_number(&out, "rent_price_per_gpu_hour", kind->rent_price);
    if (!isnan(kind->server_price))
        options_link_number(&out, "server_price", kind->server_price);
    options_link_day(&out, context);
    const char *link = arena_print(context->arena, "/v1/break-even%s", buf_data(&out));
    buf_free(&out);
    return link;
}

static double least(const char *buy_ruled_out, double buy, double rent)
{
    return buy_ruled_out ? rent : fmin(buy, rent);
}

static void fill_row(struct request_context *context, const struct kind *kind,
                     struct break_even_gpus_row *row)
{
    fields_clear(break_even_gpus_row_fields, row);
    row->gpu = kind->gpu;
    row->break_even = link_of(context, kind);
    if (!kind->answered) {
        row->note = options_refusal_text(context, &kind->err, true);
        return;
    }
    sensitivity_run_copy(context->arena, kind->answered, break_even_gpus_row_fields, row);
    const struct ownership *own = &break_even_inputs(kind->answered)->own;
    const char *ruled_out = break_even_figures(kind->answered)->buy_ruled_out;

    row->rent_price_per_gpu_hour = own->rent_price_per_gpu_hour;
    row->server_price = own->server_price;
    row->purchase_option = arena_text(context->arena, own->purchase_option);
    row->gpus_per_node = own->gpus_per_node;
    row->least_total_cost = least(ruled_out, row->buy_total_cost, row->rent_total_cost);
    row->least_total_cost_low = least(ruled_out, row->buy_total_cost_low, row->rent_total_cost_low);
    row->least_total_cost_high =
        least(ruled_out, row->buy_total_cost_high, row->rent_total_cost_high);
}

/* Cheapest first, unknown last, ties by name. */
static int by_cost(const void *left, const void *right)
{
    const struct break_even_gpus_row *a = left, *b = right;

    if (isnan(a->least_total_cost) != isnan(b->least_total_cost))
        return isnan(a->least_total_cost) ? 1 : -1;
    if (a->least_total_cost < b->least_total_cost || a->least_total_cost > b->least_total_cost)
        return a->least_total_cost < b->least_total_cost ? -1 : 1;
    return strcmp(a->gpu, b->gpu);
}

static struct break_even_gpus_row *add_rows(struct comparison_of_gpus *c)
{
    struct request_context *context = c->context;
    struct break_even_gpus_row *rows = arena_alloc(context->arena, c->n * sizeof(*rows));

    for (size_t i = 0; i < c->n; i++)
        fill_row(context, &c->kinds[i], &rows[i]);
    sort_items(rows, c->n, sizeof(*rows), by_cost);
    for (size_t i = 0; i < c->n && !isnan(rows[i].least_total_cost); i++) {
        rows[i].rank = (double)(i + 1);
        rows[i].best = rows[i].least_total_cost == rows[0].least_total_cost;
    }
    context_table(context, "options", rows, c->n, sizeof(*rows));
    return rows;
}

/* ---- headline values, chart and warnings */

static const char *option_of(const struct break_even_gpus_row *row)
{
    return row->least_total_cost == row->buy_total_cost ? "buy" : "rent";
}

/* The index in c->kinds of the row's GPU. */
static size_t kind_of(const struct comparison_of_gpus *c, const struct break_even_gpus_row *row)
{
    size_t i = 0;

    while (i + 1 < c->n && strcmp(c->kinds[i].gpu, row->gpu) != 0)
        i++;
    return i;
}

/* True if renting it is cheapest only by rents derived from other prices. */
static bool rests_on_derived(const struct comparison_of_gpus *c,
                             const struct break_even_gpus_row *row)
{
    return answer_warns(&c->kinds[kind_of(c, row)].answered->answer, "derived_price_turns_verdict",
                        NULL);
}

/* Names the first row, as the cheapest "of what is known" if any cost is unknown. */
static const char *sentence_of(const struct comparison_of_gpus *c,
                               const struct break_even_gpus_row *rows, double months)
{
    struct request_context *context = c->context;
    const struct break_even_gpus_row *best = &rows[0];
    bool buy = strcmp(option_of(best), "buy") == 0, known = true;

    for (size_t i = 0; i < c->n; i++)
        known = known && !isnan(rows[i].buy_total_cost + rows[i].rent_total_cost);
    return arena_print(context->arena, "%s %s x %s is cheapest%s over %.0f month%s: %s %s%s.",
                       buy ? "Buying" : "Renting", context_count(context, best->gpu_count),
                       best->gpu, known ? "" : " of what is known", months, text_plural(months),
                       context_count(context, best->least_total_cost),
                       context->answer.meta.currency,
                       !buy && rests_on_derived(c, best) ? ", if the derived rents hold" : "");
}

static void fill_out(const struct comparison_of_gpus *c, const struct break_even_gpus_row *rows)
{
    struct request_context *context = c->context;
    const struct break_even_out *first = break_even_figures(first_answered(c)->answered);
    struct break_even_gpus_out *out = arena_alloc(context->arena, sizeof(*out));

    fields_clear(break_even_gpus_out_fields, out);
    out->gpus_compared = (double)c->n;
    out->gpus_without_cost = 0;
    for (size_t i = 0; i < c->n; i++)
        out->gpus_without_cost += isnan(rows[i].least_total_cost);
    out->horizon_months = first->horizon_months;
    out->hosted_total_cost = first->hosted_total_cost;
    out->hosted_total_cost_low = first->hosted_total_cost_low;
    out->hosted_total_cost_high = first->hosted_total_cost_high;
    out->workload = arena_text(context->arena, first->workload);
    out->next_total_cost = c->n > 1 ? rows[1].least_total_cost : (double)NAN;
    if (!isnan(rows[0].least_total_cost)) {
        out->best_gpu = rows[0].gpu;
        out->best_option = option_of(&rows[0]);
        out->best_gpu_count = rows[0].gpu_count;
        out->best_total_cost = rows[0].least_total_cost;
        out->sentence = sentence_of(c, rows, out->horizon_months);
    } else {
        out->sentence = "No verdict: neither a purchase price nor a rent of any of them is known; "
                        "enter server_prices and rent_prices.";
    }
    context_values(context, out);
}

/* Both costs of each, in row order. */
static const struct table *bars_of(struct request_context *context,
                                   const struct break_even_gpus_row *rows, size_t n)
{
    struct table *table = arena_alloc(context->arena, sizeof(*table));
    struct break_even_gpus_bar *bars = arena_alloc(context->arena, 2 * n * sizeof(*bars));

    for (size_t i = 0; i < n; i++) {
        const char *name = catalog_gpu(context->catalog, rows[i].gpu)->name;
        bars[2 * i] = (struct break_even_gpus_bar){arena_print(context->arena, "%s, bought", name),
                                                   rows[i].buy_total_cost, 1};
        bars[2 * i + 1] = (struct break_even_gpus_bar){
            arena_print(context->arena, "%s, rented", name), rows[i].rent_total_cost, 0};
    }
    *table = (struct table){
        .fields = break_even_gpus_bar_fields, .rows = bars, .n = 2 * n, .stride = sizeof(*bars)};
    return table;
}

static void draw(struct request_context *context, const struct break_even_gpus_row *rows, size_t n)
{
    struct chart *chart = arena_alloc(context->arena, sizeof(*chart));

    *chart = (struct chart){
        .kind = CHART_BARS,
        .table = bars_of(context, rows, n),
        .title = "What each GPU costs, bought and rented",
        .description = "One bar each for buying and renting, cheapest GPU first; none if a price "
                       "is unknown. The same figures as a table: this address with .csv.",
        .x_label = "Cost over the time frame, USD",
        .x_field = "name",
        .mark_field = "bought",
        .n_curves = 1,
        .curves = {{"total_cost", "cost"}},
    };
    context->answer.chart = chart;
}

/* The warnings of the cheapest GPU come first, since they concern the headline. */
static void warn(const struct comparison_of_gpus *c, const struct break_even_gpus_row *rows)
{
    size_t best = kind_of(c, &rows[0]);

    if (!break_even_figures(first_answered(c)->answered)->workload && c->n > 1)
        context_warn(
            c->context, "not_the_same_work",
            "all are compared with the same number of GPUs and hours, which is not the same "
            "amount of work: enter a model and its load or tokens to compare them for equal work");
    for (size_t i = 0; i < c->n; i++)
        if (!c->kinds[i].answered)
            context_warn(c->context, "no_answer", "%s: %s", c->kinds[i].gpu,
                         options_refusal_text(c->context, &c->kinds[i].err, true));
    struct shared_warnings_of *of = arena_alloc(c->context->arena, c->n * sizeof(*of));
    for (size_t i = 0; i < c->n; i++) {
        const struct kind *kind = &c->kinds[i == 0 ? best : i <= best ? i - 1 : i];
        of[i] =
            (struct shared_warnings_of){kind->gpu, kind->answered ? &kind->answered->answer : NULL};
    }
    shared_warnings_repeat(c->context, of, c->n, "each with the figures in its break_even");
}

/* True if every answer used the same value from the same source. */
static bool is_common(const struct comparison_of_gpus *c, size_t input)
{
    const struct inputs *first = &first_answered(c)->answered->inputs;
    const char *reference = first->references[input];

    for (size_t i = 0; i < c->n; i++) {
        if (!c->kinds[i].answered)
            continue;
        const struct inputs *inputs = &c->kinds[i].answered->inputs;
        const char *other = inputs->references[input];
        if (!difference_is_none(&first->fields.at[input], first->values, inputs->values) ||
            inputs->sources[input] != first->sources[input] || !reference != !other ||
            (reference && strcmp(reference, other) != 0))
            return false;
    }
    return true;
}

static void take_input(struct request_context *context, const struct field *field,
                       const void *values, enum source source, const char *reference)
{
    if (field_is_text(field))
        context_set_text(context, field->name,
                         arena_text(context->arena, field_text(field, values)), source,
                         arena_text(context->arena, reference));
    else
        context_set_number(context, field->name, field_number(field, values), source,
                           arena_text(context->arena, reference));
}

/* Show the filled-in defaults, except those that differ between GPUs. */
static void take_inputs(const struct comparison_of_gpus *c)
{
    const struct inputs *from = &first_answered(c)->answered->inputs;
    struct break_even_in unknown;

    fields_clear(*break_even_resource.in, &unknown);
    for (size_t i = 0; i < from->fields.n; i++)
        if (!context_given(c->context, from->fields.at[i].name))
            take_input(c->context, &from->fields.at[i], is_common(c, i) ? from->values : &unknown,
                       from->sources[i], is_common(c, i) ? from->references[i] : NULL);
}

static bool answer(struct request_context *context, void *input, struct err *err)
{
    struct comparison_of_gpus c = {.context = context};

    if (!read_kinds(&c, input, err))
        return false;
    bool good = answer_kinds(&c, err);
    if (good) {
        const struct break_even_gpus_row *rows = add_rows(&c);
        fill_out(&c, rows);
        draw(context, rows, c.n);
        warn(&c, rows);
        take_inputs(&c);
    }
    for (size_t i = 0; i < c.n; i++)
        arena_free(&c.kinds[i].arena);
    return good;
}

static enum cost cost_of(const void *in)
{
    return break_even_has_workload(in) ? COST_LONG : COST_SHORT;
}

const struct resource break_even_gpus_resource = {
    .name = "break_even_gpus",
    .headline = "best_total_cost",
    .summary = "Several GPU types side by side: buy or rent each, for the same work if a "
               "workload is given",
    .in = &in_fields,
    .in_size = sizeof(struct break_even_gpus_in),
    .out = &break_even_gpus_out_fields,
    .tables = {{"options", "option", &break_even_gpus_row_fields, NULL,
                "The GPU types, cheapest first"}},
    .takes_model_config = true,
    .listed = true,
    .cost_of = cost_of,
    .work = "the break-even of every GPU type",
    .smaller = "name fewer GPUs, or give utilization instead of a workload",
    .answer = answer,
};
