/* required.h - a completeness check: the assumptions that no answer can do without.
 *
 * Code that reads an assumption registers its key and valid range here. A catalogue in which one is
 * missing or out of range is refused as a whole.
 */
#ifndef CATALOG_REQUIRED_H
#define CATALOG_REQUIRED_H

#include "catalog/catalog.h"

enum bound { BOUND_LOW, BOUND_VALUE, BOUND_HIGH };

/* One number of an assumption and its valid range; NAN leaves a side open. */
struct required {
    const char *key, *scope;
    enum bound bound;
    double min, max;
};

/* Common ranges, each the `min, max` of a struct required. */
#define RANGE_POSITIVE 1e-9, 1e18 /* divisors: a rate, a size, a factor */
#define RANGE_AMOUNT 0, 1e18      /* may be zero: a time, a number of bytes */
#define RANGE_SHARE 1e-6, 1       /* fraction of a peak rate, not zero */
#define RANGE_PART 0, 1           /* fraction of a time, may be zero */
#define RANGE_EXPONENT 0, 10
#define RANGE_ABOVE 1, 1e6 /* upper end of an interval, relative to its middle */

double required_bound(const struct assumption *row, enum bound bound);

/* Adds the assumption to catalog->lacking if today's row is missing, null or out of range. Past
 * days on which it was so had kept serving the previous catalogue: those days get the last valid
 * row, or else the next valid one. Call after catalog_seal(). */
void catalog_require(struct catalog *catalog, const struct required *required);

/* True if nothing required is missing; otherwise ERR_UNAVAILABLE, naming it. */
bool catalog_complete(const struct catalog *catalog, struct err *err) MUST_CHECK;

#endif
