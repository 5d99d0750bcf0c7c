/* gpuhunt.c - the catalogue files of dstack's gpuhunt: one row per machine, location and purchase
 * option. */
#include "feed/formats.h"

#define TABLE gpuhunt_row
#define TABLE_FILE "feed/gpuhunt.def"
#include "base/field/table.h"

static enum feed_fate take(struct feed_reader *reader, const void *from)
{
    const struct gpuhunt_row *row = from;
    struct feed_accelerator said = {
        .format = "gpuhunt",
        .provider = reader->input->provider,
        .name = row->gpu_name,
        .instance = row->instance_name,
        .memory_gib = row->gpu_memory > 0 ? row->gpu_memory : (double)NAN,
        .count = row->gpu_count,
    };
    struct feed_offer offer = {
        .instance = row->instance_name,
        .region = row->location,
        .option = row->spot == 1 ? "spot" : "on_demand",
        .price_per_hour = row->price,
    };

    if (!(row->gpu_count > 0))
        return FEED_NO_GPU;
    if (!(row->price > 0))
        return FEED_NO_PRICE;
    return feed_take_offer(reader, &said, &offer);
}

const struct feed_format feed_gpuhunt = {
    .name = "gpuhunt",
    .sentence = "a provider's file of the catalogue of dstack's gpuhunt",
    .fields = FIELDS_INIT(gpuhunt_row_rows),
    .row_size = sizeof(struct gpuhunt_row),
    .open = true,
    .home = "https://github.com/dstackai/gpuhunt",
    .needs = "price gpu_count gpu_name gpu_memory spot",
    .table = &feed_table_offer,
    .take = take,
};
