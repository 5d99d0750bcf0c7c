/* hardware.c - our own CSV of purchase prices. */
#include "feed/formats.h"

#include <stdio.h>
#include <string.h>

#define TABLE hardware_row
#define TABLE_FILE "feed/hardware.def"
#include "base/field/table.h"

static const char *const columns[] = {
    "hardware_id", "kind",     "seller",        "gpu",    "gpu_count", "price",
    "currency",    "observed", "observed_text", "usable", "source",    "note",
};
static const struct feed_table table = {"hardware", columns, 12, "hardware_id",
                                        "kind,seller,gpu,gpu_count,price,currency,observed,usable"};

static bool check(struct feed_reader *reader, const struct hardware_row *row)
{
    if (!(row->price > 0))
        feed_refuse(reader, "%g is no price", row->price);
    else if (strcmp(row->kind, "card") == 0 && row->gpu_count != 1)
        feed_refuse(reader, "a card has 1 GPU, not %g", row->gpu_count);
    else
        return feed_check_sum(reader, row->gpu_count, row->price_per_gpu, row->price) &&
               feed_check_gpu(reader, row->gpu) && feed_check_currency(reader, row->price_currency);
    return false;
}

static enum feed_fate take(struct feed_reader *reader, const void *from)
{
    const struct feed_input *input = reader->input;
    const struct hardware_row *row = from;
    double asked = row->price;
    char id[3 * FIELD_TEXT_MAX], count[32], price[32];

    if (!check(reader, row) ||
        !feed_take_converted(reader, row->exchange_rate, row->asked_price, &asked))
        return FEED_REFUSED;
    snprintf(id, sizeof(id), "%s/%s/%s/%.0f", row->gpu, row->kind, row->seller, row->gpu_count);
    const char *observed = feed_given(row->observed_date, feed_given(input->observed, NULL));
    const char *values[] = {
        feed_given(row->hardware_id, id),
        row->kind,
        row->seller,
        row->gpu,
        feed_print(row->gpu_count, count),
        feed_print(asked, price),
        row->price_currency,
        observed,
        feed_given(row->observed_text, observed ? observed : ""),
        row->usable == 0 ? "f" : "t",
        feed_given(row->source_url, input->source),
        feed_given(row->note, NULL),
    };
    feed_give(reader, reader->csv.line, values);
    return FEED_GOOD;
}

const struct feed_format feed_hardware = {
    .name = "hardware",
    .sentence = "our own CSV of purchase prices, as /v1/hardware.csv prints it",
    .fields = FIELDS_INIT(hardware_row_rows),
    .row_size = sizeof(struct hardware_row),
    .table = &table,
    .take = take,
};
