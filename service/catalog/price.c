#include "catalog/price.h"

#include "base/text.h"
#include "catalog/quote.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STALE_DAYS = 90 };

const char *const purchase_options[PURCHASE_OPTIONS] = {"on_demand", "spot", "reserved_1yr",
                                                        "reserved_3yr", "capacity_block"};

bool offer_current(const struct offer *offer, day as_of)
{
    return offer->from <= as_of && (!offer->until || as_of < offer->until);
}

bool hardware_current(const struct hardware *hardware, day as_of)
{
    return hardware->observed <= as_of && hardware->known <= as_of &&
           (!hardware->until || as_of < hardware->until);
}

bool offer_stale(const struct offer *offer, day as_of)
{
    if (offer->quote)
        return !offer->quote->valid_until &&
               text_days_between(offer->quote->valid_from, as_of) > STALE_DAYS;
    return offer->flagged_stale || offer->undated || !offer->from ||
           text_days_between(offer->from, as_of) > STALE_DAYS;
}

static bool open_or_equal(const char *filter, const char *value)
{
    return !filter || !filter[0] || strcmp(filter, value) == 0;
}

/* A quote that names no region is for all of them. */
static bool in_region(const struct offer *offer, const char *region)
{
    return open_or_equal(region, offer->region) || (offer->quote && !offer->region[0]);
}

static bool matches(const struct offer *offer, const struct price_query *query, bool undated)
{
    return gpu_same(offer->gpu, query->gpu) && offer->usable && offer->undated == undated &&
           offer_current(offer, query->as_of) &&
           open_or_equal(query->purchase_option, offer->purchase_option) &&
           in_region(offer, query->region) &&
           (!query->provider || !query->provider[0] ||
            text_in_list(query->provider, offer->provider));
}

/* The first offer of the GPU in the sorted array. */
static size_t first_offer(const struct catalog *catalog, const struct gpu *gpu)
{
    size_t low = 0, high = catalog->n_offers;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(catalog->offers[middle].gpu->slug, gpu->slug) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* What is quoted goes before what is listed, then the cheaper one. */
static bool better(const struct offer *offer, const struct offer *than)
{
    if (!offer->quote != !than->quote)
        return offer->quote != NULL;
    return offer->price_per_gpu_hour < than->price_per_gpu_hour;
}

/* Keep the best offer of each provider. */
static void keep_best(struct price *price, const struct offer *offer)
{
    for (size_t i = 0; i < price->n_offers; i++)
        if (strcmp(price->offers[i]->provider, offer->provider) == 0) {
            if (better(offer, price->offers[i]))
                price->offers[i] = offer;
            return;
        }
    if (price->n_offers < PRICE_OFFERS_MAX)
        price->offers[price->n_offers++] = offer;
}

static int compare_prices(const void *a, const void *b)
{
    const struct offer *x = *(const struct offer *const *)a, *y = *(const struct offer *const *)b;

    return (x->price_per_gpu_hour > y->price_per_gpu_hour) -
           (x->price_per_gpu_hour < y->price_per_gpu_hour);
}

static void collect(struct price *price, const struct catalog *catalog,
                    const struct price_query *query, bool undated)
{
    for (size_t i = first_offer(catalog, query->gpu);
         i < catalog->n_offers && gpu_same(catalog->offers[i].gpu, query->gpu); i++)
        if (matches(&catalog->offers[i], query, undated))
            keep_best(price, &catalog->offers[i]);
}

struct price catalog_price(const struct catalog *catalog, const struct price_query *query)
{
    struct price price = {.per_gpu_hour = (double)NAN, .low = (double)NAN, .high = (double)NAN};

    collect(&price, catalog, query, false);
    if (!price.n_offers)
        collect(&price, catalog, query, true);
    size_t n = price.n_offers;
    if (!n)
        return price;
    qsort(price.offers, n, sizeof(const struct offer *), compare_prices);
    price.low = price.offers[0]->price_per_gpu_hour;
    price.high = price.offers[n - 1]->price_per_gpu_hour;
    price.per_gpu_hour =
        (price.offers[(n - 1) / 2]->price_per_gpu_hour + price.offers[n / 2]->price_per_gpu_hour) /
        2;
    for (size_t i = 0; i < n; i++)
        price.stale = price.stale || offer_stale(price.offers[i], query->as_of);
    return price;
}

void price_observed(const struct price *price, day *oldest, day *newest)
{
    *oldest = *newest = price->offers[0]->from;
    for (size_t i = 1; i < price->n_offers; i++) {
        day from = price->offers[i]->from;
        *oldest = from < *oldest ? from : *oldest;
        *newest = from > *newest ? from : *newest;
    }
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

enum { CARD_PRICES_MAX = 64 };

/* A card's price on the day, as somebody sells it. */
static bool card_matches(const struct hardware *row, const struct gpu *gpu, day as_of)
{
    return gpu_same(row->gpu, gpu) && row->usable && strcmp(row->kind, "card") == 0 &&
           hardware_current(row, as_of);
}

/* Whether the same seller has a quote that goes before the row: any before a list price, a cheaper
 * one, or the first of two equal ones, before a quote. */
static bool outquoted(const struct catalog *catalog, const struct hardware *row, day as_of)
{
    for (size_t i = 0; i < catalog->n_hardware; i++) {
        const struct hardware *other = &catalog->hardware[i];
        if (!other->quote || other == row || !card_matches(other, row->gpu, as_of) ||
            strcmp(other->seller, row->seller) != 0)
            continue;
        if (!row->quote || other->price_per_gpu < row->price_per_gpu ||
            (other->price_per_gpu == row->price_per_gpu && other < row))
            return true;
    }
    return false;
}

static double median_card(const struct catalog *catalog, const struct gpu *gpu, day as_of,
                          bool undated)
{
    double prices[CARD_PRICES_MAX];
    size_t n = 0;

    for (size_t i = 0; i < catalog->n_hardware && n < CARD_PRICES_MAX; i++) {
        const struct hardware *row = &catalog->hardware[i];
        if (card_matches(row, gpu, as_of) && (row->observed == 0) == undated &&
            !outquoted(catalog, row, as_of))
            prices[n++] = row->price_per_gpu;
    }
    if (!n)
        return (double)NAN;
    qsort(prices, n, sizeof(prices[0]), compare_doubles);
    return (prices[(n - 1) / 2] + prices[n / 2]) / 2;
}

double catalog_card_price(const struct catalog *catalog, const struct gpu *gpu, day as_of,
                          bool *undated)
{
    double price = median_card(catalog, gpu, as_of, false);

    *undated = isnan(price);
    return *undated ? median_card(catalog, gpu, as_of, true) : price;
}

/* A quote goes before a list price, the cheaper quote and the newer list price before others. */
static bool server_better(const struct hardware *row, const struct hardware *than)
{
    if (!row->quote != !than->quote)
        return row->quote != NULL;
    return row->quote ? row->price < than->price : row->observed > than->observed;
}

const struct hardware *catalog_server(const struct catalog *catalog, const struct gpu *gpu,
                                      double gpu_count, day as_of)
{
    const struct hardware *best = NULL;

    for (size_t i = 0; i < catalog->n_hardware; i++) {
        const struct hardware *row = &catalog->hardware[i];
        if (gpu_same(row->gpu, gpu) && row->usable && strcmp(row->kind, "server") == 0 &&
            row->gpu_count == gpu_count && hardware_current(row, as_of) &&
            (!best || server_better(row, best)))
            best = row;
    }
    return best;
}
