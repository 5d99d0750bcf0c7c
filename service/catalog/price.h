/* price.h - what the catalogue says a GPU costs on a day: the median over providers of each
 * provider's cheapest current offer, with the offers it was made of. Offers whose source gives no
 * date count only where there is no other. */
#ifndef CATALOG_PRICE_H
#define CATALOG_PRICE_H

#include "catalog/catalog.h"

/* Which offers count; NULL or "" leaves a filter open. provider is a comma-separated list. */
struct price_query {
    const struct gpu *gpu;
    const char *purchase_option, *provider, *region;
    day as_of;
};

enum { PRICE_OFFERS_MAX = 64 };

struct price {
    double per_gpu_hour; /* USD, the median; NAN where no offer matches */
    double low, high;    /* over the providers' cheapest */
    size_t n_offers;     /* providers in the median; their cheapest offers, cheapest first */
    const struct offer *offers[PRICE_OFFERS_MAX];
    bool stale; /* some offer used was observed over 90 days before as_of, or is flagged so */
};

struct price catalog_price(const struct catalog *catalog, const struct price_query *query);

/* Whether the observation is the one in force on `as_of`. */
bool offer_current(const struct offer *offer, day as_of);
bool offer_stale(const struct offer *offer, day as_of);

/* The purchase price of one card in USD: the median of the usable dated rows observed up to
 * `as_of`, of the undated ones where there are none; NAN without any. *undated says which. */
double catalog_card_price(const struct catalog *catalog, const struct gpu *gpu, day as_of,
                          bool *undated);
/* The hardware row of a server with that many of the GPU, NULL where none. */
const struct hardware *catalog_server(const struct catalog *catalog, const struct gpu *gpu,
                                      double gpu_count);

#endif
