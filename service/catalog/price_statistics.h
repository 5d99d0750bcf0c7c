/* price_statistics.h - the usual price of a GPU under a purchase option on a day, and outliers. */
#ifndef CATALOG_PRICE_STATISTICS_H
#define CATALOG_PRICE_STATISTICS_H

#include "catalog/price_book.h"

/* Over each provider's cheapest offer, in ln of the price, so that half and double are equally
 * far. */
struct price_statistics {
    double median;
    double scale; /* 1.4826 x the median absolute deviation: the standard deviation if prices are
                   * normal */
    size_t n_providers;
    double low, high; /* price range without a few providers that stand apart at either end; 0 and
                       * INFINITY if none do */
};

struct price_statistics price_statistics_of(const struct catalog *catalog, const struct gpu *gpu,
                                            const char *purchase_option, day as_of);
/* The same of a price over all providers and regions. */
struct price_statistics price_statistics_from(const struct price *price);

/* Statistics already asked for, empty at first. Lists alternate between GPUs, options and days. */
enum { PRICE_MARKETS = 1024 };
struct price_markets {
    struct price_market {
        const struct gpu *gpu; /* NULL: free */
        const char *purchase_option;
        day as_of;
        struct price_statistics statistics;
    } at[PRICE_MARKETS];
};
const struct price_statistics *price_statistics_kept(struct price_markets *markets,
                                                     const struct catalog *catalog,
                                                     const struct gpu *gpu,
                                                     const char *purchase_option, day as_of);

/* True if the price is more than 3.5 scales from the median (Iglewicz and Hoaglin, 1993), with a
 * scale of at least 10 %, or more than a factor of two outside low..high, the range without fewer
 * than a quarter of the providers. Never true with fewer than five providers, nor of
 * 0, which is already paid for. The price is only
 * flagged, not dropped. */
bool price_is_outlier(const struct price_statistics *statistics, double price_per_gpu_hour);

/* Narrow the price's ends to offers that one can rent at, within its quartiles: no outliers and, if
 * three providers are left, none seen over a year ago. Its median stays. */
void price_trim_ends(struct price *price, const struct price_statistics *statistics, day as_of);

/* A quantile of the providers' prices, with linear interpolation; NAN without any. */
double price_quantile(const struct price *price, double q);

#endif
