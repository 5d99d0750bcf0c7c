/* import_keys.h - whether two rows of a file may have the same key, told while they are sent. */
#ifndef STORE_IMPORT_KEYS_H
#define STORE_IMPORT_KEYS_H

#include "feed/feed.h"

#include <stdint.h>

/* Hashes of the keys of a file's rows; all zero is the start of a file. */
struct import_keys {
    uint64_t *at; /* 0: free */
    size_t n, room;
    uint64_t columns; /* of the table's 64 at most, those of the key */
    bool twice;       /* two rows have the same hash */
};

void import_keys_free(struct import_keys *keys);
void import_keys_add(struct import_keys *keys, const struct feed_table *table,
                     const char *const *values);

#endif
