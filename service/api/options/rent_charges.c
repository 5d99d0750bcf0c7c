#include "api/options/rent_charges.h"

#include "api/resource/currency.h"

#include <math.h>
#include <string.h>

/* The providers of a rent. */
struct providers {
    const char *at[PRICE_OFFERS_MAX];
    size_t n;
};

static struct providers providers_of(const struct request_context *context,
                                     const struct rent_charges *rent)
{
    struct providers found = {.n = 0};

    for (size_t i = 0; rent->price && i < rent->price->n_offers && i < PRICE_OFFERS_MAX; i++)
        found.at[found.n++] = rent->price->offers[i].rental->provider;
    if (rent->price || !rent->provider)
        return found;
    const char *list = rent->provider, *provider;
    while (found.n < PRICE_OFFERS_MAX && (provider = arena_next_item(context->arena, &list)))
        found.at[found.n++] = provider;
    return found;
}

enum charge { CHARGE_EGRESS, CHARGE_STORAGE, CHARGES };

static struct provider_median median_of(const struct request_context *context,
                                        const struct rent_charges *rent,
                                        const struct providers *providers, enum charge charge)
{
    double prices[PRICE_OFFERS_MAX];

    for (size_t i = 0; i < providers->n; i++) {
        struct provider_charges at = provider_charges_of(context->catalog, providers->at[i],
                                                         rent->egress_gb, rent->storage_gb);
        prices[i] = charge == CHARGE_EGRESS ? at.egress_per_gb : at.storage_per_gb_month;
    }
    return provider_charges_median(prices, providers->n);
}

struct provider_charges rent_charges_of(const struct request_context *context,
                                        const struct rent_charges *rent)
{
    struct providers providers = providers_of(context, rent);

    return (struct provider_charges){
        median_of(context, rent, &providers, CHARGE_EGRESS).price,
        median_of(context, rent, &providers, CHARGE_STORAGE).price,
    };
}

static const struct {
    const char *input, *words, *volume;
} charges[CHARGES] = {
    {"egress_price_per_gb", "data sent out", "egress_tb_per_month"},
    {"storage_price_per_gb_month", "storage", "storage_tb"},
};

/* The address of the price rows of those providers at that volume. */
static const char *address_of(struct request_context *context, const struct rent_charges *rent,
                              const struct providers *providers)
{
    struct arena *arena = context->arena;
    const char *list = "";

    for (size_t i = 0; i < providers->n; i++)
        list = arena_join(arena, list, i ? "," : "", providers->at[i]);
    return arena_print(
        arena, "/v1/provider-charges?provider=%s&egress_tb_per_month=%.10g&storage_tb=%.10g", list,
        rent->egress_gb / GB_PER_TB, rent->storage_gb / GB_PER_TB);
}

/* Only if any data are sent out or stored. */
static void say(struct request_context *context, enum charge charge,
                const struct provider_median *median)
{
    const char *unit = charge == CHARGE_EGRESS ? "GB" : "GB-month";

    if (!median->n_known)
        context_warn(context, "charge_of_no_provider",
                     "no charge for %s is known from %s, so the general default is used; "
                     "enter %s",
                     charges[charge].words,
                     median->n ? "any provider of this rent" : "the provider of this rent",
                     charges[charge].input);
    else if (median->n > 1)
        context_warn(context, "charge_is_median",
                     "%s costs %.4g %s/%s here, the median over %zu of the %zu providers of this "
                     "rent, who charge %.4g to %.4g; provider=NAME takes the charge of one",
                     charges[charge].words, median->price, context->answer.meta.currency, unit,
                     median->n_known, median->n, median->low, median->high);
}

void rent_charges_fill(struct request_context *context, const struct rent_charges *rent,
                       const char *scope)
{
    struct providers providers = providers_of(context, rent);

    for (int i = 0; i < CHARGES; i++) {
        const char *input = charges[i].input;
        double volume = i == CHARGE_EGRESS ? rent->egress_gb : rent->storage_gb;
        if (context_given(context, input))
            continue;
        struct provider_median median = median_of(context, rent, &providers, (enum charge)i);
        bool none = rent->told && volume == 0; /* then no provider's price matters */
        if (rent->told && !none)
            say(context, (enum charge)i, &median);
        if (median.n_known && !none)
            context_set_number(context, input, median.price, SOURCE_CATALOG,
                               address_of(context, rent, &providers));
        else
            context_set_number(
                context, input,
                catalog_default(context->catalog, input, i == CHARGE_STORAGE ? scope : ""),
                SOURCE_DEFAULT, arena_print(context->arena, "/v1/assumptions?key=%s", input));
    }
}
