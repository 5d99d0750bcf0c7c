/* import_keys.h - detects whether two rows of a file may have the same key, while they are sent. */
#ifndef STORE_IMPORT_KEYS_H
#define STORE_IMPORT_KEYS_H

#include "feed/feed.h"

#include <stdint.h>

/* A set of hashes, as of the keys of a file's rows; initialise to zero for each file. */
struct import_keys {
    uint64_t *at; /* hash table; 0 if the slot is free */
    size_t n, room;
    uint64_t columns; /* bit mask of the key columns, of at most 64 */
    bool twice;       /* two rows have the same hash */
};

void import_keys_free(struct import_keys *keys);
/* Add the row's key; returns false, and sets `twice`, if another row has the same hash. */
bool import_keys_add(struct import_keys *keys, const struct feed_table *table,
                     const char *const *values);

/* Continue a hash with a text; begin with IMPORT_HASH. */
#define IMPORT_HASH 0xcbf29ce484222325
uint64_t import_keys_hash(uint64_t hash, const char *text);
/* Add a hash; returns false if it is there already. */
bool import_keys_put(struct import_keys *keys, uint64_t hash);
bool import_keys_have(const struct import_keys *keys, uint64_t hash);

#endif
