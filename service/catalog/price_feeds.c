/* price_feeds.c - finds the public lists that would update stale offers. */
#include "catalog/price.h"

#include <string.h>

/* A list's offers name the list, or the address they were read from. */
static bool came_from(const struct observation *seen, const struct feed_carrier *carrier)
{
    const char *source = seen->origin->source;

    return source && (strncmp(source, carrier->attribution, strlen(carrier->attribution)) == 0 ||
                      strncmp(source, carrier->url, strlen(carrier->url)) == 0);
}

/* True if the last price of that GPU, rented the same way from the same provider, came from the
 * list.
 */
static bool has_brought(const struct catalog *catalog, const struct offer *offer,
                        const struct feed_carrier *carrier)
{
    struct rentals parts[RENTALS_PARTS];

    catalog_rentals(catalog, offer->gpu, offer->rental->purchase_option, parts);
    for (size_t part = 0; part < RENTALS_PARTS; part++)
        for (size_t i = 0; i < parts[part].n; i++) {
            const struct rental *rental = parts[part].at[i];
            if (rental->n_seen && strcmp(rental->provider, offer->rental->provider) == 0 &&
                came_from(&rental->seen[rental->n_seen - 1], carrier))
                return true;
        }
    return false;
}

/* 0: the list does not have it. Which providers a list of several covers is known only from offers
 * that came from it. */
static int fitness(const struct catalog *catalog, const struct offer *offer,
                   const struct feed_carrier *carrier)
{
    const struct rental *rental = offer->rental;
    bool reserved = strncmp(rental->purchase_option, "reserved", strlen("reserved")) == 0;
    bool own = came_from(offer->seen, carrier);

    if ((carrier->provider[0] ? strcmp(carrier->provider, rental->provider) != 0
                              : !own && !has_brought(catalog, offer, carrier)) ||
        (carrier->region[0] && strcmp(carrier->region, rental->region) != 0) ||
        !(reserved ? carrier->reserved : carrier->on_demand))
        return 0;
    return 1 + (carrier->provider[0] != '\0') + 2 * own + 4 * carrier->enabled;
}

/* The first of the GPU's entries among the carriers, or their insertion point. */
static size_t first_carrier(const struct catalog *catalog, const char *gpu)
{
    size_t low = 0, high = catalog->n_carriers;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(catalog->carriers[middle].gpu, gpu) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static const char *best_feed(const struct catalog *catalog, const struct offer *offer)
{
    const char *gpu = offer->rental->gpu, *found = NULL;
    int most = 0;

    for (size_t i = first_carrier(catalog, gpu);
         i < catalog->n_carriers && strcmp(catalog->carriers[i].gpu, gpu) == 0; i++) {
        int fits = fitness(catalog, offer, &catalog->carriers[i]);
        if (fits > most) {
            most = fits;
            found = catalog->carriers[i].feed;
        }
    }
    return found;
}

void price_feeds_add(struct price_feeds *feeds, const struct catalog *catalog,
                     const struct price *price, day as_of)
{
    for (size_t i = 0; i < price->n_offers && feeds->n < PRICE_FEEDS_MAX; i++) {
        bool known = !price_offer_is_stale(catalog, &price->offers[i], as_of);
        const char *feed = known ? NULL : best_feed(catalog, &price->offers[i]);
        for (size_t k = 0; feed && k < feeds->n && !known; k++)
            known = strcmp(feeds->names[k], feed) == 0;
        if (feed && !known)
            feeds->names[feeds->n++] = feed;
    }
}
