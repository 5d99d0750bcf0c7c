/* constants.h - the calibrated constants of an estimate, read from the catalogue's assumptions.
 */
#ifndef CATALOG_CONSTANTS_H
#define CATALOG_CONSTANTS_H

#include "catalog/required.h"

/* Maps one assumption to a member of a constants struct. */
struct constant {
    struct required row;
    size_t offset; /* of a double in the struct */
};

/* The last argument is a RANGE_... of required.h. */
#define CONSTANT_BOUND(type, member, key, scope, bound, ...)     \
    {                                                            \
        {key, scope, bound, __VA_ARGS__}, offsetof(type, member) \
    }
#define CONSTANT(type, member, key, scope, ...) \
    CONSTANT_BOUND(type, member, key, scope, BOUND_VALUE, __VA_ARGS__)

/* Require every row and memoize the filled struct before the catalogue is published. For past days
 * and other currencies the rows are looked up on each call. */
void constants_memoize(struct catalog *catalog, const struct constant *table, size_t n,
                       size_t size);

/* Fill every member. Returns false with ERR_INTERNAL, naming the row, if a catalogue that was not
 * checked lacks one. */
bool constants_fill(const struct catalog *catalog, const struct constant *table, size_t n,
                    void *out, struct err *err) MUST_CHECK;

/* The member of `into` that a row fills, for calibration; NULL if there is no such row. */
double *constants_find(const struct constant *table, size_t n, const char *key, const char *scope,
                       void *into);

#endif
