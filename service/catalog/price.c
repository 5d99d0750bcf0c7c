#include "catalog/price.h"

#include "base/sort.h"
#include "base/text.h"
#include "base/units.h"
#include "catalog/currency.h"
#include "catalog/quote.h"
#include "catalog/region.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const purchase_options[PURCHASE_OPTIONS] = {"on_demand", "spot", "reserved_1yr",
                                                        "reserved_3yr", "capacity_block"};

const char *const price_bases[PRICE_BASES] = {
    "none",  "cluster",         "whole_instances", "single_gpu", "undated_list",
    "quote", "cluster_premium", "given",           "owned"};

bool catalog_hardware_current(const struct hardware *hardware, day as_of)
{
    return hardware->observed <= as_of && hardware->known <= as_of &&
           (!hardware->until || as_of < hardware->until);
}

bool price_offer_is_stale(const struct catalog *catalog, const struct offer *offer, day as_of)
{
    const struct quote *quote = offer->rental->quote;
    const struct provider *provider = catalog_provider(catalog, offer->rental->provider);
    const struct feed_run *run = catalog_run(catalog, offer->seen->origin->run);
    double days = run && !isnan(run->stale_days) ? run->stale_days
                  : provider                     ? provider->stale_days
                                                 : PRICE_STALE_DAYS;

    if (quote)
        return !quote->valid_until && text_days_between(quote->valid_from, as_of) > days;
    return offer->seen->origin->flagged_stale || !offer->seen->from ||
           text_days_between(offer->seen->from, as_of) > days;
}

bool price_is_for_rent(const struct catalog *catalog, const struct rental *rental)
{
    const struct provider *provider = catalog_provider(catalog, rental->provider);

    return !provider || strcmp(provider->kind, "aggregate") != 0;
}

/* A quote without a region applies to all regions. */
static bool in_region(const struct catalog *catalog, const struct rental *rental,
                      const char *region)
{
    return !region || !region[0] || region_matches(catalog, region, rental) ||
           (rental->quote && !rental->region[0]);
}

bool price_matches(const struct catalog *catalog, const struct rental *rental,
                   const struct price_query *query)
{
    return rental->usable && in_region(catalog, rental, query->region) &&
           (!query->provider || !query->provider[0] ||
            text_in_list(query->provider, rental->provider));
}

double price_commitment_discount(const struct catalog *catalog, const char *purchase_option)
{
    static const char key[] = "commitment_discount_ratio";

    if (!purchase_option || strncmp(purchase_option, "reserved", strlen("reserved")) != 0)
        return (double)NAN;
    double discount = catalog_default(catalog, key, purchase_option);
    return isnan(discount) ? catalog_default(catalog, key, "") : discount;
}

double price_of_observation(const struct catalog *catalog, const struct observation *seen,
                            day as_of)
{
    return catalog_amount(catalog, seen->price_per_gpu_hour, seen->origin->currency, as_of);
}

/* Quotes come before list prices, prices observed since `fresh` before older ones, then the cheaper
 * one. */
static bool is_better(const struct offer *offer, const struct offer *than, day fresh)
{
    bool old = offer->seen->from < fresh, than_old = than->seen->from < fresh;

    if (!offer->rental->quote != !than->rental->quote)
        return offer->rental->quote != NULL;
    if (!offer->rental->quote && old != than_old)
        return than_old;
    return offer->price_per_gpu_hour < than->price_per_gpu_hour;
}

/* An offer index stores each text once, so most comparisons end at equal pointers. */
static bool same(const char *a, const char *b)
{
    return a == b || strcmp(a, b) == 0;
}

/* price_of_observation(); *own is the catalogue's currency as interned by the offer index, once
 * known.
 */
static double price_seen(const struct catalog *catalog, const struct observation *seen, day as_of,
                         const char **own)
{
    if (!same(seen->origin->currency, *own))
        return price_of_observation(catalog, seen, as_of);
    *own = seen->origin->currency;
    return seen->price_per_gpu_hour;
}

/* Keep the best offer of each provider; offers of one provider are mostly adjacent. */
static void keep_best(struct price *price, const struct offer *offer, day fresh)
{
    for (size_t i = price->n_offers; i-- > 0;)
        if (same(price->offers[i].rental->provider, offer->rental->provider)) {
            if (is_better(offer, &price->offers[i], fresh))
                price->offers[i] = *offer;
            return;
        }
    if (price->n_offers < PRICE_OFFERS_MAX)
        price->offers[price->n_offers++] = *offer;
}

/* Insertion sort, cheapest first and stable; the list is short. */
static void sort_offers(struct price *price)
{
    for (size_t i = 1; i < price->n_offers; i++) {
        struct offer offer = price->offers[i];
        size_t at = i;
        for (; at && price->offers[at - 1].price_per_gpu_hour > offer.price_per_gpu_hour; at--)
            price->offers[at] = price->offers[at - 1];
        price->offers[at] = offer;
    }
}

size_t price_each_offer(const struct catalog *catalog, const struct price_query *query,
                        void (*take)(void *context, const struct offer *offer), void *context)
{
    const char *option =
        query->purchase_option && query->purchase_option[0] ? query->purchase_option : NULL;
    const char *own = catalog_currency(catalog);
    struct rentals parts[RENTALS_PARTS];
    size_t n_without_rate = 0;

    catalog_rentals(catalog, query->gpu, option, parts);
    for (size_t part = 0; part < RENTALS_PARTS; part++)
        for (size_t i = 0; i < parts[part].n; i++) {
            const struct rental *rental = parts[part].at[i];
            struct offer offer = {query->gpu, rental, offer_index_at(rental, query->as_of), 0, 0, 0,
                                  0,          0};
            if (!offer.seen || !price_matches(catalog, rental, query))
                continue;
            offer.price_per_gpu_hour = price_seen(catalog, offer.seen, query->as_of, &own);
            if (isnan(offer.price_per_gpu_hour))
                n_without_rate++;
            else
                take(context, &offer);
        }
    return n_without_rate;
}

static void count_without_region(void *context, const struct offer *offer)
{
    size_t *n = context;

    *n += !offer->rental->quote && !offer->rental->region[0];
}

size_t price_without_region(const struct catalog *catalog, const struct price_query *query)
{
    struct price_query anywhere = *query;
    size_t n = 0;

    anywhere.region = NULL;
    price_each_offer(catalog, &anywhere, count_without_region, &n);
    return n;
}

/* The best offer of each provider, dated and undated offers separately. */
struct listed {
    struct price dated, undated;
    day fresh;
};

static void list_offer(void *context, const struct offer *offer)
{
    struct listed *listed = context;
    struct price *price = offer->seen->from ? &listed->dated : &listed->undated;

    if (offer->rental->quote && quote_is_paid(offer->rental->quote))
        return; /* nobody asks that price */
    keep_best(price, offer, listed->fresh);
    price->n_matching++;
}

struct price price_unknown(size_t n_without_rate)
{
    const double none = (double)NAN;

    return (struct price){.per_gpu_hour = none,
                          .low = none,
                          .high = none,
                          .band_low = none,
                          .band_high = none,
                          .rented_gpu_count = none,
                          .n_without_rate = n_without_rate};
}

/* True for an up-to-date price list of the provider's own: spot prices move, sellers on a
 * marketplace ask what they like, and the premium of a large cluster is an assumption. */
static bool is_own_list(const struct catalog *catalog, const char *purchase_option,
                        const struct price *price)
{
    const struct provider *of = catalog_provider(catalog, price->offers[0].rental->provider);

    return price->n_offers == 1 && !price->n_stale && strcmp(purchase_option, "spot") != 0 &&
           price->basis != PRICE_UNDATED_LIST && price->basis != PRICE_CLUSTER_PREMIUM && of &&
           (strcmp(of->market, "hyperscaler") == 0 || strcmp(of->market, "neocloud") == 0);
}

static void set_named_band(const struct catalog *catalog, const char *purchase_option,
                           struct price *price)
{
    static const char key[] = "commitment_discount_ratio";
    const struct assumption *discount = catalog_assumption(catalog, key, purchase_option);

    price->band_low = price->band_high = price->per_gpu_hour;
    if (!price->n_derived)
        return;
    if (!discount)
        discount = catalog_assumption(catalog, key, "");
    price->band_low *= (1 - discount->high) / (1 - discount->value);
    price->band_high *= (1 - discount->low) / (1 - discount->value);
}

void price_set_band(const struct catalog *catalog, const char *of_named, struct price *price)
{
    const struct assumption *usual = catalog_assumption(catalog, "provider_price_ratio", "");
    bool known = price->low < price->high || price->basis == PRICE_QUOTE;

    if (of_named && !known && is_own_list(catalog, of_named, price)) {
        set_named_band(catalog, of_named, price);
        return;
    }
    price->band_low = known ? price->low : price->per_gpu_hour * usual->low;
    price->band_high = known ? price->high : price->per_gpu_hour * usual->high;
}

struct price price_listed(const struct catalog *catalog, const struct price_query *query)
{
    struct listed listed = {.fresh = text_day_plus(query->as_of, -PRICE_FRESH_DAYS)};
    size_t n_without_rate = price_each_offer(catalog, query, list_offer, &listed);
    struct price price = listed.dated.n_offers ? listed.dated : listed.undated;
    size_t n = price.n_offers;

    if (!n)
        return price_unknown(n_without_rate);
    price.n_without_rate = n_without_rate;
    price.band_low = price.band_high = price.rented_gpu_count = (double)NAN;
    sort_offers(&price);
    price.low = price.offers[0].price_per_gpu_hour;
    price.high = price.offers[n - 1].price_per_gpu_hour;
    price.per_gpu_hour =
        (price.offers[(n - 1) / 2].price_per_gpu_hour + price.offers[n / 2].price_per_gpu_hour) / 2;
    for (size_t i = 0; i < n; i++)
        price.n_stale += price_offer_is_stale(catalog, &price.offers[i], query->as_of);
    return price;
}

void price_observed(const struct price *price, day *oldest, day *newest)
{
    *oldest = *newest = price->offers[0].seen->from;
    for (size_t i = 1; i < price->n_offers; i++) {
        day from = price->offers[i].seen->from;
        *oldest = from < *oldest ? from : *oldest;
        *newest = from > *newest ? from : *newest;
    }
}

void price_stale_observed(const struct catalog *catalog, const struct price *price, day as_of,
                          day *oldest, day *newest)
{
    *oldest = *newest = 0;
    for (size_t i = 0; i < price->n_offers; i++) {
        day from = price->offers[i].seen->from;
        if (!price_offer_is_stale(catalog, &price->offers[i], as_of))
            continue;
        *oldest = !*oldest || from < *oldest ? from : *oldest;
        *newest = from > *newest ? from : *newest;
    }
}

enum { CARD_PRICES_MAX = 64 };

double catalog_hardware_price(const struct catalog *catalog, const struct hardware *row, day as_of)
{
    return catalog_amount(catalog, row->price, row->currency, as_of);
}

static double price_per_gpu(const struct catalog *catalog, const struct hardware *row, day as_of)
{
    return catalog_amount(catalog, row->price_per_gpu, row->currency, as_of);
}

/* The adjacent rows of a GPU, [from, before). */
static const struct hardware *rows_of(const struct catalog *catalog, const struct gpu *gpu,
                                      const struct hardware **end)
{
    const struct hardware *row = catalog->hardware, *last = row + catalog->n_hardware;

    while (row < last && !gpu_same(row->gpu, gpu))
        row++;
    for (*end = row; *end < last && gpu_same((*end)->gpu, gpu);)
        ++*end;
    return row;
}

/* True for a card's price that is usable on the day and can be converted. */
static bool card_matches(const struct catalog *catalog, const struct hardware *row, day as_of)
{
    return row->usable && strcmp(row->kind, "card") == 0 && catalog_hardware_current(row, as_of) &&
           !isnan(price_per_gpu(catalog, row, as_of));
}

/* True if the same seller has a quote that takes precedence: any quote over a list price; over a
 * quote, a cheaper one or the first of two equal ones. */
static bool outquoted(const struct catalog *catalog, const struct hardware *row, day as_of)
{
    double price = price_per_gpu(catalog, row, as_of);
    const struct hardware *end;

    for (const struct hardware *other = rows_of(catalog, row->gpu, &end); other < end; other++) {
        if (!other->quote || other == row || !card_matches(catalog, other, as_of) ||
            strcmp(other->seller, row->seller) != 0)
            continue;
        double theirs = price_per_gpu(catalog, other, as_of);
        if (!row->quote || theirs < price || (theirs == price && other < row))
            return true;
    }
    return false;
}

static double median_card(const struct catalog *catalog, const struct gpu *gpu, day as_of,
                          bool undated)
{
    double prices[CARD_PRICES_MAX];
    const struct hardware *end;
    size_t n = 0;

    for (const struct hardware *row = rows_of(catalog, gpu, &end); row < end; row++)
        if (n < CARD_PRICES_MAX && card_matches(catalog, row, as_of) &&
            (row->observed == 0) == undated && !outquoted(catalog, row, as_of))
            prices[n++] = price_per_gpu(catalog, row, as_of);
    if (!n)
        return (double)NAN;
    sort_items(prices, n, sizeof(prices[0]), sort_compare_doubles);
    return (prices[(n - 1) / 2] + prices[n / 2]) / 2;
}

bool catalog_hardware_is_quoted(const struct catalog *catalog, const struct gpu *gpu, day as_of)
{
    for (size_t i = 0; i < catalog->n_hardware; i++) {
        const struct hardware *row = &catalog->hardware[i];
        if (row->quote && gpu_same(row->gpu, gpu) && catalog_hardware_current(row, as_of))
            return true;
    }
    return false;
}

double catalog_card_price(const struct catalog *catalog, const struct gpu *gpu, day as_of,
                          bool *undated)
{
    double price = median_card(catalog, gpu, as_of, false);

    *undated = isnan(price);
    return *undated ? median_card(catalog, gpu, as_of, true) : price;
}

/* A quote is better than a list price, a cheaper quote and a newer list price better than
 * others. */
static bool server_better(const struct catalog *catalog, const struct hardware *row,
                          const struct hardware *than, day as_of)
{
    if (!row->quote != !than->quote)
        return row->quote != NULL;
    return row->quote ? catalog_hardware_price(catalog, row, as_of) <
                            catalog_hardware_price(catalog, than, as_of)
                      : row->observed > than->observed;
}

const struct hardware *catalog_server(const struct catalog *catalog, const struct gpu *gpu,
                                      double gpu_count, day as_of)
{
    const struct hardware *best = NULL, *end;

    for (const struct hardware *row = rows_of(catalog, gpu, &end); row < end; row++)
        if (row->usable && strcmp(row->kind, "server") == 0 && row->gpu_count == gpu_count &&
            catalog_hardware_current(row, as_of) &&
            !isnan(catalog_hardware_price(catalog, row, as_of)) &&
            (!best || server_better(catalog, row, best, as_of)))
            best = row;
    return best;
}

enum price_doubt price_doubt(const struct price_summary *summary)
{
    const size_t providers_min = 2;

    if (!summary->offered)
        return PRICE_NOT_OFFERED;
    if (2 * summary->n_derived >= summary->n_providers)
        return PRICE_MOSTLY_DERIVED;
    if (2 * summary->n_old >= summary->n_providers && !summary->quoted)
        return PRICE_MOSTLY_OLD;
    if (summary->n_providers < providers_min && !summary->named && !summary->quoted &&
        !summary->of_maker)
        return PRICE_ONE_PROVIDER;
    return PRICE_CONFIRMED;
}
