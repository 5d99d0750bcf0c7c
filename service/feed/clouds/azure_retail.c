/* azure_retail.c - replies of the Azure Retail Prices API. A machine has many prices there: for
 * Linux and Windows, spot, low priority (Azure Batch), for development, reserved. */
#include "feed/formats.h"

#include "base/units.h"

#include <math.h>
#include <string.h>

#define TABLE azure_retail_row
#define TABLE_FILE "feed/clouds/azure_retail.def"
#include "base/field/table.h"

static bool says(const struct azure_retail_row *row, const char *word)
{
    return strstr(row->skuName, word) || strstr(row->meterName, word) ||
           strstr(row->productName, word);
}

/* True for a Linux machine with GPUs (family N) on general terms. */
static bool is_rent(const struct azure_retail_row *row)
{
    return strncmp(row->armSkuName, "Standard_N", 10) == 0 &&
           strcmp(row->serviceName, "Virtual Machines") == 0;
}

static bool is_other_product(const struct azure_retail_row *row)
{
    return strstr(row->productName, "Windows") || strstr(row->productName, "CloudServices") ||
           says(row, "Low Priority") || strcmp(row->type, "DevTestConsumption") == 0;
}

/* The price of a reservation covers all hours of its term. */
static bool read_term(struct feed_reader *reader, const struct azure_retail_row *row,
                      struct feed_offer *offer)
{
    bool three = strcmp(row->reservationTerm, "3 Years") == 0;

    if (strcmp(row->type, "Reservation") != 0)
        return true;
    if (!three && strcmp(row->reservationTerm, "1 Year") != 0) {
        feed_refuse(reader, "is reserved for \"%.20s\": one and three years are known",
                    row->reservationTerm);
        return false;
    }
    offer->option = three ? "reserved_3yr" : "reserved_1yr";
    offer->price_per_hour = round(row->retailPrice / (three ? 3 : 1) / HOURS_PER_YEAR * 1e9) / 1e9;
    offer->note = three ? "the price of three years over their 26,280 hours"
                        : "the price of a year over its 8,760 hours";
    return true;
}

static enum feed_fate take(struct feed_reader *reader, const void *from)
{
    const struct azure_retail_row *row = from;
    struct feed_accelerator said = {
        .format = "azure-retail",
        .provider = "azure",
        .name = row->armSkuName,
        .instance = row->armSkuName,
        .memory_gib = (double)NAN,
        .count = (double)NAN,
    };
    struct feed_offer offer = {
        .provider = "azure",
        .instance = row->armSkuName,
        .region = row->armRegionName,
        .option = says(row, "Spot") ? "spot" : "on_demand",
        .currency = row->currencyCode,
        .price_per_hour = row->retailPrice,
    };

    if (!is_rent(row))
        return FEED_NO_GPU;
    if (is_other_product(row) || !(row->retailPrice > 0))
        return FEED_NO_PRICE;
    if (strcmp(row->unitOfMeasure, "1 Hour") != 0)
        return feed_refuse(reader, "is priced by \"%.20s\", not by the hour", row->unitOfMeasure);
    if (!read_term(reader, row, &offer))
        return FEED_REFUSED;
    return feed_take_offer(reader, &said, &offer);
}

const struct feed_format feed_azure_retail = {
    .name = "azure-retail",
    .sentence = "replies of the Azure Retail Prices API",
    .fields = FIELDS_INIT(azure_retail_row_rows),
    .row_size = sizeof(struct azure_retail_row),
    .open = true,
    .many = true,
    .rows = "Items.*",
    .next = "NextPageLink",
    .home = "https://prices.azure.com/api/retail/prices",
    .table = &feed_table_offer,
    .take = take,
};
