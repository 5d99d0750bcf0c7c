/* provider_charges.c - /v1/provider-charges: what providers charge for data sent out and for
 * storage. Both are rows of assumption, scoped by provider, so that past days and changes work as
 * for all others. */
#include "api/routes/resources.h"

#include "base/cents.h"
#include "base/text.h"
#include "estimate/ownership/provider_charges.h"

#include <math.h>

#define TABLE provider_charges_in
#define TABLE_FILE "api/prices/provider_charges_in.def"
#include "base/field/table.h"

#define TABLE provider_charge_row
#define TABLE_FILE "api/prices/provider_charge_row.def"
#include "base/field/table.h"

static void fill_row(const struct catalog *catalog, const struct provider *provider,
                     const struct provider_charges_in *in, struct provider_charge_row *row)
{
    const struct assumption *egress = provider_charges_egress(catalog, provider->slug);
    const struct assumption *storage = provider_charges_storage(catalog, provider->slug);
    double sent_gb = in->egress_tb_per_month * GB_PER_TB, stored_gb = in->storage_tb * GB_PER_TB;
    struct provider_charges average =
        provider_charges_of(catalog, provider->slug, sent_gb, stored_gb);
    struct provider_charges first = provider_charges_of(catalog, provider->slug, 0, 0);

    *row = (struct provider_charge_row){
        .provider = provider->slug,
        .provider_name = provider->name,
        .market = text_given(provider->market),
        .egress_free_gb_per_month =
            egress ? provider_charges_free_gb(catalog, provider->slug) : (double)NAN,
        .egress_price_per_gb = first.egress_per_gb,
        .egress_average_price_per_gb = average.egress_per_gb,
        .egress_cost_month = cents_round(sent_gb * average.egress_per_gb),
        .storage_price_per_gb_month = first.storage_per_gb_month,
        .storage_average_price_per_gb_month = average.storage_per_gb_month,
        .storage_cost_month = cents_round(stored_gb * average.storage_per_gb_month),
        .egress_source = egress ? egress->source : NULL,
        .egress_source_date = egress ? text_given(egress->source_date) : NULL,
        .egress_note = egress ? text_given(egress->note) : NULL,
        .storage_source = storage ? storage->source : NULL,
        .storage_source_date = storage ? text_given(storage->source_date) : NULL,
        .storage_note = storage ? text_given(storage->note) : NULL,
    };
}

/* Named, or with a charge that is known. */
static bool wanted(const struct catalog *catalog, const struct provider_charges_in *in,
                   const struct provider *provider)
{
    if (in->provider)
        return text_in_list(in->provider, provider->slug);
    return provider_charges_egress(catalog, provider->slug) ||
           provider_charges_storage(catalog, provider->slug);
}

static bool answer(struct request_context *context, void *input, struct err *err)
{
    const struct provider_charges_in *in = input;
    const struct catalog *catalog = context->catalog;
    struct provider_charge_row *rows =
        arena_alloc(context->arena, (catalog->n_providers + 1) * sizeof(*rows));
    size_t n = 0;

    if (!pricing_check_provider(context, in->provider, err))
        return false;
    for (size_t i = 0; i < catalog->n_providers; i++)
        if (wanted(catalog, in, &catalog->providers[i]))
            fill_row(catalog, &catalog->providers[i], in, &rows[n++]);
    context_table(context, "rows", rows, n, sizeof(*rows));
    return true;
}

const struct resource provider_charges_resource = {
    .name = "provider_charges",
    .headline = "egress_average_price_per_gb",
    .summary = "What providers charge for data sent out and for storage",
    .in = &provider_charges_in_fields,
    .in_size = sizeof(struct provider_charges_in),
    .tables = {{"rows", "provider_charge", &provider_charge_row_fields, NULL, "One provider each"}},
    .answer = answer,
};
