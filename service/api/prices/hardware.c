/* hardware.c - /v1/hardware: purchase prices of cards and servers. */
#include "api/routes/resources.h"

#include "api/resource/currency.h"

#include <string.h>

#define TABLE hardware_in
#define TABLE_FILE "api/prices/hardware_in.def"
#include "base/field/table.h"

#define TABLE hardware_row
#define TABLE_FILE "api/prices/hardware_row.def"
#include "base/field/table.h"

static struct hardware_row row_of(struct request_context *context, const struct hardware *hardware)
{
    struct money_own own = currency_of(context, hardware->price, hardware->currency);

    return (struct hardware_row){
        .hardware_id = hardware->id,
        .kind = hardware->kind,
        .seller = hardware->seller,
        .gpu = hardware->gpu->slug,
        .gpu_count = hardware->gpu_count,
        .price = own.converted,
        .price_per_gpu = own.converted / hardware->gpu_count,
        .price_currency = hardware->currency,
        .observed_date = context_day(context, hardware->observed),
        .observed_text = hardware->observed_text,
        .usable = hardware->usable,
        .source_url = hardware->source,
        .note = hardware->note,
        .asked_price = hardware->price,
        .exchange_rate = own.per_usd,
        .exchange_rate_date = own.rate_date,
    };
}

static bool answer(struct request_context *context, void *input, struct err *err)
{
    const struct hardware_in *in = input;
    const struct catalog *catalog = context->catalog;
    const struct gpu *gpu;

    if (in->gpu && !lookup_gpu(context, "gpu", in->gpu, &gpu, err))
        return false;
    struct hardware_row *rows =
        arena_alloc(context->arena, (catalog->n_hardware + 1) * sizeof(*rows));
    size_t n = 0;
    for (size_t i = 0; i < catalog->n_hardware; i++) {
        const struct hardware *hardware = &catalog->hardware[i];
        if ((!in->gpu || strcmp(in->gpu, hardware->gpu->slug) == 0) &&
            (!in->kind || strcmp(in->kind, hardware->kind) == 0) &&
            catalog_hardware_current(hardware, context->as_of))
            rows[n++] = row_of(context, hardware);
    }
    context_table(context, "rows", rows, n, sizeof(*rows));
    return true;
}

const struct resource hardware_resource = {
    .name = "hardware",
    .headline = "price",
    .summary = "Purchase prices of cards and servers",
    .in = &hardware_in_fields,
    .in_size = sizeof(struct hardware_in),
    .tables = {{"rows", "hardware_price", &hardware_row_fields, NULL, "One price each"}},
    .answer = answer,
};
