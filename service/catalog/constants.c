#include "catalog/constants.h"

#include <math.h>
#include <string.h>

static double bound_of(const struct assumption *row, enum bound bound)
{
    return bound == BOUND_LOW ? row->low : bound == BOUND_HIGH ? row->high : row->value;
}

struct constants_kept {
    size_t size;
    unsigned char values[];
};

void constants_keep(struct catalog *catalog, const struct constant *table, size_t n, size_t size)
{
    struct constants_kept *kept = arena_alloc(&catalog->arena, sizeof(*kept) + size);
    struct err err = {0}; /* said to who asks */

    kept->size = size;
    if (constants_fill(catalog, table, n, kept->values, &err))
        catalog_keep(catalog, table, kept);
}

bool constants_fill(const struct catalog *catalog, const struct constant *table, size_t n,
                    void *out, struct err *err)
{
    const struct constants_kept *kept = catalog_kept(catalog, table);

    if (kept) {
        memcpy(out, kept->values, kept->size);
        return true;
    }
    for (size_t i = 0; i < n; i++) {
        const struct assumption *row = catalog_assumption(catalog, table[i].key, table[i].scope);
        double value = row ? bound_of(row, table[i].bound) : (double)NAN;
        if (isnan(value))
            return err_set(err, ERR_INTERNAL, "the catalogue has no assumption %s%s%s",
                           table[i].key, table[i].scope[0] ? " for " : "", table[i].scope);
        memcpy((char *)out + table[i].offset, &value, sizeof(value));
    }
    return true;
}

double *constants_find(const struct constant *table, size_t n, const char *key, const char *scope,
                       void *into)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(table[i].key, key) == 0 && strcmp(table[i].scope, scope) == 0)
            return (double *)(void *)((char *)into + table[i].offset);
    return NULL;
}
