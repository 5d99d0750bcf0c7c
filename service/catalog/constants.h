/* constants.h - the calibrated constants of an estimate, filled from the catalogue's assumptions.
 */
#ifndef CATALOG_CONSTANTS_H
#define CATALOG_CONSTANTS_H

#include "catalog/catalog.h"

enum bound { BOUND_LOW, BOUND_VALUE, BOUND_HIGH };

/* One member of a constants struct: which assumption row it is and where it goes. */
struct constant {
    const char *key, *scope;
    enum bound bound;
    size_t offset; /* of a double */
};

#define CONSTANT(type, member, key, scope)              \
    {                                                   \
        key, scope, BOUND_VALUE, offsetof(type, member) \
    }

/* Fill them once for all who ask this catalogue, before it is published, where it has every row. A
 * past day's or another currency's is asked row by row. */
void constants_keep(struct catalog *catalog, const struct constant *table, size_t n, size_t size);

/* Fill every member; false, ERR_INTERNAL naming the row, where the catalogue lacks one. */
bool constants_fill(const struct catalog *catalog, const struct constant *table, size_t n,
                    void *out, struct err *err) MUST_CHECK;

/* The member of `into` that a row fills, for a fit to change; NULL where there is no such row. */
double *constants_find(const struct constant *table, size_t n, const char *key, const char *scope,
                       void *into);

#endif
