#include "estimate/ownership/provider_charges.h"

#include "base/sort.h"

#include <math.h>
#include <stdio.h>

/* Volumes from which a month's further GB may have another price. */
static const double steps_tb[] = {1, 10, 50, 150, 500};

enum { STEPS = sizeof(steps_tb) / sizeof(steps_tb[0]) };

static double step_price(const struct catalog *catalog, const char *key, double above_tb,
                         const char *provider)
{
    char name[80];

    snprintf(name, sizeof(name), "%s_above_%.0f_tb", key, above_tb);
    return catalog_default(catalog, name, provider);
}

/* The mean price per GB of `gb`, the first `free_gb` of which are free. */
static double average(const struct catalog *catalog, const char *key, const char *provider,
                      double gb, double free_gb)
{
    double price = catalog_default(catalog, key, provider), from = free_gb, bill = 0;

    const double digits = 1e9; /* the average used is the one that is shown */

    if (isnan(price) || gb == 0)
        return price;
    for (int i = 0; i < STEPS && from < gb; i++) {
        double step = steps_tb[i] * GB_PER_TB;
        double next = step_price(catalog, key, steps_tb[i], provider);
        if (isnan(next))
            continue;
        bill += fmax(fmin(gb, step) - from, 0) * price;
        from = fmax(from, step);
        price = next;
    }
    return round((bill + fmax(gb - from, 0) * price) / gb * digits) / digits;
}

const struct assumption *provider_charges_egress(const struct catalog *catalog,
                                                 const char *provider)
{
    return catalog_assumption(catalog, "egress_price_per_gb", provider);
}

const struct assumption *provider_charges_storage(const struct catalog *catalog,
                                                  const char *provider)
{
    return catalog_assumption(catalog, "storage_price_per_gb_month", provider);
}

double provider_charges_free_gb(const struct catalog *catalog, const char *provider)
{
    double free_gb = catalog_default(catalog, "egress_free_gb_per_month", provider);

    return isnan(free_gb) ? 0 : free_gb;
}

struct provider_charges provider_charges_of(const struct catalog *catalog, const char *provider,
                                            double egress_gb, double storage_gb)
{
    return (struct provider_charges){
        average(catalog, "egress_price_per_gb", provider, egress_gb,
                provider_charges_free_gb(catalog, provider)),
        average(catalog, "storage_price_per_gb_month", provider, storage_gb, 0),
    };
}

struct provider_median provider_charges_median(double *prices, size_t n)
{
    const double unknown = (double)NAN;
    struct provider_median median = {unknown, unknown, unknown, 0, n};

    for (size_t i = 0; i < n; i++)
        if (!isnan(prices[i]))
            prices[median.n_known++] = prices[i];
    if (!median.n_known)
        return median;
    sort_items(prices, median.n_known, sizeof(*prices), sort_compare_doubles);
    median.low = prices[0];
    median.high = prices[median.n_known - 1];
    median.price = (prices[(median.n_known - 1) / 2] + prices[median.n_known / 2]) / 2;
    return median;
}
