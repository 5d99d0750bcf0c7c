/* constants.h - the calibrated constants of an estimate, filled from the catalogue's assumptions.
 */
#ifndef CATALOG_CONSTANTS_H
#define CATALOG_CONSTANTS_H

#include "catalog/required.h"

/* One member of a constants struct: which assumption it is and where it goes. */
struct constant {
    struct required row;
    size_t offset; /* of a double */
};

/* The last argument is a range of required.h. */
#define CONSTANT_BOUND(type, member, key, scope, bound, ...)     \
    {                                                            \
        {key, scope, bound, __VA_ARGS__}, offsetof(type, member) \
    }
#define CONSTANT(type, member, key, scope, ...) \
    CONSTANT_BOUND(type, member, key, scope, BOUND_VALUE, __VA_ARGS__)

/* Require every row, and fill them once for all who ask this catalogue, before it is published. A
 * past day's or another currency's is asked row by row. */
void constants_memoize(struct catalog *catalog, const struct constant *table, size_t n,
                       size_t size);

/* Fill every member; false, ERR_INTERNAL naming the row, where a catalogue that was never checked
 * lacks one. */
bool constants_fill(const struct catalog *catalog, const struct constant *table, size_t n,
                    void *out, struct err *err) MUST_CHECK;

/* The member of `into` that a row fills, for a fit to change; NULL where there is no such row. */
double *constants_find(const struct constant *table, size_t n, const char *key, const char *scope,
                       void *into);

#endif
