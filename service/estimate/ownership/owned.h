/* owned.h - the price of an hour of a GPU of one's own, by the ledger, over the useful life. */
#ifndef ESTIMATE_OWNERSHIP_OWNED_H
#define ESTIMATE_OWNERSHIP_OWNED_H

#include "catalog/catalog.h"

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

#endif
