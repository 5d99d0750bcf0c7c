/* exchange_rates.c - our own CSV of exchange rates. */
#include "feed/formats.h"

#include <string.h>

#define TABLE exchange_rate_row
#define TABLE_FILE "feed/exchange_rates.def"
#include "base/field/table.h"

static const char *const columns[] = {"currency", "observed", "per_usd", "source"};
const struct feed_table feed_table_exchange_rate = {"exchange_rate", columns, 4,
                                                    "currency,observed", "per_usd"};

static enum feed_fate take(struct feed_reader *reader, const void *from)
{
    const struct feed_input *input = reader->input;
    const struct exchange_rate_row *row = from;
    const char *observed = row->observed_date[0] ? row->observed_date : input->observed;
    char rate[32];

    if (!feed_check_currency(reader, row->quote_currency))
        return FEED_REFUSED;
    if (strcmp(row->quote_currency, "USD") == 0)
        return feed_refuse(reader, "USD needs no rate: rates are for other currencies");
    if (!(row->rate > 0))
        return feed_refuse(reader, "%g is no rate", row->rate);
    if (!observed[0])
        return feed_refuse(reader, "has no day: neither the row nor the file gives one");
    const char *values[] = {row->quote_currency, observed, feed_print(row->rate, rate),
                            row->source_url[0] ? row->source_url : input->source};
    feed_give(reader, reader->csv.line, values);
    return FEED_GOOD;
}

const struct feed_format feed_exchange_rates = {
    .name = "exchange-rates",
    .sentence = "our own CSV of exchange rates, as /v1/exchange-rates.csv prints it",
    .fields = FIELDS_INIT(exchange_rate_row_rows),
    .row_size = sizeof(struct exchange_rate_row),
    .table = &feed_table_exchange_rate,
    .take = take,
};
