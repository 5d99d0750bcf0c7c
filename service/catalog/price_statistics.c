#include "catalog/price_statistics.h"

#include "base/sort.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double OUTLIER_SCALES = 3.5, SCALE_MIN = 0.1, GAP = 2;
static const double MAD_TO_DEVIATION = 1.4826; /* 1 / the upper quartile of a standard normal */
enum { PROVIDERS_MIN = 5, FRESH_MIN = 3 };

double price_quantile(const struct price *price, double q)
{
    if (!price->n_offers)
        return (double)NAN;
    size_t last = price->n_offers - 1; /* they are sorted by price */
    double at = q * (double)last;
    size_t below = (size_t)at, above = below < last ? below + 1 : last;
    double low = price->offers[below].price_per_gpu_hour;
    return low + (at - (double)below) * (price->offers[above].price_per_gpu_hour - low);
}

/* If fewer than a quarter of the prices at an end are separated by the factor GAP, sets that end to
 * the nearest of the others. */
static void set_ends(const struct price *price, struct price_statistics *statistics)
{
    const struct offer *offers = price->offers;
    size_t n = price->n_offers;

    statistics->low = 0;
    statistics->high = (double)INFINITY;
    for (size_t i = 1; 4 * i < n; i++) {
        if (offers[i].price_per_gpu_hour > GAP * offers[i - 1].price_per_gpu_hour)
            statistics->low = offers[i].price_per_gpu_hour;
        if (offers[n - i].price_per_gpu_hour > GAP * offers[n - 1 - i].price_per_gpu_hour)
            statistics->high = offers[n - 1 - i].price_per_gpu_hour;
    }
}

struct price_statistics price_statistics_from(const struct price *price)
{
    struct price_statistics statistics = {(double)NAN, (double)NAN, price->n_offers, 0, 0};
    double far[PRICE_OFFERS_MAX];
    size_t n = price->n_offers;

    if (!n)
        return statistics;
    set_ends(price, &statistics);
    statistics.median = log(price->per_gpu_hour);
    for (size_t i = 0; i < n; i++)
        far[i] = fabs(log(price->offers[i].price_per_gpu_hour) - statistics.median);
    sort_items(far, n, sizeof(far[0]), sort_compare_doubles);
    statistics.scale = MAD_TO_DEVIATION * (far[(n - 1) / 2] + far[n / 2]) / 2;
    return statistics;
}

struct price_statistics price_statistics_of(const struct catalog *catalog, const struct gpu *gpu,
                                            const char *purchase_option, day as_of)
{
    struct price price = catalog_price(
        catalog,
        &(struct price_query){.gpu = gpu, .purchase_option = purchase_option, .as_of = as_of});

    return price_statistics_from(&price);
}

static bool is_market(const struct price_market *market, const struct gpu *gpu,
                      const char *purchase_option, day as_of)
{
    return market->gpu == gpu && market->as_of == as_of &&
           strcmp(market->purchase_option, purchase_option) == 0;
}

/* Two markets that shared one place would be computed again for every row of a sorted list. */
const struct price_statistics *price_statistics_kept(struct price_markets *markets,
                                                     const struct catalog *catalog,
                                                     const struct gpu *gpu,
                                                     const char *purchase_option, day as_of)
{
    enum { PLACES = 16 };
    uint64_t hash = text_hash((uint64_t)as_of, gpu->slug, strlen(gpu->slug));
    size_t first = text_hash(hash, purchase_option, strlen(purchase_option)) % PRICE_MARKETS;
    struct price_market *market = NULL;

    for (size_t i = 0; i < PLACES; i++) {
        market = &markets->at[(first + i) % PRICE_MARKETS];
        if (!market->gpu || is_market(market, gpu, purchase_option, as_of))
            break;
    }
    if (!market->gpu || !is_market(market, gpu, purchase_option, as_of))
        *market = (struct price_market){gpu, purchase_option, as_of,
                                        price_statistics_of(catalog, gpu, purchase_option, as_of)};
    return &market->statistics;
}

bool price_is_outlier(const struct price_statistics *statistics, double price_per_gpu_hour)
{
    return statistics->n_providers >= PROVIDERS_MIN && price_per_gpu_hour > 0 &&
           (GAP * price_per_gpu_hour < statistics->low ||
            price_per_gpu_hour > GAP * statistics->high ||
            fabs(log(price_per_gpu_hour) - statistics->median) >
                OUTLIER_SCALES * fmax(statistics->scale, SCALE_MIN));
}

void price_trim_ends(struct price *price, const struct price_statistics *statistics, day as_of)
{
    day fresh = text_day_plus(as_of, -PRICE_FRESH_DAYS);
    double lower = price_quantile(price, 0.25), upper = price_quantile(price, 0.75);
    bool unusual[PRICE_OFFERS_MAX] = {false};
    size_t first = 0, last = price->n_offers, n_fresh = 0;

    for (size_t i = 0; i < last; i++) {
        unusual[i] = price_is_outlier(statistics, price->offers[i].price_per_gpu_hour);
        n_fresh += !unusual[i] && price->offers[i].seen->from >= fresh;
    }
    for (size_t i = 0; n_fresh >= FRESH_MIN && i < last; i++)
        unusual[i] |= price->offers[i].seen->from < fresh;
    while (first + 1 < last && unusual[first] &&
           price->offers[first + 1].price_per_gpu_hour <= lower)
        first++;
    while (last > first + 1 && unusual[last - 1] &&
           price->offers[last - 2].price_per_gpu_hour >= upper)
        last--;
    if (last) {
        price->low = price->offers[first].price_per_gpu_hour;
        price->high = price->offers[last - 1].price_per_gpu_hour;
    }
}
