/* quotes.c - GET /v1/quotes, /v1/quotes/{id} and its history: a team's own quotes. */
#include "api/prices/quotes.h"

#include "api/resource/currency.h"
#include "api/routes/resources.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

#define TABLE quotes_in
#define TABLE_FILE "api/prices/quotes_in.def"
#include "base/field/table.h"

#define TABLE quote_in
#define TABLE_FILE "api/prices/quote_in.def"
#include "base/field/table.h"

#define TABLE quote_change_row
#define TABLE_FILE "api/prices/quote_change_row.def"
#include "base/field/table.h"

static const struct field rows_of_quote[] = {
#define FIELDS_OF struct quote_row
#include "base/field/rows.h"
#include "api/prices/quote_row.def"
#include "base/field/end.h"
};
const struct fields quote_row_fields = FIELDS_INIT(rows_of_quote);

/* The price used by answers: per GPU, in the requested currency, at the day's rate. */
static void fill_price(struct request_context *context, struct quote_row *row,
                       const struct quote *quote)
{
    if (quote_is_discount(quote))
        return;
    struct money_own own = currency_of(context, quote_price_per_gpu(quote), quote->currency);

    row->exchange_rate = own.per_usd;
    row->exchange_rate_date = own.rate_date;
    row->price_per_gpu_hour = quote_is_rental(quote) ? own.converted : (double)NAN;
    row->price_per_gpu = quote_is_rental(quote) ? (double)NAN : own.converted;
}

struct quote_row quote_row_of(struct request_context *context, const struct quote *quote)
{
    struct quote_row row = {
        .quote_id = quote->id,
        .version = quote->version,
        .kind = quote->kind,
        .provider = quote->provider,
        .gpu = text_given(quote->gpu),
        .gpu_count = quote_is_discount(quote) ? (double)NAN : quote->gpu_count,
        .purchase_option = text_given(quote->purchase_option),
        .region = text_given(quote->region),
        .price = quote->price,
        .discount_ratio = quote->discount_ratio,
        .price_per_gpu_hour = (double)NAN,
        .price_per_gpu = (double)NAN,
        .exchange_rate = (double)NAN,
        .price_unit = text_given(quote->price_unit),
        .price_currency = quote_is_discount(quote) ? NULL : quote->currency,
        .valid_from = context_day(context, quote->valid_from),
        .valid_until = context_day(context, quote->valid_until),
        .valid = quote_valid(quote, context->as_of),
        .hidden = quote->hidden,
        .attachment = text_given(quote->attachment),
        .note = text_given(quote->note),
        .created_at = quote->created_at,
        .created_by = quote->created_by,
        .changed_at = quote->changed_at,
        .changed_by = quote->changed_by,
    };

    fill_price(context, &row, quote);
    return row;
}

static bool wanted(const struct quotes_in *in, const struct quote *quote, day as_of)
{
    return quote_known(quote, as_of) && (in->hidden == 1 || !quote->hidden) &&
           (!in->gpu || strcmp(in->gpu, quote->gpu) == 0) &&
           (!in->provider || text_in_list(in->provider, quote->provider)) &&
           (!in->kind || strcmp(in->kind, quote->kind) == 0) &&
           (!in->purchase_option || strcmp(in->purchase_option, quote->purchase_option) == 0) &&
           (isnan(in->valid) || (in->valid == 1) == quote_valid(quote, as_of));
}

/* An unknown provider is refused; one known only from hidden quotes is not. */
static bool check_provider(struct request_context *context, const char *provider, struct err *err)
{
    for (size_t i = 0; provider && i < context->catalog->n_quotes; i++)
        if (text_in_list(provider, context->catalog->quotes[i].provider))
            return true;
    return pricing_check_provider(context, provider, err);
}

static bool answer_quotes(struct request_context *context, void *input, struct err *err)
{
    const struct quotes_in *in = input;
    const struct catalog *catalog = context->catalog;
    const struct gpu *gpu;
    size_t n = 0;

    if (in->gpu)
        lookup_gpu(context, "gpu", in->gpu, &gpu, err);
    check_provider(context, in->provider, err);
    if (err->n_culprits)
        return false;
    struct quote_row *rows = arena_alloc(context->arena, (catalog->n_quotes + 1) * sizeof(*rows));
    for (size_t i = 0; i < catalog->n_quotes; i++)
        if (wanted(in, &catalog->quotes[i], context->as_of))
            rows[n++] = quote_row_of(context, &catalog->quotes[i]);
    context_table(context, "rows", rows, n, sizeof(*rows));
    return true;
}

static bool no_quote(const struct request_context *context, struct err *err)
{
    return err_set(err, ERR_NOT_FOUND, "no quote %.40s existed on that day; /v1/quotes lists them",
                   context->path_name);
}

bool quote_read_id(const struct request_context *context, double *id, struct err *err)
{
    size_t digits = strspn(context->path_name, "0123456789");

    if (context->path_name[digits] || digits > 15 || !text_number(context->path_name, id))
        return err_set(
            err, ERR_NOT_FOUND,
            "a quote is identified by its number, as in /v1/quotes/7; /v1/quotes lists them");
    return true;
}

static bool answer_quote(struct request_context *context, void *input, struct err *err)
{
    const struct quote_in *in = input;
    struct quote_row *row = arena_alloc(context->arena, sizeof(*row));
    double id = (double)NAN;

    if (!quote_read_id(context, &id, err))
        return false;
    const struct quote *quote = catalog_quote(context->catalog, id, context->as_of);
    if (!quote)
        return no_quote(context, err);
    if (quote->hidden && in->hidden != 1)
        return err_set(err, ERR_NOT_FOUND,
                       "quote %.0f is deleted; add hidden=1 to see it, and see "
                       "/v1/quotes/%.0f/history",
                       id, id);
    *row = quote_row_of(context, quote);
    context_values(context, row);
    return true;
}

static bool answer_history(struct request_context *context, void *input, struct err *err)
{
    const struct catalog *catalog = context->catalog;
    struct quote_change_row *rows =
        arena_alloc(context->arena, (catalog->n_quote_changes + 1) * sizeof(*rows));
    size_t n = 0;
    double id = (double)NAN;

    (void)input;
    if (!quote_read_id(context, &id, err))
        return false;
    for (size_t i = 0; i < catalog->n_quote_changes; i++) {
        const struct quote_change *change = &catalog->quote_changes[i];
        if (change->id == id && change->recorded <= context->as_of)
            rows[n++] = (struct quote_change_row){
                change->version,          change->action, change->changed_at,
                change->changed_by,       change->field,  text_given(change->before),
                text_given(change->after)};
    }
    if (!n)
        return no_quote(context, err);
    context_table(context, "rows", rows, n, sizeof(*rows));
    return true;
}

const struct resource quotes_resource = {
    .name = "quotes",
    .headline = "quote_id",
    .summary = "The team's own vendor quotes, as known on a day",
    .in = &quotes_in_fields,
    .in_size = sizeof(struct quotes_in),
    .tables = {{"rows", "quote", &quote_row_fields, NULL, "One quote each"}},
    .answer = answer_quotes,
};

const struct resource quote_resource = {
    .name = "quote",
    .headline = "price",
    .summary = "One quote",
    .in = &quote_in_fields,
    .in_size = sizeof(struct quote_in),
    .out = &quote_row_fields,
    .put = &quote_replace_resource,
    .remove = &quote_hide_resource,
    .answer = answer_quote,
};

/* Its only input is the number of the quote. */
static const struct fields no_fields = {0};

const struct resource quote_history_resource = {
    .name = "quote_history",
    .headline = "version",
    .summary = "The changes of a quote since its first version: who, what and when",
    .in = &no_fields,
    .tables = {{"rows", "quote_change", &quote_change_row_fields, NULL,
                "One changed field per "
                "row"}},
    .answer = answer_history,
};
