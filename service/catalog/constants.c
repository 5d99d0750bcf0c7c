#include "catalog/constants.h"

#include <math.h>
#include <string.h>

struct constants_memo {
    size_t size;
    unsigned char values[];
};

void constants_memoize(struct catalog *catalog, const struct constant *table, size_t n, size_t size)
{
    struct constants_memo *kept = arena_alloc(&catalog->arena, sizeof(*kept) + size);
    struct err err = {0}; /* if something is missing, the catalogue as a whole is refused */

    for (size_t i = 0; i < n; i++)
        catalog_require(catalog, &table[i].row);
    kept->size = size;
    if (constants_fill(catalog, table, n, kept->values, &err))
        catalog_memo_put(catalog, table, kept);
}

bool constants_fill(const struct catalog *catalog, const struct constant *table, size_t n,
                    void *out, struct err *err)
{
    const struct constants_memo *kept = catalog_memo_get(catalog, table);

    if (kept) {
        memcpy(out, kept->values, kept->size);
        return true;
    }
    for (size_t i = 0; i < n; i++) {
        const struct required *row = &table[i].row;
        const struct assumption *found = catalog_assumption(catalog, row->key, row->scope);
        double value = found ? required_bound(found, row->bound) : (double)NAN;
        if (isnan(value))
            return err_set(err, ERR_INTERNAL, "the catalogue has no assumption %s%s%s", row->key,
                           row->scope[0] ? " for " : "", row->scope);
        memcpy((char *)out + table[i].offset, &value, sizeof(value));
    }
    return true;
}

double *constants_find(const struct constant *table, size_t n, const char *key, const char *scope,
                       void *into)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(table[i].row.key, key) == 0 && strcmp(table[i].row.scope, scope) == 0)
            return (void *)((char *)into + table[i].offset);
    return NULL;
}
