/* volume.h - costs of the three ways to pay for a volume of tokens, and the volume from which owned
 * or rented GPUs cost no more than a hosted API. */
#ifndef ESTIMATE_BREAK_EVEN_VOLUME_H
#define ESTIMATE_BREAK_EVEN_VOLUME_H

#include "catalog/offer.h"
#include "estimate/break_even/break_even.h"
#include "estimate/break_even/hosted_api.h"
#include "estimate/inference/serving/serving.h"
#include "estimate/ownership/rent_schedule.h"

/* What stays fixed while the volume changes. */
struct volume {
    const struct serving_request
        *request;                /* model, requests, limits; its GPUs and load are ignored */
    struct design_cache *cache;  /* kept from one volume to the next; NULL: nowhere, which is needed
                                  * where measured runs correct the request */
    const struct ownership *own; /* before ownership_complete(), so that what depends on the number
                                  * of GPUs is still open; its GPUs and utilization are ignored */
    const struct catalog *catalog;
    const struct gpu *gpu; /* in the catalogue */
    day as_of;
    const struct price_book *book; /* rental offers of the GPU; NULL: rent price of `own` */
    struct hosted_api hosted;      /* its tokens_per_day is ignored */
    struct rent_schedule schedule;
};

/* All three at the horizon; totals are NAN if a price is unknown. */
struct volume_totals {
    double gpu_count, utilization;
    double buy, rent, hosted;
};

enum bridge_side { BRIDGE_BUY, BRIDGE_RENT };

/* The range of volumes searched, and the maximum number of GPUs. */
#define BRIDGE_TOKENS_MIN 1e4
#define BRIDGE_TOKENS_MAX 1e18
#define BRIDGE_GPUS_MAX 10000.0

/* The smallest volume, in tokens per day, at which that side costs no more than the hosted API.
 * Searches in steps of 5 %, at each change of design within a step, then by bisection; status is
 * reached, unknown_price, SIDE_cheaper_throughout or hosted_cheaper_throughout. Above that volume,
 * whenever another replica is needed, the hosted API may again be cheaper for a while. */
struct threshold volume_break_even(const struct volume *volume, enum bridge_side side);

#endif
