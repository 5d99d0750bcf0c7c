/* provider_charges.h - what providers charge for data sent out and for storage: a free allowance
 * and prices that fall with the volume, in rows of assumption scoped by provider. */
#ifndef ESTIMATE_OWNERSHIP_PROVIDER_CHARGES_H
#define ESTIMATE_OWNERSHIP_PROVIDER_CHARGES_H

#include "catalog/price.h"

#define GB_PER_TB 1000.0

/* On average over the volume; without any volume, of the first GB that is not free. */
struct provider_charges {
    double egress_per_gb, storage_per_gb_month; /* NAN if the provider's price is not known */
};
struct provider_charges provider_charges_of(const struct catalog *catalog, const char *provider,
                                            double egress_gb, double storage_gb);

/* The rows they come from; NULL if there is none. */
const struct assumption *provider_charges_egress(const struct catalog *catalog,
                                                 const char *provider);
const struct assumption *provider_charges_storage(const struct catalog *catalog,
                                                  const char *provider);
/* Free GB a month; 0 if no allowance is known. */
double provider_charges_free_gb(const struct catalog *catalog, const char *provider);

/* The median of the prices that are known, and their ends. */
struct provider_median {
    double price, low, high; /* NAN if none is known */
    size_t n_known, n;
};
struct provider_median provider_charges_median(double *prices, size_t n);

#endif
