/* quotes.c - our own CSV of vendor quotes. */
#include "feed/formats.h"

#include "base/text.h"

#include <string.h>

#define TABLE quotes_row
#define TABLE_FILE "feed/quotes.def"
#include "base/field/table.h"

static const char *const columns[] = {
    "kind",       "provider",       "gpu",        "gpu_count", "purchase_option", "region",
    "price",      "discount_ratio", "price_unit", "currency",  "valid_from",      "valid_until",
    "attachment", "note",
};
static const struct feed_table table = {
    "quote", columns, 14,
    "kind, provider, gpu, gpu_count, purchase_option, region, price_unit, currency, valid_from",
    "price, discount_ratio, valid_until"};

enum { PROVIDER_MAX = 63 };

static bool is(const char *text, const char *word)
{
    return strcmp(text, word) == 0;
}

/* The constraints of table quote on a rental or hardware. */
static const char *price_rule(const struct quotes_row *row)
{
    bool rental = is(row->kind, "rental");
    bool per_node = is(row->price_unit, "per_node_hour") || is(row->price_unit, "per_server");
    bool hourly = is(row->price_unit, "per_gpu_hour") || is(row->price_unit, "per_node_hour");

    if (!row->gpu[0] || isnan(row->price) || !row->price_unit[0])
        return "needs gpu, price and price_unit";
    if (!isnan(row->discount_ratio))
        return "only a discount has a discount_ratio";
    if (rental != hourly)
        return "a rental is priced per hour, hardware per card or server";
    if (rental != (row->purchase_option[0] != '\0'))
        return "a rental has a purchase_option, hardware has none";
    if (row->price == 0 && !is(row->purchase_option, "on_demand"))
        return "price 0 is for rentals already paid for, with purchase_option on_demand";
    if ((per_node || row->price == 0) && isnan(row->gpu_count))
        return "needs gpu_count for a price per node or server, or of 0";
    if (is(row->price_unit, "per_card") && row->gpu_count > 1)
        return "a card has one GPU";
    return NULL;
}

/* The constraints of table quote that depend on the kind. */
static const char *kind_rule(const struct quotes_row *row)
{
    if (!is(row->kind, "rental") && row->region[0])
        return "only a rental has a region";
    if (!is(row->kind, "discount"))
        return price_rule(row);
    if (!(row->discount_ratio > 0))
        return "a discount needs a discount_ratio above 0, such as 0.2 for 20%";
    if (!isnan(row->price) || row->price_unit[0] || !isnan(row->gpu_count))
        return "a discount has no price, price_unit or gpu_count";
    return NULL;
}

static bool check(struct feed_reader *reader, const struct quotes_row *row, const char *from)
{
    const char *rule = kind_rule(row);
    int32_t first = 0, last = 0;

    if (rule)
        feed_refuse(reader, "%s", rule);
    else if (!feed_is_slug(row->provider, "-") || strlen(row->provider) > PROVIDER_MAX)
        feed_refuse(reader, "provider \"%.63s\" is not in lower case with hyphens, up to 63",
                    row->provider);
    else if (row->price < 0 || isinf(row->price))
        feed_refuse(reader, "%g is no price", row->price);
    else if (!text_day(from, &first) || first < 20000101)
        feed_refuse(reader, "needs valid_from, a day from 2000-01-01");
    else if (row->valid_until[0] &&
             (!text_day(row->valid_until, &last) || last < first || last >= 22000101))
        feed_refuse(reader, "valid_until %.10s is before %.10s or after 2199", row->valid_until,
                    from);
    else
        return (!row->gpu[0] || feed_check_gpu(reader, row->gpu)) &&
               feed_check_currency(reader, row->currency);
    return false;
}

static enum feed_fate take(struct feed_reader *reader, const void *from)
{
    const struct quotes_row *row = from;
    const char *first = row->valid_from[0] ? row->valid_from : reader->input->observed;
    char count[32], price[32], discount[32];

    if (!check(reader, row, first))
        return FEED_REFUSED;
    const char *values[] = {
        row->kind,
        row->provider,
        feed_given(row->gpu, NULL),
        feed_print(isnan(row->gpu_count) ? 1 : row->gpu_count, count),
        feed_given(row->purchase_option, NULL),
        feed_given(row->region, NULL),
        isnan(row->price) ? NULL : feed_print(row->price, price),
        isnan(row->discount_ratio) ? NULL : feed_print(row->discount_ratio, discount),
        feed_given(row->price_unit, NULL),
        row->currency,
        first,
        feed_given(row->valid_until, NULL),
        feed_given(row->attachment, NULL),
        feed_given(row->note, NULL),
    };
    feed_give(reader, reader->csv.line, values);
    return FEED_GOOD;
}

const struct feed_format feed_quotes = {
    .name = "quotes",
    .sentence = "our own CSV of vendor quotes, with the fields of POST /v1/quotes",
    .fields = FIELDS_INIT(quotes_row_rows),
    .row_size = sizeof(struct quotes_row),
    .table = &table,
    .needs = "gpu price price_unit",
    .take = take,
};
