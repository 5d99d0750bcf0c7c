#include "catalog/region.h"

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

bool region_matches(const struct catalog *catalog, const char *asked, const struct rental *rental)
{
    const char *region = rental->region;

    if (strcmp(asked, region) == 0)
        return true;
    if (is_capital(asked[0]) && is_capital(asked[1]) && !asked[2]) {
        const char *country = region_country(catalog, rental);
        return country && strcmp(country, asked) == 0;
    }
    for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
        for (size_t j = 0; strcmp(groups[i].group, asked) == 0 && groups[i].begins[j]; j++)
            if (strncasecmp(region, groups[i].begins[j], strlen(groups[i].begins[j])) == 0)
                return true;
    return false;
}
