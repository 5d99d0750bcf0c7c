/* ec2instances.c - ec2instances.info's list of AWS machines with prices by region. */
#include "feed/formats.h"

#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TABLE ec2instances_row
#define TABLE_FILE "feed/clouds/ec2instances.def"
#include "base/field/table.h"

struct price {
    const char *option, *note;
    double per_hour;
};

/* Returns 0 if not offered. */
static double read_price(const char *text)
{
    double price;

    return text_number(text, &price) ? price : 0;
}

/* The first available of two payment options. */
static struct price reserve(const char *option, const char *later, const char *ahead)
{
    double price = read_price(later);

    if (price > 0)
        return (struct price){option, "standard reservation, nothing paid ahead", price};
    return (struct price){option, "standard reservation, all paid ahead, over its hours",
                          read_price(ahead)};
}

static enum feed_fate take(struct feed_reader *reader, const void *from)
{
    const struct ec2instances_row *row = from;
    enum feed_fate fate = FEED_NO_PRICE;
    char family[FEED_NAME_MAX];
    struct feed_accelerator said = {
        .format = "ec2instances",
        .provider = "aws",
        .name = family,
        .instance = row->up__instance_type,
        .memory_gib = (double)NAN,
        .count = row->up__GPU,
    };

    if (!row->up__instance_type[0] || isnan(row->up__GPU))
        return feed_refuse(reader, "instance_type and GPU have to come before pricing");
    if (!(row->up__GPU > 0))
        return FEED_NO_GPU;
    snprintf(family, sizeof(family), "%.*s", (int)strcspn(row->up__instance_type, "."),
             row->up__instance_type);
    const struct price prices[] = {
        {"on_demand", NULL, read_price(row->ondemand)},
        {"spot", "mean over the zones", read_price(row->spot_avg)},
        reserve("reserved_1yr", row->reserved__yrTerm1Standard_noUpfront,
                row->reserved__yrTerm1Standard_allUpfront),
        reserve("reserved_3yr", row->reserved__yrTerm3Standard_noUpfront,
                row->reserved__yrTerm3Standard_allUpfront),
    };
    for (size_t i = 0; i < sizeof(prices) / sizeof(prices[0]) && fate != FEED_REFUSED; i++) {
        struct feed_offer offer = {
            .provider = "aws",
            .instance = row->up__instance_type,
            .region = row->key_1,
            .option = prices[i].option,
            .note = prices[i].note,
            .price_per_hour = prices[i].per_hour,
        };
        if (prices[i].per_hour > 0)
            fate = feed_take_offer(reader, &said, &offer);
    }
    return fate;
}

const struct feed_format feed_ec2instances = {
    .name = "ec2instances",
    .sentence = "the JSON list of ec2instances.info: machines of AWS",
    .fields = FIELDS_INIT(ec2instances_row_rows),
    .row_size = sizeof(struct ec2instances_row),
    .open = true,
    .many = true,
    .rows = "pricing.*.linux",
    .needs = "up__instance_type up__GPU",
    .home = "https://instances.vantage.sh",
    .table = &feed_table_offer,
    .take = take,
};
