/* gpurentalprices.c - the daily list of gpurentalprices.com: the lowest price per GPU of each type.
 */
#include "feed/formats.h"

#include <stdio.h>
#include <string.h>

#define TABLE gpurentalprices_row
#define TABLE_FILE "feed/clouds/gpurentalprices.def"
#include "base/field/table.h"

/* Google bills a GPU separately from its machine, and the list has the GPU's price only; the price
 * of a B200 includes the machine. */
static bool is_gpu_alone(const char *provider, const char *gpu)
{
    return provider && strcmp(provider, "gcp") == 0 && strcmp(gpu, "b200") != 0;
}

static enum feed_fate take(struct feed_reader *reader, const void *from)
{
    const struct gpurentalprices_row *row = from;
    const char *provider = feed_find_provider(reader->input->known, row->provider);
    double count = row->min_gpus > 0 ? row->min_gpus : 1;
    bool community = strcmp(row->kind, "community") == 0;
    char day[11], note[120], instance[FEED_NAME_MAX + 16];
    struct feed_accelerator said = {
        .format = "gpurentalprices",
        .provider = provider ? provider : row->provider,
        .name = row->gpu,
        .instance = row->gpu,
        .memory_gib = row->vram_gb > 0 ? row->vram_gb : (double)NAN,
        .count = count,
    };

    /* Billed per second of a request: not a machine for rent. */
    if (strcmp(row->kind, "serverless") == 0)
        return FEED_NO_PRICE;
    if (is_gpu_alone(provider, row->gpu))
        return feed_refuse(reader,
                           "is the price of the GPU alone: %s bills the machine that it "
                           "comes in as well",
                           provider);
    snprintf(day, sizeof(day), "%.10s", row->fetched_at);
    snprintf(note, sizeof(note), "gpurentalprices.com, CC BY 4.0, as read on %s%s", day,
             community ? "; on machines of private people" : "");
    snprintf(instance, sizeof(instance), "%.60s%s", row->gpu, community ? "-community" : "");
    struct feed_offer offer = {
        .provider = row->provider,
        .instance = instance,
        .option = strcmp(row->kind, "spot") == 0 ? "spot" : "on_demand",
        .from = day,
        .source = row->source_url,
        .note = note,
        .price_per_hour = row->usd_hr * count,
    };
    return feed_take_offer(reader, &said, &offer);
}

const struct feed_format feed_gpurentalprices = {
    .name = "gpurentalprices",
    .sentence = "the JSON list of gpurentalprices.com",
    .fields = FIELDS_INIT(gpurentalprices_row_rows),
    .row_size = sizeof(struct gpurentalprices_row),
    .open = true,
    .many = true,
    .dated = true,
    .rows = "offers.*",
    .home = "https://github.com/adriannutiu/gpu-rental-prices",
    .table = &feed_table_offer,
    .take = take,
};
