/* offer.h - what a GPU costs: rental offers over time, purchase prices, exchange rates. */
#ifndef CATALOG_OFFER_H
#define CATALOG_OFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gpu;
struct quote;

/* A day as yyyymmdd, 0 where unknown: compares as it reads. */
typedef int32_t day;

/* Provenance of prices: stored once for all that share it. */
struct origin {
    const char *source, *note, *currency;
    const char *observed_text; /* the date as the source prints it */
    double run;                /* the import they came with, see feed_run; NAN: none */
    day until;          /* first day they no longer hold, where the source says so; 0: none */
    bool flagged_stale; /* the source itself is known to be old */
};

/* The price of an offer from one day on, at most until the next observation:
 * offer_index_until(). There may be millions of them. */
struct observation {
    double price_per_hour, price_per_gpu_hour; /* in the origin's currency */
    const struct origin *origin;
    day from; /* 0: the source gives no date */
    int line; /* line in the imported file; 0: not imported */
};

/* A rental offer with all its observations. */
struct rental {
    const char *id;              /* stable: provider, instance, region, zone, GPU, count, option */
    const char *gpu;             /* slug */
    const char *purchase_option; /* on_demand spot reserved_1yr reserved_3yr capacity_block */
    const char *provider;
    const char *instance, *region, *zone;
    double gpu_count;
    bool usable;               /* false: refuted or an estimate; listed, never used as a price */
    const struct quote *quote; /* the team's quote behind it, NULL: an offer of the catalogue */
    struct observation *seen;  /* by day; the last one of a day counts */
    size_t n_seen;
};

/* One observation of an offer, as handed out. */
struct offer {
    const struct gpu *gpu;
    const struct rental *rental;
    const struct observation *seen;
    double price_per_gpu_hour; /* in the catalogue's currency; NAN where its own has no rate */
    double rented_gpu_count;   /* of a job matched to it: GPUs paid for; 0: no job */
    double job_price_ratio;    /* what a GPU of that job costs, in GPUs of the offer */
};

/* Who rents GPUs out. */
struct provider {
    const char *slug, *name, *kind;
    const char *market; /* hyperscaler neocloud marketplace community; "": not known */
    double stale_days;  /* prices are stale when they are older */
};

/* What a provider's machines with a GPU can be joined to. */
struct instance {
    const char *provider, *gpu;
    const char *name;               /* network between machines; "": not known */
    double network_gbit_per_second; /* per GPU and direction, between machines; NAN: not known */
    double cluster_gpu_count_max;   /* the most known to be rented as one; NAN: not known */
    double machine_gpu_count_max; /* the most in one machine at the price of one; NAN: not known */
    const char *source;
};

/* How a provider bills running time. */
struct billing {
    const char *provider;
    const char *instance_prefix; /* prefix of the instance names it applies to; "" for all */
    double granularity_seconds; /* each step of this length that has begun is billed in full; NAN if
                                   unknown */
    double minimum_seconds;     /* per start of a machine; NAN if unknown */
    const char *source;
};

/* The country that a provider's region lies in. */
struct region {
    const char *provider, *region, *country, *basis; /* how it is known: see table region */
};

/* A GPU that a public list has, which gpuplan fetch can bring in. */
struct feed_carrier {
    const char *gpu, *provider; /* provider "": of several */
    const char *feed;           /* its name in table feed_source */
    const char *attribution, *url;
    const char *region; /* the one that it is of; "": all */
    bool enabled, on_demand, reserved;
};

/* A file as it was imported. */
struct feed_run {
    double id;
    const char *format, *file;
    day imported;
    double stale_days; /* its prices are stale when they are older; NAN: it is of no known feed */
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
    const struct quote *quote; /* as of a rental */
};

struct exchange_rate {
    const char *currency; /* ISO 4217 */
    double per_usd;       /* units of it for one US dollar */
    day observed;
    const char *source;
};

#endif
