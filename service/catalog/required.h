/* required.h - a completeness check: the assumptions that no answer can do without.
 *
 * Code that reads an assumption by its key registers the key here with its valid range. A catalogue
 * without one of them, or with one out of range, is refused as a whole.
 */
#ifndef CATALOG_REQUIRED_H
#define CATALOG_REQUIRED_H

#include "catalog/catalog.h"

enum bound { BOUND_LOW, BOUND_VALUE, BOUND_HIGH };

/* One number of an assumption, and where it may lie; NAN leaves a side open. */
struct required {
    const char *key, *scope;
    enum bound bound;
    double min, max;
};

/* The usual ranges, each `min, max` of a struct required. */
#define RANGE_POSITIVE 1e-9, 1e18 /* what is divided by: a rate, a size, a factor */
#define RANGE_AMOUNT 0, 1e18      /* what may be nothing: a time, a number of bytes */
#define RANGE_SHARE 1e-6, 1       /* of a peak rate: some of it, at most all */
#define RANGE_PART 0, 1           /* of a time: none to all of it */
#define RANGE_EXPONENT 0, 10
#define RANGE_ABOVE 1, 1e6 /* the upper end of an interval, over its middle */

double required_bound(const struct assumption *row, enum bound bound);

/* Add it to catalog->lacking where today's row is not there, null or out of range. On past days on
 * which it was so the former catalogue went on being served: those days get the row that was in
 * force before, or else the one that came next. After catalog_seal(). */
void catalog_require(struct catalog *catalog, const struct required *required);

/* Whether nothing is lacking of what was required; else ERR_UNAVAILABLE, naming it. */
bool catalog_complete(const struct catalog *catalog, struct err *err) MUST_CHECK;

#endif
