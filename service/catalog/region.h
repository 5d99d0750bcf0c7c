/* region.h - the part of the world a provider's region lies in, derived from the provider's naming,
 * and its country, from table region. */
#ifndef CATALOG_REGION_H
#define CATALOG_REGION_H

#include "catalog/catalog.h"

/* Returns NULL if unknown. */
const struct region *region_find(const struct catalog *catalog, const struct rental *rental);
/* ISO 3166-1 alpha-2; NULL if unknown. */
const char *region_country(const struct catalog *catalog, const struct rental *rental);

/* True if the rental's region is `asked`, or lies in it: `asked` may be a group (europe, us or
 * asia), eu for the countries of the European Union, or an upper-case country code. */
bool region_matches(const struct catalog *catalog, const char *asked, const struct rental *rental);
/* True if `asked` is a country, or any rental's region matches it. */
bool region_is_known(const struct catalog *catalog, const char *asked);

#endif
