/* price_summary.c - /v1/price-summary: the catalogue price of every GPU and purchase option. */
#include "api/resources.h"

#include <math.h>
#include <string.h>

#define TABLE price_summary_in
#define TABLE_FILE "api/price_summary_in.def"
#include "base/field_table.h"

#define TABLE price_summary_row
#define TABLE_FILE "api/price_summary_row.def"
#include "base/field_table.h"

static struct price_summary_row row_of(struct call *call, const struct gpu *gpu, const char *option,
                                       const struct price *price)
{
    day oldest, newest;

    price_observed(price, &oldest, &newest);
    return (struct price_summary_row){
        .gpu = gpu->slug,
        .purchase_option = option,
        .min_price_per_gpu_hour = price->low,
        .median_price_per_gpu_hour = price->per_gpu_hour,
        .max_price_per_gpu_hour = price->high,
        .provider_count = (double)price->n_offers,
        .oldest_observed_date = call_day(call, oldest),
        .newest_observed_date = call_day(call, newest),
        .stale = price->stale,
    };
}

static size_t add_gpu(struct call *call, const struct price_summary_in *in, const struct gpu *gpu,
                      struct price_summary_row *rows, size_t n)
{
    for (size_t i = 0; i < PURCHASE_OPTIONS; i++) {
        if (in->purchase_option && strcmp(in->purchase_option, purchase_options[i]) != 0)
            continue;
        struct price price = catalog_price(
            call->catalog, &(struct price_query){.gpu = gpu,
                                                 .purchase_option = purchase_options[i],
                                                 .provider = in->provider,
                                                 .region = in->region,
                                                 .as_of = call->as_of});
        if (price.n_offers)
            rows[n++] = row_of(call, gpu, purchase_options[i], &price);
    }
    return n;
}

static bool answer(struct call *call, void *input, struct err *err)
{
    const struct price_summary_in *in = input;
    const struct catalog *catalog = call->catalog;
    const struct gpu *gpu;

    if (in->gpu)
        call_gpu(call, "gpu", in->gpu, &gpu, err);
    call_provider(call, in->provider, err);
    if (err->n_culprits)
        return false;
    struct price_summary_row *rows =
        arena_alloc(call->arena, catalog->n_gpus * PURCHASE_OPTIONS * sizeof(*rows));
    size_t n = 0;
    for (size_t i = 0; i < catalog->n_gpus; i++)
        if (!in->gpu || strcmp(in->gpu, catalog->gpus[i].slug) == 0)
            n = add_gpu(call, in, &catalog->gpus[i], rows, n);
    call_table(call, "rows", rows, n, sizeof(*rows));
    return true;
}

const struct resource price_summary_resource = {
    .name = "price_summary",
    .headline = "median_price_per_gpu_hour",
    .summary = "Lowest, median and highest rental price by GPU and purchase option",
    .in = &price_summary_in_fields,
    .in_size = sizeof(struct price_summary_in),
    .tables = {{"rows", "price", &price_summary_row_fields, NULL,
                "One GPU under one purchase option each"}},
    .answer = answer,
};
