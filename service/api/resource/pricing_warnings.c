/* pricing_warnings.c - what an answer says about a price matched to a job: which providers offer
 * it, and which of the prices behind it are published. */
#include "api/resource/context.h"

#include "api/resource/currency.h"
#include "base/sort.h"
#include "base/text.h"
#include "catalog/quote.h"

#include <math.h>
#include <string.h>

/* "Crusoe Cloud", "1 of the 4 providers", "any of the 4 providers" */
static const char *count_derived(struct request_context *context, const struct price *price)
{
    if (price->n_offers == 1)
        return catalog_provider_name(context->catalog, price->offers[0].rental->provider);
    if (price->n_derived == price->n_offers)
        return arena_print(context->arena, "any of the %zu providers", price->n_offers);
    return arena_print(context->arena, "%zu of the %zu providers", price->n_derived,
                       price->n_offers);
}

/* What large orders on demand are negotiated to; "" for others, and where large_rent says it. */
static const char *say_negotiated(struct request_context *context, const char *purchase_option,
                                  double gpu_count)
{
    const struct assumption *less =
        catalog_assumption(context->catalog, "negotiated_discount_ratio", "");
    double from = catalog_default(context->catalog, "negotiated_rent_from_gpus", "");

    if (!less || !(gpu_count >= from) || strcmp(purchase_option, "on_demand") != 0 ||
        fields_find(*context->resource->in, "rent_price_per_gpu_hour"))
        return "";
    return arena_print(context->arena,
                       ". Orders of %s GPUs and more are usually negotiated to %.3g%% less (%.3g%% "
                       "to %.3g%%, assumption negotiated_discount_ratio)",
                       context_count(context, from), 100 * less->value, 100 * less->low,
                       100 * less->high);
}

/* Such as ", with 20% added to the list of Google Cloud and of Microsoft Azure, as no cluster of
 * that size is known there (assumption cluster_premium)"; "" if nothing is added. */
static const char *say_premium(struct request_context *context, const struct price *price)
{
    const char *names = "", *last = NULL;
    double premium = 0;
    bool several = false;

    for (size_t i = 0; i < price->n_offers; i++) {
        const struct offer *offer = &price->offers[i];
        if (!(offer->cluster_premium > 0))
            continue;
        premium = offer->cluster_premium;
        several = last != NULL;
        if (last)
            names = arena_join(context->arena, names, names[0] ? ", " : "", last);
        last = catalog_provider_name(context->catalog, offer->rental->provider);
    }
    if (!last)
        return "";
    return arena_print(context->arena,
                       ", with %.3g%% added to the list%s of %s%s%s, as no cluster of that size is "
                       "known there (assumption cluster_premium)",
                       100 * premium, several ? "s" : "", names, several ? " and " : "", last);
}

/* The price of one provider, or the median over several. */
static const char *say_price(struct request_context *context, const struct price *price)
{
    const char *name = catalog_provider_name(context->catalog, price->offers[0].rental->provider);

    return price->n_offers == 1
               ? arena_join(context->arena, "by the price list of ", name)
               : arena_print(context->arena,
                             "the median over the price lists of %zu providers (%.4g to %.4g)",
                             price->n_offers, price->low, price->high);
}

static const char *say_derived(const struct price *price)
{
    return !price->n_derived                    ? ""
           : price->n_derived < price->n_offers ? ", partly derived"
                                                : ", derived";
}

/* True if an offer's price is less by a discount of the question's or of the team's quotes. */
static bool has_discount(const struct request_context *context, const char *option,
                         const struct price *price)
{
    const char *asked = context_text(context, "provider_discounts");
    const struct price_query query = {price->offers[0].gpu, option, NULL, NULL, asked,
                                      context->as_of,       0,      0};

    for (size_t i = 0; i < price->n_offers; i++)
        if (text_figure_in_list(asked, price->offers[i].rental->provider) > 0 ||
            price_quoted_discount(context->catalog, &query, price->offers[i].rental))
            return true;
    return false;
}

bool pricing_is_networked(const struct price *price)
{
    return price->basis == PRICE_CLUSTER || price->basis == PRICE_CLUSTER_PREMIUM;
}

void pricing_warn_list(struct request_context *context, const char *purchase_option,
                       double gpu_count, const struct price *price)
{
    if (!price->offered || !pricing_is_networked(price))
        return;
    context_warn(
        context, "list_price",
        "%.4g %s is %s%s%s%s: nobody was asked whether %s GPUs are free. An offer for this "
        "order, entered as a quote (/v1/quotes), replaces it%s",
        price->per_gpu_hour, currency_text(context, "USD/GPU-hour"), say_price(context, price),
        say_derived(price), say_premium(context, price),
        has_discount(context, purchase_option, price) ? ", less your discount" : "",
        context_count(context, gpu_count), say_negotiated(context, purchase_option, gpu_count));
}

/* What the job costs per GPU and hour by each published price of that option, ascending; *n
 * becomes their number. */
static const double *published(struct request_context *context, const char *purchase_option,
                               const struct price *price, size_t *n)
{
    double *asked = arena_alloc(context->arena, (price->n_offers + 1) * sizeof(*asked));

    *n = 0;
    for (size_t i = 0; i < price->n_offers; i++) {
        const struct offer *offer = &price->offers[i];
        if (strcmp(offer->rental->purchase_option, purchase_option) == 0)
            asked[(*n)++] =
                offer->price_per_gpu_hour * offer->job_price_ratio / (1 + offer->cluster_premium);
    }
    sort_items(asked, *n, sizeof(*asked), sort_compare_doubles);
    return asked;
}

struct published_rents pricing_published(struct request_context *context,
                                         const char *purchase_option, const struct price *price)
{
    size_t n;
    const double *asked = published(context, purchase_option, price, &n);

    if (!n)
        return (struct published_rents){0, (double)NAN, (double)NAN, (double)NAN};
    return (struct published_rents){n, asked[0], (asked[(n - 1) / 2] + asked[n / 2]) / 2,
                                    asked[n - 1]};
}

/* Such as "; the 4 published ones are 2.49 to 5.395 USD/GPU-hour, with a median of 3.915"; "" if
 * there are none. */
static const char *say_published(struct request_context *context, const char *purchase_option,
                                 const struct price *price)
{
    struct published_rents rents = pricing_published(context, purchase_option, price);
    const char *unit = currency_text(context, "USD/GPU-hour");

    if (rents.n < 2)
        return rents.n
                   ? arena_print(context->arena, "; the published one is %.4g %s", rents.low, unit)
                   : "";
    return arena_print(context->arena,
                       "; the %zu published ones are %.4g to %.4g %s, with a median of %.4g",
                       rents.n, rents.low, rents.high, unit, rents.median);
}

static void warn_not_offered(struct request_context *context, const struct price_query *query,
                             const struct price *price)
{
    const char *count = context_count(context, query->gpu_count), *slug = query->gpu->slug;

    if (pricing_is_networked(price))
        context_warn(context, "availability_unknown",
                     "no provider is known to rent %s %s as one cluster at that price: it is for "
                     "networked machines, at %.3g%% more (assumption cluster_premium) if the job "
                     "is larger than the provider's largest known cluster",
                     count, slug, 100 * catalog_default(context->catalog, "cluster_premium", ""));
    else
        context_warn(context, "availability_unknown",
                     "the providers of %s at that price are not known to have %s free at once "
                     "(assumption fleet_gpu_count_max): ask them before you build on it",
                     slug, count);
}

void pricing_warn_matched(struct request_context *context, const struct price_query *query,
                          const struct price *price)
{
    if (!price->offered)
        warn_not_offered(context, query, price);
    pricing_warn_list(context, query->purchase_option, query->gpu_count, price);
    if (price->n_derived)
        context_warn(context, "derived_price",
                     "no price for %s is known from %s: %s on-demand price less %.3g%% (assumption "
                     "commitment_discount_ratio) is used instead%s",
                     query->purchase_option, count_derived(context, price),
                     price->n_derived == 1 ? "its" : "their",
                     100 * price_commitment_discount(context->catalog, query->purchase_option),
                     say_published(context, query->purchase_option, price));
    if (price->n_offers == 1 && price->basis != PRICE_QUOTE)
        context_warn(context, "single_provider", "the price of %s comes from a single provider: %s",
                     query->gpu->slug,
                     catalog_provider_name(context->catalog, price->offers[0].rental->provider));
}

/* True if the price has an offer that the discount is taken off. */
static bool is_discounted(const struct catalog *catalog, const struct price_query *query,
                          const struct price *price, const struct quote *discount)
{
    for (size_t i = 0; i < price->n_offers; i++)
        if (price_quoted_discount(catalog, query, price->offers[i].rental) == discount)
            return true;
    return false;
}

void pricing_warn_discounts(struct request_context *context, const struct price_query *query,
                            const struct price *price)
{
    const struct catalog *catalog = context->catalog;
    const char *replaced = context_text(context, "provider_discounts"), *list = "";

    for (size_t i = 0; i < catalog->n_discounts; i++) {
        const struct quote *quote = catalog->discounts[i];
        if (quote_known(quote, context->as_of) && quote_valid(quote, context->as_of) &&
            isnan(text_figure_in_list(replaced, quote->provider)) &&
            (!price || is_discounted(catalog, query, price, quote)))
            list = arena_print(context->arena, "%s%s%s %.4g%% (quote %.0f)", list,
                               list[0] ? ", " : "", catalog_provider_name(catalog, quote->provider),
                               100 * quote->discount_ratio, quote->id);
    }
    if (list[0])
        context_warn(context, "quoted_discount",
                     "your own discounts are taken off list prices: %s; /v1/quotes lists them, and "
                     "provider_discounts replaces them",
                     list);
}

void pricing_warn_paid(struct request_context *context, const struct price *price)
{
    const struct offer *offer = &price->offers[0];

    context_warn(context, "already_paid",
                 "%s at %s is already paid for, as %s says: no rent is added", offer->gpu->slug,
                 catalog_provider_name(context->catalog, offer->rental->provider),
                 offer->rental->quote ? offer->rental->instance : "your discount");
}
