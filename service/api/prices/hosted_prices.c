/* hosted_prices.c - /v1/hosted-prices: prices of hosted APIs per million tokens, by model and
 * provider. */
#include "api/options/hosted_price.h"
#include "api/routes/resources.h"

#include "base/text.h"
#include "catalog/currency.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#define TABLE hosted_prices_in
#define TABLE_FILE "api/prices/hosted_prices_in.def"
#include "base/field/table.h"

#define TABLE hosted_price_row
#define TABLE_FILE "api/prices/hosted_price_row.def"
#include "base/field/table.h"

static struct hosted_price_row row_of(struct request_context *context,
                                      const struct hosted_price *price)
{
    const struct catalog *catalog = context->catalog;
    day as_of = context->as_of;
    bool ended = price->until && price->until <= as_of;

    return (struct hosted_price_row){
        .model = text_given(price->model),
        .provider = price->provider,
        .listed_model = price->name,
        .input_price_per_million_tokens =
            catalog_amount(catalog, price->input, price->currency, as_of),
        .cached_input_price_per_million_tokens =
            catalog_amount(catalog, price->cached_input, price->currency, as_of),
        .output_price_per_million_tokens =
            catalog_amount(catalog, price->output, price->currency, as_of),
        .context_tokens = price->context_tokens,
        .price_currency = price->currency,
        .first_observed_date = context_day(context, price->first_observed),
        .last_observed_date =
            context_day(context, price->last_observed < as_of ? price->last_observed : as_of),
        .valid_until_date = context_day(context, ended ? price->until : 0),
        .stale = hosted_price_is_stale(price, as_of),
        .feed = price->feed,
        .evidence = text_given(price->evidence),
        .source_url = price->source,
    };
}

static bool wanted(const struct hosted_prices_in *in, const struct model *model,
                   const struct hosted_price *price, day as_of)
{
    bool counts =
        in->history == 1 ? price->first_observed <= as_of : hosted_price_is_current(price, as_of);

    return counts && (!model || strcmp(price->model, model->slug) == 0) &&
           (!in->q || strcasestr(price->name, in->q)) &&
           (!in->provider || text_in_list(in->provider, price->provider)) &&
           (isnan(in->min_context_tokens) || price->context_tokens >= in->min_context_tokens);
}

static bool answer(struct request_context *context, void *input, struct err *err)
{
    const struct hosted_prices_in *in = input;
    const struct catalog *catalog = context->catalog;
    const struct model *model = NULL;
    size_t n = 0;

    if ((in->model && !lookup_model(context, in->model, (double)NAN, &model, err)) ||
        !hosted_price_check_providers(context, "provider", in->provider, err))
        return false;
    struct hosted_price_row *rows =
        arena_alloc(context->arena, (catalog->n_hosted_prices + 1) * sizeof(*rows));
    for (size_t i = 0; i < catalog->n_hosted_prices; i++)
        if (wanted(in, model, &catalog->hosted_prices[i], context->as_of))
            rows[n++] = row_of(context, &catalog->hosted_prices[i]);
    context_table(context, "rows", rows, n, sizeof(*rows));
    if (!n)
        context_warn(context, "no_price", "no hosted price%s%s matches the filters",
                     model ? " of " : "", model ? model->slug : "");
    return true;
}

const struct resource hosted_prices_resource = {
    .name = "hosted_prices",
    .headline = "output_price_per_million_tokens",
    .summary = "What hosted APIs charge per million tokens, by model and provider",
    .in = &hosted_prices_in_fields,
    .in_size = sizeof(struct hosted_prices_in),
    .tables = {{"rows", "hosted_price", &hosted_price_row_fields, NULL,
                "One price per provider and model"}},
    .answer = answer,
};
