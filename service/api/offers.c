/* offers.c - /v1/offers and /v1/offers/history: rental prices, current on a day or over time. */
#include "api/resources.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

#define TABLE offers_in
#define TABLE_FILE "api/offers_in.def"
#include "base/field_table.h"

#define TABLE offer_row
#define TABLE_FILE "api/offer_row.def"
#include "base/field_table.h"
#include "base/units.h"

static bool in_range(double value, double min, double max)
{
    return (isnan(min) || value >= min) && (isnan(max) || value <= max);
}

static bool wanted(const struct offers_in *in, const struct offer *offer)
{
    return (in->include_unusable == 1 || offer->usable) &&
           (!in->gpu || strcmp(in->gpu, offer->gpu->slug) == 0) &&
           (!in->provider || text_in_list(in->provider, offer->provider)) &&
           (!in->region || strcmp(in->region, offer->region) == 0) &&
           (!in->purchase_option || strcmp(in->purchase_option, offer->purchase_option) == 0) &&
           in_range(offer->gpu_count, in->min_gpu_count, in->max_gpu_count) &&
           in_range(offer->gpu->memory_marketed_bytes / GIB, in->min_gpu_memory_gb, (double)NAN) &&
           in_range(offer->price_per_gpu_hour, (double)NAN, in->max_price_per_gpu_hour);
}

static struct offer_row row_of(struct call *call, const struct offer *offer)
{
    return (struct offer_row){
        .offer_id = offer->id,
        .provider = offer->provider,
        .instance = offer->instance,
        .region = offer->region,
        .gpu = offer->gpu->slug,
        .gpu_count = offer->gpu_count,
        .purchase_option = offer->purchase_option,
        .price_per_hour = offer->price_per_hour,
        .price_per_gpu_hour = offer->price_per_gpu_hour,
        .offer_currency = offer->currency,
        .observed_date = call_day(call, offer->undated ? 0 : offer->from),
        .valid_until_date = call_day(call, offer->until),
        .observed_text = offer->observed_text,
        .stale = offer_stale(offer, call->as_of),
        .undated = offer->undated,
        .usable = offer->usable,
        .source_url = offer->source,
        .normalization_note = offer->note,
    };
}

static bool check_names(struct call *call, const struct offers_in *in, struct err *err)
{
    const struct gpu *gpu;

    if (in->gpu)
        call_gpu(call, "gpu", in->gpu, &gpu, err);
    call_provider(call, in->provider, err);
    return err->n_culprits == 0;
}

static bool answer(struct call *call, const struct offers_in *in, bool history, struct err *err)
{
    const struct catalog *catalog = call->catalog;

    if (!check_names(call, in, err))
        return false;
    struct offer_row *rows = arena_alloc(call->arena, (catalog->n_offers + 1) * sizeof(*rows));
    size_t n = 0;
    for (size_t i = 0; i < catalog->n_offers; i++) {
        const struct offer *offer = &catalog->offers[i];
        bool then = history ? offer->from <= call->as_of
                            : !offer->undated && offer_current(offer, call->as_of);
        if (then && wanted(in, offer))
            rows[n++] = row_of(call, offer);
    }
    call_table(call, "rows", rows, n, sizeof(*rows));
    return true;
}

static bool answer_offers(struct call *call, void *in, struct err *err)
{
    if (!call->list.sort)
        call->list.sort = "price_per_gpu_hour";
    return answer(call, in, false, err);
}

static bool answer_history(struct call *call, void *in, struct err *err)
{
    return answer(call, in, true, err);
}

#define OFFER_ROWS                                                                   \
    {                                                                                \
        "rows", "offer", &offer_row_fields, NULL, "One observation of an offer each" \
    }

const struct resource offers_resource = {
    .name = "offers",
    .headline = "price_per_gpu_hour",
    .summary = "Rental offers in force on a day, cheapest first",
    .in = &offers_in_fields,
    .in_size = sizeof(struct offers_in),
    .tables = {OFFER_ROWS},
    .answer = answer_offers,
};

const struct resource offers_history_resource = {
    .name = "offers_history",
    .headline = "price_per_gpu_hour",
    .summary = "Every observation of the rental offers up to a day",
    .in = &offers_in_fields,
    .in_size = sizeof(struct offers_in),
    .tables = {OFFER_ROWS},
    .answer = answer_history,
};
