/* aws_savings.c - AWS's price file of its Savings Plans as CSV: the hourly price of a machine with
 * a spending commitment of one or three years. There is one rate per machine for plans of any
 * machine (Compute) and for plans of a family in one region (EC2 Instance), and a row per payment
 * option. The cheaper plan is used, preferably without upfront payment, then with half, then with
 * all. The file does not contain the GPUs per machine, so table gpu_name supplies them.
 */
#include "feed/clouds/aws_terms.h"
#include "feed/formats.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

#define TABLE aws_savings_row
#define TABLE_FILE "feed/clouds/aws_savings.def"
#include "base/field/table.h"

static const struct {
    const char *plan, *payment, *note;
} ways[] = {
    {"EC2InstanceSavingsPlans", "No Upfront", "EC2 Instance Savings Plan, nothing paid ahead"},
    {"ComputeSavingsPlans", "No Upfront", "Compute Savings Plan, nothing paid ahead"},
    {"EC2InstanceSavingsPlans", "Partial Upfront", "EC2 Instance Savings Plan, half paid ahead"},
    {"ComputeSavingsPlans", "Partial Upfront", "Compute Savings Plan, half paid ahead"},
    {"EC2InstanceSavingsPlans", "All Upfront", "EC2 Instance Savings Plan, all paid ahead"},
    {"ComputeSavingsPlans", "All Upfront", "Compute Savings Plan, all paid ahead"},
};
enum { PLANS = 2 };

/* Prefixes of families with GPUs or accelerators, followed by a digit. */
static bool is_accelerated(const char *instance)
{
    static const char *const families[] = {"p", "g", "gr", "trn", "inf", "dl"};
    size_t n = strcspn(instance, "0123456789");

    for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
        if (n == strlen(families[i]) && instance[n] && strncmp(instance, families[i], n) == 0)
            return strchr(instance, '.') != NULL;
    return false;
}

/* A machine in use, on shared tenancy: "BoxUsage:p5.48xlarge", "EUC1-BoxUsage:p5.48xlarge". */
static bool is_in_use(const struct aws_savings_row *row)
{
    static const char usage[] = "BoxUsage:";
    const char *region = strchr(row->DiscountedUsageType, '-');
    const char *said = row->DiscountedUsageType;

    if (region && region < strchr(said, ':'))
        said = region + 1;
    return strncmp(said, usage, strlen(usage)) == 0 &&
           strcmp(said + strlen(usage), row->DiscountedInstanceType) == 0;
}

static enum feed_fate take(struct feed_reader *reader, const void *from)
{
    const struct aws_savings_row *row = from;
    bool three_years = strcmp(row->LeaseContractLength, "3") == 0;
    struct aws_term term = {
        .format = "aws-savings",
        .name = row->DiscountedInstanceType,
        .instance = row->DiscountedInstanceType,
        .region = row->DiscountedRegionCode,
        .currency = row->Currency,
        .option = three_years ? "reserved_3yr" : "reserved_1yr",
        .count = (double)NAN,
        .per_hour = row->DiscountedRate,
        .line = reader->csv.line,
        .text = reader->csv.start,
        .length = reader->csv.length,
    };
    size_t i = 0;

    if (strcmp(row->DiscountedServiceCode, "AmazonEC2") != 0 ||
        !is_accelerated(row->DiscountedInstanceType))
        return FEED_NO_GPU;
    if (!is_in_use(row) || strcmp(row->DiscountedOperation, "RunInstances") != 0)
        return FEED_NO_PRICE;
    while (i < sizeof(ways) / sizeof(ways[0]) &&
           (strcmp(row->Product_Family, ways[i].plan) != 0 ||
            strcmp(row->PurchaseOption, ways[i].payment) != 0))
        i++;
    if (i == sizeof(ways) / sizeof(ways[0]) || strcmp(row->Unit, "Hrs") != 0 ||
        (!three_years && strcmp(row->LeaseContractLength, "1") != 0) ||
        strcmp(row->LeaseContractLengthUnit, "year") != 0 || !(row->DiscountedRate > 0))
        return FEED_NO_PRICE;
    term.order = (int)i / PLANS;
    term.note = ways[i].note;
    return aws_terms_wait(reader, &term);
}

const struct feed_format feed_aws_savings = {
    .name = "aws-savings",
    .sentence = "AWS's price file of its Savings Plans, as CSV",
    .fields = FIELDS_INIT(aws_savings_row_rows),
    .row_size = sizeof(struct aws_savings_row),
    .open = true,
    .many = true,
    .dated = true,
    .needs = "Unit DiscountedRate DiscountedServiceCode DiscountedUsageType DiscountedOperation "
             "PurchaseOption LeaseContractLength LeaseContractLengthUnit Product_Family "
             "DiscountedRegionCode DiscountedInstanceType",
    .home = "https://pricing.us-east-1.amazonaws.com/savingsPlan/v1.0/aws/AWSComputeSavingsPlan",
    .index = "current/region_index.json",
    .table = &feed_table_offer,
    .take = take,
    .finish = aws_terms_finish,
};
