/* volume.h - from a volume of tokens to the three ways of paying for it, and the volume from which
 * owned or rented GPUs, cost no more than a hosted API. */
#ifndef ESTIMATE_BREAK_EVEN_VOLUME_H
#define ESTIMATE_BREAK_EVEN_VOLUME_H

#include "catalog/offer.h"
#include "estimate/break_even/break_even.h"
#include "estimate/break_even/hosted_api.h"
#include "estimate/inference/serving/serving.h"
#include "estimate/ownership/rent_schedule.h"

/* What is held while the volume changes. */
struct volume {
    const struct serving_request
        *request;                /* model, requests, limits; neither GPUs nor load count */
    const struct ownership *own; /* before ownership_complete(): what follows from the number of
                                  * GPUs is still open; GPUs and utilization do not count */
    const struct catalog *catalog;
    const struct gpu *gpu; /* the catalogue's */
    day as_of;
    const struct price_book *book; /* what the GPUs are rented for; NULL: as `own` says */
    struct hosted_api hosted;      /* its tokens_per_day does not count */
    struct rent_schedule schedule;
};

/* All three at the horizon; totals are NAN where a price is unknown. */
struct volume_totals {
    double gpu_count, utilization;
    double buy, rent, hosted;
};

enum bridge_side { BRIDGE_BUY, BRIDGE_RENT };

/* The volumes that are looked at, up to that many GPUs. */
#define BRIDGE_TOKENS_MIN 1e4
#define BRIDGE_TOKENS_MAX 1e18
#define BRIDGE_GPUS_MAX 10000.0

/* The smallest volume, in tokens a day, at which that side costs no more than the hosted API,
 * looked for in steps of 5 %, at each change of design within one, and by bisection; status
 * reached, unknown_price, SIDE_cheaper_throughout or hosted_cheaper_throughout. Above it, wherever
 * a further replica is needed, the hosted API may be ahead again for a while. */
struct threshold volume_break_even(const struct volume *volume, enum bridge_side side);

#endif
