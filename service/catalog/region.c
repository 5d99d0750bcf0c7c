#include "catalog/region.h"

#include "base/text.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Prefixes of the region names in a group, ignoring case. */
static const struct {
    const char *group;
    const char *begins[32];
} groups[] = {
    {"europe",
     {"europe", "eu-",    "eu_",         "westeurope", "northeurope", "uk",    "france",  "germany",
      "sweden", "norway", "switzerland", "poland",     "italy",       "spain", "finland", "iceland",
      "fin-",   "de-",    "ch-",         "at-",        "bg-",         "gra",   "sbg",     "waw",
      "fr-",    "nl",     "pl-",         "gb-",        "it-",         "se-",   "no-"}},
    {"us",
     {"us-",
      "us_",
      "us",
      "eastus",
      "westus",
      "centralus",
      "northcentralus",
      "southcentralus",
      "westcentralus",
      "east coast",
      "west coast",
      "texas",
      "kansas",
      "utah",
      "california",
      "illinois",
      "virginia",
      "new york",
      "ny",
      "lax"}},
    {"asia", {"asia",      "ap-",          "ap_",        "japan",     "korea",    "southeastasia",
              "eastasia",  "centralindia", "southindia", "westindia", "jioindia", "india",
              "singapore", "tokyo",        "osaka",      "seoul",     "sgp",      "jp-",
              "kr-",       "in-",          "hk-",        "tw-"}},
};

/* Its 27 members since 2020,
 * https://european-union.europa.eu/principles-countries-history/eu-countries_en */
static const char european_union[] = "AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT "
                                     "NL PL PT RO SE SI SK";

static int compare_regions(const void *left, const void *right)
{
    const struct region *a = left, *b = right;
    int order = strcmp(a->provider, b->provider);

    return order ? order : strcmp(a->region, b->region);
}

const struct region *region_find(const struct catalog *catalog, const struct rental *rental)
{
    struct region key = {.provider = rental->provider, .region = rental->region};

    return rental->region[0] && catalog->n_regions
               ? bsearch(&key, catalog->regions, catalog->n_regions, sizeof(key), compare_regions)
               : NULL;
}

const char *region_country(const struct catalog *catalog, const struct rental *rental)
{
    const struct region *found = region_find(catalog, rental);

    return found ? found->country : NULL;
}

static bool is_capital(char letter)
{
    return letter >= 'A' && letter <= 'Z';
}

static bool is_country(const char *asked)
{
    return is_capital(asked[0]) && is_capital(asked[1]) && !asked[2];
}

static bool is_european_union(const char *asked)
{
    return strcasecmp(asked, "eu") == 0;
}

bool region_matches(const struct catalog *catalog, const char *asked, const struct rental *rental)
{
    const char *region = rental->region;

    if (strcmp(asked, region) == 0)
        return true;
    if (is_european_union(asked) || is_country(asked)) {
        const char *country = region_country(catalog, rental);
        return country && text_in_words(is_european_union(asked) ? european_union : asked, country);
    }
    for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
        for (size_t j = 0; strcasecmp(groups[i].group, asked) == 0 && groups[i].begins[j]; j++)
            if (strncasecmp(region, groups[i].begins[j], strlen(groups[i].begins[j])) == 0)
                return true;
    return false;
}

bool region_is_known(const struct catalog *catalog, const char *asked)
{
    if (is_european_union(asked) || is_country(asked))
        return true;
    for (size_t i = 0; i < catalog->n_offer_indexes; i++)
        for (size_t k = 0; k < catalog->offer_indexes[i]->n_rentals; k++)
            if (region_matches(catalog, asked, catalog->offer_indexes[i]->rentals[k]))
                return true;
    return false;
}
