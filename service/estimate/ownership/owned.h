/* owned.h - the price of an hour of a GPU of one's own, by the ledger, over the useful life. */
#ifndef ESTIMATE_OWNERSHIP_OWNED_H
#define ESTIMATE_OWNERSHIP_OWNED_H

#include "catalog/catalog.h"
#include "estimate/ownership/ownership.h"

/* GPUs that are owned, and the share of all hours in which they are in use. */
struct owned_gpus {
    const struct gpu *gpu; /* the catalogue's own record: prices point at it */
    double count, per_node;
    double utilization;
};

/* GPUs bought for them: whole boards and servers. */
double owned_bought(const struct owned_gpus *owned);

/* Per hour in use; times the utilization that is per hour owned. What failures cost is not in it:
 * plans count those hours themselves. False where the ledger lacks a figure. */
bool owned_price_per_gpu_hour(const struct owned_gpus *owned, const struct catalog *catalog,
                              day as_of, double *price, struct err *err) MUST_CHECK;

/* The ends of that price as factors of it, by the band of the server's price; both 1 where it has
 * none. */
struct ownership_band owned_price_band(const struct owned_gpus *owned,
                                       const struct catalog *catalog, day as_of);

/* The most that those servers draw at the meter, the facility's share included: kW. A GPU's power
 * limit NAN: its TDP; pue NAN: by housing. NAN where the power is unknown. */
struct owned_power {
    double servers, server_kw, pue, kw; /* kw is their product */
};
struct owned_power owned_power(const struct owned_gpus *owned, const struct catalog *catalog,
                               day as_of, double gpu_power_w, double pue);

/* Whether a power is within a limit; NAN, no limit, holds any, and an unknown power is within no
 * limit. */
bool owned_power_is_within(double power_kw, double limit_kw);

/* Rounded up to 10 W: a limit of that much would do. */
double owned_power_told(double power_kw);

#endif
