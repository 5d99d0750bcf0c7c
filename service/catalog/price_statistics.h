/* price_statistics.h - what is usual for a GPU under a purchase option on a day, and what is far
 * from it. */
#ifndef CATALOG_PRICE_STATISTICS_H
#define CATALOG_PRICE_STATISTICS_H

#include "catalog/price_book.h"

/* Over each provider's cheapest offer, in ln of the price, so that half and twice are as far. */
struct price_statistics {
    double median;
    double scale; /* 1.4826 x the median distance from it: of a normal spread the deviation */
    size_t n_providers;
    double low, high; /* of a few who stand apart at an end: the nearest of the others */
};

struct price_statistics price_statistics_of(const struct catalog *catalog, const struct gpu *gpu,
                                            const char *purchase_option, day as_of);
/* The same of a price over all providers and regions. */
struct price_statistics price_statistics_from(const struct price *price);

/* More than 3.5 scales away (Iglewicz and Hoaglin, 1993), a scale being 10 % at least, or one of
 * fewer than a quarter of the providers who stand apart from the rest by a factor of two; among
 * fewer than five providers nothing is. It is a flag: the price counts all the same. */
bool price_is_outlier(const struct price_statistics *statistics, double price_per_gpu_hour);

/* Narrow the price's ends to offers that one can rent at, within its quartiles: no outliers and, if
 * three providers are left, none seen over a year ago. Its median stays. */
void price_trim_ends(struct price *price, const struct price_statistics *statistics, day as_of);

/* The quantile of the providers' prices, between two of them in proportion; NAN without any. */
double price_quantile(const struct price *price, double q);

#endif
