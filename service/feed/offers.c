/* offers.c - our own CSV of rental prices. */
#include "feed/formats.h"

#define TABLE offers_row
#define TABLE_FILE "feed/offers.def"
#include "base/field/table.h"

static enum feed_fate take(struct feed_reader *reader, const void *from)
{
    const struct offers_row *row = from;
    struct feed_offer offer = {
        .provider = row->provider,
        .instance = row->instance,
        .region = row->region,
        .zone = row->zone,
        .gpu = row->gpu,
        .option = row->purchase_option,
        .currency = row->offer_currency,
        .from = row->observed_date,
        .until = row->valid_until_date,
        .text = row->observed_text,
        .source = row->source_url,
        .note = row->normalization_note,
        .gpu_count = row->gpu_count,
        .price_per_hour = row->price_per_hour,
        .unusable = row->usable == 0,
    };

    if (isnan(row->price_per_hour))
        offer.price_per_hour = row->price_per_gpu_hour * row->gpu_count;
    if (isnan(offer.price_per_hour))
        return feed_refuse(reader, "has neither price_per_hour nor price_per_gpu_hour");
    if (!feed_take_converted(reader, row->exchange_rate, row->offer_price_per_hour,
                             &offer.price_per_hour))
        return FEED_REFUSED;
    if (!feed_check_sum(reader, row->gpu_count, row->price_per_gpu_hour, row->price_per_hour) ||
        !feed_check_offer(reader, &offer))
        return FEED_REFUSED;
    feed_give_offer(reader, reader->csv.line, &offer);
    return FEED_GOOD;
}

const struct feed_format feed_offers = {
    .name = "offers",
    .sentence = "our own CSV of rental prices, as /v1/offers.csv prints it",
    .fields = FIELDS_INIT(offers_row_rows),
    .row_size = sizeof(struct offers_row),
    .table = &feed_table_offer,
    .take = take,
};
