/* genai_prices.c - pydantic's list of prices per token. */
#include "feed/formats.h"

#include <math.h>

#define TABLE genai_prices_row
#define TABLE_FILE "feed/hosted/genai_prices.def"
#include "base/field/table.h"

static double either(double flat, double base)
{
    return isnan(flat) ? base : flat;
}

static enum feed_fate take(struct feed_reader *reader, const void *from)
{
    const struct genai_prices_row *row = from;
    struct feed_hosted hosted = {
        .provider = row->up__id,
        .model = row->id,
        .input = either(row->prices__input_mtok, row->prices__input_mtok__base),
        .cached_input = either(row->prices__cache_read_mtok, row->prices__cache_read_mtok__base),
        .output = either(row->prices__output_mtok, row->prices__output_mtok__base),
        .context_tokens = row->context_window,
    };

    if (row->deprecated == 1)
        return FEED_NO_PRICE;
    if (!isnan(row->prices__0__prices__input_mtok))
        return feed_refuse(reader, "has several prices, each for days or hours of its own");
    return feed_take_hosted(reader, &hosted);
}

const struct feed_format feed_genai_prices = {
    .name = "genai-prices",
    .sentence = "pydantic's list of hosted models and their prices",
    .fields = FIELDS_INIT(genai_prices_row_rows),
    .row_size = sizeof(struct genai_prices_row),
    .open = true,
    .many = true,
    .rows = "models.*",
    .home = "https://github.com/pydantic/genai-prices",
    .table = &feed_table_hosted_price,
    .take = take,
};
