/* aws_offers.c - AWS's offer file of EC2 as CSV: millions of rows, of which those of Linux machines
 * with GPUs are read. A reservation has one row per payment option; the one with no upfront payment
 * is used, else the one paid entirely upfront. So reservations are settled at the end of the file.
 */
#include "feed/clouds/aws_terms.h"
#include "feed/formats.h"

#include "base/text.h"
#include "base/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TABLE aws_offers_row
#define TABLE_FILE "feed/clouds/aws_offers.def"
#include "base/field/table.h"

static bool is_machine(const struct aws_offers_row *row, double *count)
{
    return strncmp(row->Product_Family, "Compute Instance", strlen("Compute Instance")) == 0 &&
           text_number(row->GPU, count) && *count > 0;
}

/* On demand for anyone: no licence included, shared tenancy, in use. */
static bool is_plain(const struct aws_offers_row *row)
{
    return strcmp(row->Operating_System, "Linux") == 0 && strcmp(row->Tenancy, "Shared") == 0 &&
           strcmp(row->Pre_Installed_S_W, "NA") == 0 && strcmp(row->CapacityStatus, "Used") == 0 &&
           (!row->MarketOption[0] || strcmp(row->MarketOption, "OnDemand") == 0);
}

/* A row of a reservation that is a candidate. */
static enum feed_fate reserve(struct feed_reader *reader, const struct aws_offers_row *from,
                              struct aws_term *term)
{
    bool hourly = strcmp(from->Unit, "Hrs") == 0,
         three_years = strcmp(from->LeaseContractLength, "3yr") == 0,
         ahead = strcmp(from->PurchaseOption, "All Upfront") == 0;

    if (strcmp(from->OfferingClass, "standard") != 0 ||
        (!three_years && strcmp(from->LeaseContractLength, "1yr") != 0) ||
        (!ahead && strcmp(from->PurchaseOption, "No Upfront") != 0) || hourly == ahead)
        return FEED_NO_PRICE;
    if (ahead)
        term->per_hour = round(term->per_hour / (three_years ? 3 : 1) / HOURS_PER_YEAR * 1e9) / 1e9;
    term->option = three_years ? "reserved_3yr" : "reserved_1yr";
    term->order = ahead;
    term->note = ahead ? "standard reservation, all paid ahead, over its hours"
                       : "standard reservation, nothing paid ahead";
    return aws_terms_wait(reader, term);
}

static enum feed_fate take(struct feed_reader *reader, const void *from)
{
    const struct aws_offers_row *row = from;
    char family[FEED_NAME_MAX];
    struct aws_term term = {
        .format = "ec2instances", /* family names are looked up in that list's rows of gpu_name */
        .name = family,
        .instance = row->Instance_Type,
        .region = row->Region_Code,
        .currency = row->Currency,
        .option = "on_demand",
        .per_hour = row->PricePerUnit,
        .line = reader->csv.line,
        .text = reader->csv.start,
        .length = reader->csv.length,
    };

    if (!is_machine(row, &term.count))
        return FEED_NO_GPU;
    if (!is_plain(row) || !(row->PricePerUnit > 0))
        return FEED_NO_PRICE;
    snprintf(family, sizeof(family), "%.*s", (int)strcspn(row->Instance_Type, "."),
             row->Instance_Type);
    if (strcmp(row->TermType, "Reserved") == 0)
        return reserve(reader, row, &term);
    if (strcmp(row->TermType, "OnDemand") != 0 || strcmp(row->Unit, "Hrs") != 0)
        return FEED_NO_PRICE;
    return aws_terms_give(reader, &term);
}

const struct feed_format feed_aws_offers = {
    .name = "aws-offers",
    .sentence = "AWS's offer file of EC2, as CSV",
    .fields = FIELDS_INIT(aws_offers_row_rows),
    .row_size = sizeof(struct aws_offers_row),
    .open = true,
    .many = true,
    .dated = true,
    .needs = "TermType Unit PricePerUnit LeaseContractLength PurchaseOption OfferingClass "
             "Product_Family Instance_Type Tenancy Operating_System Pre_Installed_S_W "
             "CapacityStatus Region_Code GPU",
    .home = "https://pricing.us-east-1.amazonaws.com/offers/v1.0/aws/AmazonEC2/current",
    .table = &feed_table_offer,
    .take = take,
    .finish = aws_terms_finish,
};
