/* region.h - the part of the world a provider's region lies in, by the words providers use. */
#ifndef CATALOG_REGION_H
#define CATALOG_REGION_H

#include <stdbool.h>

/* Whether the region is the one that is asked for, or lies in it where that is a group: europe, us
 * or asia. */
bool region_matches(const char *asked, const char *region);

#endif
