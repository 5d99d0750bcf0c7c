/* hosted_price.h - prices of hosted APIs per million tokens of a model, and the median over
 * providers for a mix of prompt, cached prompt and output tokens. */
#ifndef CATALOG_HOSTED_PRICE_H
#define CATALOG_HOSTED_PRICE_H

#include "catalog/offer.h"

struct catalog;

/* A listed price for the period in which the list contained it. */
struct hosted_price {
    const char *feed, *provider;
    const char *name;  /* the model's name in that list */
    const char *model; /* slug; "" if unknown or not in the catalogue */
    const char *evidence, *currency, *source;
    double input, cached_input, output; /* per million tokens; NAN if not priced separately */
    double context_tokens;              /* maximum context of a request; NAN if not stated */
    double stale_days;                  /* age in days beyond which it is stale */
    day first_observed, last_observed;
    day until; /* first day it is no longer valid; 0 if still valid */
};

/* True if the price is valid on the day; true if it was last read too long before the day. */
bool hosted_price_is_current(const struct hosted_price *price, day as_of);
bool hosted_price_is_stale(const struct hosted_price *price, day as_of);

/* The composition of a request, in tokens. */
struct hosted_mix {
    double input_tokens, output_tokens;
    double cached_ratio; /* fraction of the prompt billed as cached */
};

/* USD, or the catalogue's currency, per million tokens of each kind. */
struct hosted_rates {
    double input, cached_input, output;
};

/* The price per million tokens of the mix. */
double hosted_price_blended(const struct hosted_rates *rates, const struct hosted_mix *mix);

/* The market price: for each provider the cheapest price for the mix in the newest list that has
 * it, and the median over providers. */
struct hosted_market {
    size_t n_providers;                    /* if 0, all members below are unknown */
    struct hosted_rates median, low, high; /* ordered by blended price */
    const char *cheapest_provider;
    day oldest, newest; /* when the prices were last read */
    bool stale;         /* all of them are stale */
};

/* The market price of a model on a day. `providers` is a comma-separated list; NULL for all. */
struct hosted_market hosted_price_market(const struct catalog *catalog, const char *model,
                                         const char *providers, const struct hosted_mix *mix,
                                         day as_of);

#endif
