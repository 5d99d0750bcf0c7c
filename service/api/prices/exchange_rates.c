/* exchange_rates.c - /v1/exchange-rates: the imported exchange rates by date; none initially. */
#include "api/routes/resources.h"

#include <strings.h>

#define TABLE exchange_rates_in
#define TABLE_FILE "api/prices/exchange_rates_in.def"
#include "base/field/table.h"

#define TABLE exchange_rate_row
#define TABLE_FILE "api/prices/exchange_rate_row.def"
#include "base/field/table.h"

static bool answer(struct request_context *context, void *input, struct err *err)
{
    const struct exchange_rates_in *in = input;
    const struct catalog *catalog = context->catalog;
    struct exchange_rate_row *rows =
        arena_alloc(context->arena, (catalog->n_rates + 1) * sizeof(*rows));
    size_t n = 0;

    (void)err;
    for (size_t i = 0; i < catalog->n_rates; i++) {
        const struct exchange_rate *rate = &catalog->rates[i];
        if ((!in->quote_currency || strcasecmp(in->quote_currency, rate->currency) == 0) &&
            rate->observed <= context->as_of)
            rows[n++] = (struct exchange_rate_row){
                rate->currency, rate->per_usd, context_day(context, rate->observed), rate->source};
    }
    context_table(context, "rows", rows, n, sizeof(*rows));
    return true;
}

const struct resource exchange_rates_resource = {
    .name = "exchange_rates",
    .headline = "rate",
    .summary = "The exchange rates that were imported",
    .in = &exchange_rates_in_fields,
    .in_size = sizeof(struct exchange_rates_in),
    .tables = {{"rows", "exchange_rate", &exchange_rate_row_fields, NULL, "One rate each"}},
    .answer = answer,
};
