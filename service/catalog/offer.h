/* offer.h - what a GPU costs: rental offers over time, purchase prices, exchange rates. */
#ifndef CATALOG_OFFER_H
#define CATALOG_OFFER_H

#include <stdbool.h>
#include <stdint.h>

struct gpu;
struct quote;

/* A day as yyyymmdd, 0 where unknown: compares as it reads. */
typedef int32_t day;

/* One observation of one rental offer, valid from `from` until before `until`. */
struct offer {
    const char *id; /* stable: provider, instance, region, GPU, count, option */
    const char *provider, *instance, *region;
    const struct gpu *gpu;
    const char *purchase_option; /* on_demand spot reserved_1yr reserved_3yr capacity_block */
    const char *currency;
    double gpu_count, price_per_hour, price_per_gpu_hour;
    day from, until;           /* until 0: still valid */
    const char *observed_text; /* the date as the source prints it */
    bool undated;              /* the source gives no date */
    bool flagged_stale;        /* the source itself is known to be old */
    bool usable;               /* false: refuted or an estimate; listed, never priced with */
    const char *source, *note;
    const struct quote *quote; /* the team's own that it is, NULL: the catalogue's */
};

/* One purchase price of a card or of a server. */
struct hardware {
    const char *id, *kind; /* card, server */
    const char *seller;
    const struct gpu *gpu;
    double gpu_count, price, price_per_gpu;
    const char *currency;
    day observed; /* 0: undated, serves as a default all the same */
    day known;    /* first day this is what the row says; 0: always */
    day until;    /* first day it no longer holds or says so; 0: open */
    const char *observed_text, *source, *note;
    bool usable;
    const struct quote *quote; /* as of an offer */
};

struct exchange_rate {
    const char *currency; /* ISO 4217 */
    double per_usd;
    day observed;
    const char *source;
};

#endif
