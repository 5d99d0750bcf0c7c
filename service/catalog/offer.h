/* offer.h - prices of GPUs: rental offers over time, purchase prices, exchange rates. */
#ifndef CATALOG_OFFER_H
#define CATALOG_OFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gpu;
struct quote;

/* A day as the number yyyymmdd; 0 if unknown. Comparable as integers. */
typedef int32_t day;

/* Provenance of prices, stored once and shared. */
struct origin {
    const char *source, *note, *currency;
    const char *observed_text; /* the date as printed by the source; NULL: as yyyy-mm-dd */
    double run;                /* id of the import, see feed_run; NAN if none */
    day until;          /* first day the price is no longer valid, if the source says so; else 0 */
    bool flagged_stale; /* the source itself is marked as outdated */
};

/* The price of an offer from one day on, at most until the next observation; see
 * offer_index_until(). There can be millions. */
struct observation {
    double price_per_hour, price_per_gpu_hour; /* in the origin's currency */
    const struct origin *origin;
    day from; /* 0 if the source gives no date */
    int line; /* line in the imported file; 0 if not imported */
};

/* A rental offer with all its observations. */
struct rental {
    const char *id;              /* stable id: provider, instance, region, zone, GPU, count,
                                  * option */
    const char *gpu;             /* slug */
    const char *purchase_option; /* on_demand spot reserved_1yr reserved_3yr capacity_block */
    const char *provider;
    const char *instance, *region, *zone;
    double gpu_count;
    bool usable;               /* false: refuted or an estimate; listed, but never used as a
                                * price */
    const struct quote *quote; /* the team's quote it was made from; NULL for a listed offer */
    struct observation *seen;  /* sorted by day; the last of a day is valid */
    size_t n_seen;
};

/* One observation of an offer, as passed to callers. */
struct offer {
    const struct gpu *gpu;
    const struct rental *rental;
    const struct observation *seen;
    double price_per_gpu_hour; /* in the catalogue's currency; NAN if there is no exchange rate */
    double rented_gpu_count;   /* GPUs paid for by the job matched to it; 0 without a job */
    double job_price_ratio;    /* price of one GPU of that job, as a multiple of the offer's price
                                * per GPU */
    double cluster_premium; /* the part of the job's price above the offer's, as a ratio of it: for
                             * a job larger than any cluster known there; else 0 */
    double term_hours;      /* shortest rental of the cluster that the job is matched to; 0 if it is
                             * rented by the hour */
};

/* A company that rents out GPUs. */
struct provider {
    const char *slug, *name, *kind;
    const char *market;     /* hyperscaler, neocloud, marketplace, community; "" if unknown */
    const char *gpu_vendor; /* vendor of the GPUs that it makes itself; "" if none */
    double stale_days;      /* age in days beyond which prices are stale */
};

/* How a provider's machines with a GPU can be connected. */
struct instance {
    const char *provider, *gpu;
    const char *name;               /* the provider's name of the machine type, as in struct rental;
                                     * "" for all that are not named */
    double network_gbit_per_second; /* per GPU, one direction, between machines; NAN if unknown */
    double cluster_gpu_count_max;   /* largest known cluster rented as one; NAN if unknown */
    double machine_gpu_count_max;   /* most GPUs in one machine at the single-GPU price; NAN if
                                     * unknown */
    const char *source;
};

/* How a provider bills running time. */
struct billing {
    const char *provider;
    const char *instance_prefix; /* applies to instance names with this prefix; "" for all */
    double granularity_seconds;  /* billing increment, rounded up; NAN if unknown */
    double minimum_seconds;      /* minimum billed per machine start; NAN if unknown */
    const char *source;
};

/* The country of a provider's region. */
struct region {
    const char *provider, *region, *country, *basis; /* basis: how it is known, see table region */
};

/* A public price list that covers a GPU, which gpuplan fetch can import. */
struct feed_carrier {
    const char *gpu, *provider; /* provider is "" if it covers several */
    const char *feed;           /* name in table feed_source */
    const char *attribution, *url;
    const char *region; /* the region it covers; "" for all */
    bool enabled, on_demand, reserved;
};

/* An imported file. */
struct feed_run {
    double id;
    const char *format, *file;
    day imported;
    double stale_days; /* age in days beyond which its prices are stale; NAN if not from a known
                        * feed */
};

/* A purchase price of a card or a server. */
struct hardware {
    const char *id, *kind; /* kind: card or server */
    const char *seller;
    const struct gpu *gpu;
    double gpu_count, price, price_per_gpu;
    const char *currency;
    day observed; /* 0 if undated, which may still serve as a default */
    day known;    /* first day the row is valid in this version; 0 if always */
    day until;    /* first day it is no longer valid in this version; 0 if open */
    const char *observed_text, *source, *note;
    bool usable;
    const struct quote *quote; /* as in struct rental */
};

struct exchange_rate {
    const char *currency; /* ISO 4217 */
    double per_usd;       /* units per US dollar */
    day observed;
    const char *source;
};

#endif
