/* price.h - what the catalogue says a GPU costs on a day: the median over providers of each
 * provider's cheapest current offer, with the offers it was made of; of a job, the cheapest bill
 * for machines that hold it (price_book.h). A team's own quote takes the place of its provider's
 * list prices. Offers whose source gives no date count only where there is no other. */
#ifndef CATALOG_PRICE_H
#define CATALOG_PRICE_H

#include "catalog/catalog.h"

/* Which offers count; NULL or "" leaves a filter open. provider is a comma-separated list. */
struct price_query {
    const struct gpu *gpu;
    const char *purchase_option, *provider, *region;
    const char *provider_discounts; /* off the prices of jobs, as aws:0.3,oci:0.2; NULL: none */
    day as_of;
    /* The job: how many GPUs, and how many of them must reach one another; 0: no job, offers are
     * compared by the price per GPU, whatever the size of their machines. */
    double gpu_count, connected_gpu_count;
};

/* What a price stands on. */
enum price_basis {
    PRICE_NONE,
    PRICE_CLUSTER,         /* machines joined by their network, as many as are known to be */
    PRICE_WHOLE_INSTANCES, /* each machine holds a whole of what must reach one another */
    PRICE_SINGLE_GPU,
    PRICE_UNDATED_LIST,
    PRICE_QUOTE,
    PRICE_CLUSTER_PREMIUM, /* as a cluster larger than any provider is known to rent out */
    PRICE_GIVEN,           /* by the caller */
    PRICE_OWNED,           /* the cost of owning them */
    PRICE_BASES
};
extern const char *const price_bases[PRICE_BASES];

enum {
    PRICE_OFFERS_MAX = 64,
    PRICE_STALE_DAYS = 90,  /* where the provider has no other limit */
    PRICE_FRESH_DAYS = 365, /* older prices give way to newer ones */
};

struct price {
    double per_gpu_hour; /* in the catalogue's currency, the median; NAN where no offer matches */
    double low, high;    /* over the providers' cheapest */
    /* The interval of a job's price: over the providers; with one provider, or where all ask the
     * same, as far as providers usually are from the others; a quote is certain. */
    double band_low, band_high;
    size_t n_matching;     /* offers that match, dated ones where there are any */
    size_t n_without_rate; /* left out because their currency has no rate on the day */
    size_t n_offers;       /* providers in the median; their cheapest offers, cheapest first */
    size_t n_stale;        /* of those, see price_offer_is_stale() */
    /* The price of a job; per_gpu_hour is the bill over its GPUs then, idle ones paid for. */
    enum price_basis basis;
    size_t n_too_large, n_old; /* providers left out: machines too large for it, prices too old */
    size_t n_derived;          /* in it, whose reserved price is derived from that on demand */
    double rented_gpu_count;   /* GPUs paid for, at the provider in the middle; NAN: no price */
    bool offered;              /* that many are known to be rented together at no more than that */
    struct offer offers[PRICE_OFFERS_MAX]; /* the last member, so that few may be kept */
};

/* No price; n_without_rate as in struct price. */
struct price price_unknown(size_t n_without_rate);

/* Fill the band of a job's price. */
void price_set_band(const struct catalog *catalog, struct price *price);

/* Without a job: what offers cost per GPU, whatever they are rented in. */
struct price price_listed(const struct catalog *catalog, const struct price_query *query);

/* Call for each usable offer of the query that is valid on its day and has a price in the
 * catalogue's currency, in the order of offer_index_order(). Returns how many lack an exchange
 * rate. */
size_t price_each_offer(const struct catalog *catalog, const struct price_query *query,
                        void (*take)(void *context, const struct offer *offer), void *context);

/* Whether it is usable and of the provider and region of the query. */
bool price_matches(const struct catalog *catalog, const struct rental *rental,
                   const struct price_query *query);

/* Number of offers without a region that the query would find if it named none. */
size_t price_without_region(const struct catalog *catalog, const struct price_query *query);

/* False for statements about a market: nobody rents at a median of others' prices. */
bool price_is_for_rent(const struct catalog *catalog, const struct rental *rental);

/* The discount off an on-demand price by which a reserved one is derived; NAN: it is no
 * reservation.
 */
double price_commitment_discount(const struct catalog *catalog, const char *purchase_option);

/* What an offer costs per GPU-hour in the catalogue's currency, by its own currency's rate on the
 * day; NAN without one. */
double price_of_observation(const struct catalog *catalog, const struct observation *seen,
                            day as_of);

/* The oldest and the newest observation among the offers used, at least one; 0 if undated. */
void price_observed(const struct price *price, day *oldest, day *newest);

/* The same among the stale offers, at least one. */
void price_stale_observed(const struct catalog *catalog, const struct price *price, day as_of,
                          day *oldest, day *newest);

/* The public lists that would bring the stale offers up to date, a few of them. */
enum { PRICE_FEEDS_MAX = 3 };
struct price_feeds {
    const char *names[PRICE_FEEDS_MAX];
    size_t n;
};

/* Add one list for each stale offer of the price: among the lists that have its GPU and provider
 * an enabled one, else the one the offer came from, else one of its provider only. */
void price_feeds_add(struct price_feeds *feeds, const struct catalog *catalog,
                     const struct price *price, day as_of);

/* How GPUs are rented: every purchase option an offer can have. */
enum { PURCHASE_OPTIONS = 5 };
extern const char *const purchase_options[PURCHASE_OPTIONS];

/* Known to be old, undated, or observed longer ago than the update interval of its feed allows;
 * without a feed, than its provider's prices stay good: 90 days unless the catalogue says
 * otherwise. A quote with an end date is never stale. */
bool price_offer_is_stale(const struct catalog *catalog, const struct offer *offer, day as_of);

/* The billing rule with the longest matching instance prefix; NULL if unknown. */
const struct billing *price_billing(const struct catalog *catalog, const struct rental *rental);

/* Months for which a rent price holds; 0: it has no term. A capacity block is paid month by month.
 */
int price_term_months(const char *purchase_option);

/* Hours up to whole terms of `term_hours`, unless that is 0. */
double price_term_hours(double hours, double term_hours);

/* What is billed for a job's GPUs beyond its hours, in the catalogue's currency: how much the
 * median bill over the providers of the price grows where each rounds the hours up by its billing
 * rule, if known, and first up to whole terms of `term_hours`, unless 0. */
double price_unused(const struct catalog *catalog, const struct price *price, double gpu_count,
                    double hours, double term_hours);

/* Whether a purchase price had been observed by the day and still holds. */
bool catalog_hardware_current(const struct hardware *hardware, day as_of);

/* The purchase price of one card in the catalogue's currency: the median of the usable dated rows
 * observed up to `as_of`, of the undated ones where there are none; NAN without any. *undated says
 * which. A seller's cheapest quote takes the place of its list prices. */
double catalog_card_price(const struct catalog *catalog, const struct gpu *gpu, day as_of,
                          bool *undated);
/* What a server with that many of the GPU costs on a day: the cheapest valid quote, else the
 * newest list price; NULL where there is none. */
const struct hardware *catalog_server(const struct catalog *catalog, const struct gpu *gpu,
                                      double gpu_count, day as_of);
/* The whole price of a row in the catalogue's currency; NAN where its own has no rate
 * on the day: then it counts for nothing. */
double catalog_hardware_price(const struct catalog *catalog, const struct hardware *row, day as_of);

#endif
