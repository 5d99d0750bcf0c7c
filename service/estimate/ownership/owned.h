/* owned.h - the price of an owned GPU-hour: the ledger's cost over the useful life. */
#ifndef ESTIMATE_OWNERSHIP_OWNED_H
#define ESTIMATE_OWNERSHIP_OWNED_H

#include "catalog/catalog.h"
#include "estimate/ownership/ownership.h"

/* Owned GPUs, and the fraction of all hours in which they are in use. */
struct owned_gpus {
    const struct gpu *gpu; /* the catalogue's own record, because prices refer to it by address */
    double count, per_node;
    double utilization;
};

/* GPUs to buy: whole boards and servers. */
double owned_bought(const struct owned_gpus *owned);

/* The price of a card: of a used one if the GPU is no longer sold new. NAN if unknown. */
double owned_card_price(const struct catalog *catalog, const struct gpu *gpu, day as_of);

/* Sets the inputs of their ledger, those of used servers if the GPU is no longer sold new; false if
 * one is unknown. */
bool owned_ledger(const struct owned_gpus *owned, const struct catalog *catalog, day as_of,
                  struct ownership *own, struct err *err) MUST_CHECK;

/* Price per hour in use; multiply by the utilization to get the price per hour owned. Excludes the
 * cost of failures, as plans count those hours themselves. False if the ledger lacks a figure. */
bool owned_price_per_gpu_hour(const struct owned_gpus *owned, const struct catalog *catalog,
                              day as_of, double *price, struct err *err) MUST_CHECK;

/* The ends of that price as factors of it, by the band of the server's price; both 1 where it has
 * none. */
struct ownership_band owned_price_band(const struct owned_gpus *owned,
                                       const struct catalog *catalog, day as_of);

/* Peak power of the servers at the meter, including the facility's share, in kW. gpu_power_w NAN:
 * use the TDP; pue NAN: by housing. NAN if the power is unknown. */
struct owned_power {
    double servers, server_kw, pue, kw; /* kw is the product of the others */
};
struct owned_power owned_power(const struct owned_gpus *owned, const struct catalog *catalog,
                               day as_of, double gpu_power_w, double pue);

/* True if the power is within the limit. A limit of NAN allows any power; an unknown power is
 * within no limit. */
bool owned_power_is_within(double power_kw, double limit_kw);

/* The power rounded up to 10 W, so that a limit of that much suffices. */
double owned_power_told(double power_kw);

#endif
