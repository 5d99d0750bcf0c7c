/* oci.c - Oracle's price list: per GPU, the same in all regions. */
#include "feed/formats.h"

#include <math.h>
#include <string.h>

#define TABLE oci_row
#define TABLE_FILE "feed/clouds/oci.def"
#include "base/field/table.h"

static enum feed_fate take(struct feed_reader *reader, const void *from)
{
    const struct oci_row *row = from;
    double price = row->currencyCodeLocalizations__0__prices__0__value;
    struct feed_accelerator said = {
        .format = "oci",
        .provider = "oci",
        .name = row->displayName,
        .instance = row->displayName,
        .memory_gib = (double)NAN,
        .count = (double)NAN,
    };

    if (strcmp(row->metricName, "GPU Per Hour") != 0)
        return FEED_NO_GPU;
    if (!(price > 0))
        return FEED_NO_PRICE;
    if (strcmp(row->currencyCodeLocalizations__0__prices__0__model, "PAY_AS_YOU_GO") != 0 ||
        !isnan(row->currencyCodeLocalizations__0__prices__1__value))
        return feed_refuse(reader, "has more than one price");
    struct feed_match match = feed_find_gpu(reader->input->known, &said);
    struct feed_offer offer = {
        .provider = "oci",
        .instance = row->partNumber,
        .option = "on_demand",
        .currency = row->currencyCodeLocalizations__0__currencyCode,
        .price_per_hour = price * match.count,
        .note = row->displayName,
    };
    return feed_take_offer(reader, &said, &offer);
}

const struct feed_format feed_oci = {
    .name = "oci",
    .sentence = "the price list of Oracle Cloud Infrastructure",
    .fields = FIELDS_INIT(oci_row_rows),
    .row_size = sizeof(struct oci_row),
    .open = true,
    .many = true,
    .rows = "items.*",
    .home = "https://apexapps.oracle.com/pls/apex/cetools/api/v1/products",
    .table = &feed_table_offer,
    .take = take,
};
