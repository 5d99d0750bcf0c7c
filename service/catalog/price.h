/* price.h - the price of a GPU on a day: the median over providers of each provider's cheapest
 * current offer, with the offers used. For a job, each provider's cheapest bill for machines that
 * hold it (price_book.h). A team's own quote replaces its provider's list prices. Undated offers
 * are used only if there are no others. */
#ifndef CATALOG_PRICE_H
#define CATALOG_PRICE_H

#include "catalog/catalog.h"

/* Filters for offers; NULL or "" leaves a filter open. provider is a comma-separated list. */
struct price_query {
    const struct gpu *gpu;
    const char *purchase_option, *provider, *region;
    const char *provider_discounts; /* discounts on the prices of jobs, as aws:0.3,oci:0.2; NULL if
                                     * none */
    day as_of;
    /* The job's number of GPUs, and how many of them need interconnection. 0 without a job: offers
     * are compared by price per GPU, whatever the machine size. */
    double gpu_count, connected_gpu_count;
};

/* What a price is based on. */
enum price_basis {
    PRICE_NONE,
    PRICE_CLUSTER,         /* networked machines, within the largest known cluster size */
    PRICE_WHOLE_INSTANCES, /* each machine holds all GPUs that must be connected */
    PRICE_SINGLE_GPU,
    PRICE_UNDATED_LIST,
    PRICE_QUOTE,
    PRICE_CLUSTER_PREMIUM, /* premium for a cluster larger than any provider is known to rent out */
    PRICE_GIVEN,           /* given by the caller */
    PRICE_OWNED,           /* the cost of owning the GPUs */
    PRICE_BASES
};
extern const char *const price_bases[PRICE_BASES];

enum {
    PRICE_OFFERS_MAX = 64,
    PRICE_STALE_DAYS = 90,  /* if the provider sets no other limit */
    PRICE_FRESH_DAYS = 365, /* older prices are dropped if there are newer ones */
};

struct price {
    double per_gpu_hour; /* the median, in the catalogue's currency; NAN if no offer matches */
    double low, high;    /* over the providers' cheapest offers */
    /* The interval of a job's price: over the providers; with one provider, or where all ask the
     * same, as far as providers usually are from the others. Certain are a quote and the list of
     * the only provider with it among those that the query names; where that list has no reserved
     * price, the interval is that of the discount. */
    double band_low, band_high;
    size_t n_matching;     /* number of matching offers; only dated ones, if there are any */
    size_t n_without_rate; /* offers dropped because their currency has no rate on the day */
    size_t n_offers;       /* number of providers in the median, and of entries in `offers`,
                            * cheapest first */
    size_t n_stale;        /* how many of those are stale, see price_offer_is_stale() */
    /* For a job; per_gpu_hour is then the bill divided by its GPUs, idle GPUs included in the
     * bill. */
    enum price_basis basis;
    size_t n_too_large, n_old; /* providers excluded: machines too large for the job, prices too
                                * old */
    size_t n_derived;          /* providers in the median with a reserved price derived from
                                * on-demand */
    double rented_gpu_count;   /* GPUs paid for, at the median provider; NAN without a price */
    double term_hours;         /* shortest rental of the cluster at most providers; 0 if by the
                                * hour */
    bool offered;              /* this many are known to be available together at no more than this
                                * price; if one machine holds what must be connected, providers
                                * that ask at most 10% more have as many free at once */
    struct offer offers[PRICE_OFFERS_MAX]; /* last member, so that copies may be truncated */
};

/* Why the rent of a job is not confirmed, in order of precedence. */
enum price_doubt {
    PRICE_CONFIRMED,
    PRICE_NOT_OFFERED,    /* nobody is known to rent out that many together, or to have as many free
                           * at once, for the price */
    PRICE_MOSTLY_DERIVED, /* from on-demand prices */
    PRICE_MOSTLY_OLD,     /* over a year, or undated */
    PRICE_ONE_PROVIDER,
};

/* The main figures of a job's price. */
struct price_summary {
    double per_gpu_hour;           /* NAN if no offer matches */
    size_t n_providers, n_derived; /* providers in the median (if that is a single one, those that
                                    * ask about as much), and those with a derived reserved price */
    size_t n_old;                  /* and those whose price is over a year old or undated */
    bool offered;                  /* see struct price */
    bool quoted;                   /* the median is the team's own quote */
    bool named;                    /* the query names providers */
    bool of_maker;                 /* one of the providers makes the GPU */
    double rented_gpu_count;       /* see struct price */
};
/* Prices that differ by up to this fraction are about the same: lists for one GPU differ more. */
#define PRICE_NEAR 0.1

/* A single provider is enough if it is named, has quoted or makes the GPU. */
enum price_doubt price_doubt(const struct price_summary *summary);

/* No price; n_without_rate as in struct price. */
struct price price_unknown(size_t n_without_rate);

/* Fill the band of a job's price. `of_named` is its purchase option if the query names
 * providers, NULL otherwise. */
void price_set_band(const struct catalog *catalog, const char *of_named, struct price *price);

/* The price per GPU without a job, whatever the machine size. */
struct price price_listed(const struct catalog *catalog, const struct price_query *query);

/* Call `take` for each usable offer that matches the query, is valid on its day and can be
 * converted to the catalogue's currency, in offer_index_order(). Returns how many offers lack an
 * exchange rate. */
size_t price_each_offer(const struct catalog *catalog, const struct price_query *query,
                        void (*take)(void *context, const struct offer *offer), void *context);

/* True if the rental is usable and matches the query's provider and region. */
bool price_matches(const struct catalog *catalog, const struct rental *rental,
                   const struct price_query *query);

/* Number of offers without a region that would match the query if it named no region. */
size_t price_without_region(const struct catalog *catalog, const struct price_query *query);

/* False for market statistics: nobody can rent at a published median. */
bool price_is_for_rent(const struct catalog *catalog, const struct rental *rental);

/* The team's own discount on a rental's list price; NULL if it has none, or the query gives one. */
const struct quote *price_quoted_discount(const struct catalog *catalog,
                                          const struct price_query *query,
                                          const struct rental *rental);

/* The discount that turns an on-demand price into a reserved one; NAN if the option is not a
 * reservation.
 */
double price_commitment_discount(const struct catalog *catalog, const char *purchase_option);

/* Price per GPU-hour in the catalogue's currency, at the rate of the day; NAN without a rate. */
double price_of_observation(const struct catalog *catalog, const struct observation *seen,
                            day as_of);

/* The oldest and the newest observation among the offers used, of which there must be one; 0 if
 * undated. */
void price_observed(const struct price *price, day *oldest, day *newest);

/* The same for the stale offers, of which there must be one. */
void price_stale_observed(const struct catalog *catalog, const struct price *price, day as_of,
                          day *oldest, day *newest);

/* Up to PRICE_FEEDS_MAX public lists that would update stale offers. */
enum { PRICE_FEEDS_MAX = 3 };
struct price_feeds {
    const char *names[PRICE_FEEDS_MAX];
    size_t n;
};

/* Add one list for each stale offer of the price: an enabled list with its GPU and provider, else
 * the list it came from, else a list of that provider only. */
void price_feeds_add(struct price_feeds *feeds, const struct catalog *catalog,
                     const struct price *price, day as_of);

/* All purchase options of rental offers. */
enum { PURCHASE_OPTIONS = 5 };
extern const char *const purchase_options[PURCHASE_OPTIONS];

/* True if the offer is marked as old, undated, or observed longer ago than its feed's update
 * interval; without a feed, than its provider's limit: 90 days unless the catalogue says otherwise.
 * A quote with an end date is never stale. */
bool price_offer_is_stale(const struct catalog *catalog, const struct offer *offer, day as_of);

/* The billing rule with the longest matching instance prefix; NULL if none is known. */
const struct billing *price_billing(const struct catalog *catalog, const struct rental *rental);

/* Months for which a rental price is fixed; 0 without a term. Capacity blocks are paid month by
 * month.
 */
int price_term_months(const char *purchase_option);

/* Hours of an option's term; 0 without one, or if it is a month. NULL is allowed. */
double price_term_length(const char *purchase_option);

/* An option that is billed for more than this many times the hours it works, as clusters have a
 * shortest rental, is not offered for its speed unless every option is. Chosen: nobody signs a
 * rental that idles for longer than it works. */
#define PRICE_BILLED_RATIO_MAX 2.0

/* The shortest rental in hours at more than half of the providers. The cost of a job is the median
 * of the providers' bills; the provider at the median price may have a different minimum. */
double price_usual_term(const struct price *price);

/* Rounds hours up to whole terms of `term_hours`; unchanged if that is 0. */
double price_term_hours(double hours, double term_hours);

/* The amount billed for unused hours, in the catalogue's currency: the increase of the median bill
 * over providers when hours are rounded up to whole terms of `term_hours` (unless 0), to the
 * shortest rental of the cluster and by each provider's billing rule, if known. A price of the
 * caller's own has the rules but not the shortest rental. */
double price_unused(const struct catalog *catalog, const struct price *price, double gpu_count,
                    double hours, double term_hours, bool own_price);

/* The cheapest and the most expensive provider's bill for that many hours of a job; false if none
 * of them has a shortest rental for it. */
bool price_bills(const struct catalog *catalog, const struct price *price, double gpu_count,
                 double hours, double *least, double *most);

/* True if the price had been observed by the day and is still valid. */
bool catalog_hardware_current(const struct hardware *hardware, day as_of);

/* True if a seller's quote for the GPU, for cards or servers, is known and valid on the day. */
bool catalog_hardware_is_quoted(const struct catalog *catalog, const struct gpu *gpu, day as_of);

/* The purchase price of one card in the catalogue's currency: the median of the usable dated rows
 * observed up to `as_of`, else of the undated rows, in which case *undated is set; NAN without any.
 * A seller's cheapest quote replaces its list prices. */
double catalog_card_price(const struct catalog *catalog, const struct gpu *gpu, day as_of,
                          bool *undated);
/* The price row for a server with that many GPUs on a day: the cheapest valid quote, else the
 * newest list price; NULL if there is none. */
const struct hardware *catalog_server(const struct catalog *catalog, const struct gpu *gpu,
                                      double gpu_count, day as_of);
/* The row's total price in the catalogue's currency; NAN, so that the row is ignored, if there is
 * no exchange rate on the day. */
double catalog_hardware_price(const struct catalog *catalog, const struct hardware *row, day as_of);

#endif
