/* region.h - the part of the world a provider's region lies in, by the words providers use, and its
 * country, by table region. */
#ifndef CATALOG_REGION_H
#define CATALOG_REGION_H

#include "catalog/catalog.h"

/* NULL where it is not known. */
const struct region *region_find(const struct catalog *catalog, const struct rental *rental);
/* ISO 3166-1 alpha-2; NULL where it is not known. */
const char *region_country(const struct catalog *catalog, const struct rental *rental);

/* Whether a rental's region is the one that is asked for, or lies in it where that is a group
 * (europe, us or asia) or the code of a country in capitals. */
bool region_matches(const struct catalog *catalog, const char *asked, const struct rental *rental);

#endif
