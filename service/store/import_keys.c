#include "store/import_keys.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 1024 };

void import_keys_free(struct import_keys *keys)
{
    free(keys->at);
    *keys = (struct import_keys){0};
}

/* True if the list "a, b" contains the column. */
static bool is_key(const char *list, const char *column)
{
    size_t n = strlen(column);

    for (const char *at = list; (at = strstr(at, column)) != NULL; at += n)
        if ((at == list || at[-1] == ' ' || at[-1] == ',') && (at[n] == ',' || !at[n]))
            return true;
    return false;
}

static uint64_t find_key(const struct feed_table *table)
{
    uint64_t columns = 0;

    for (size_t i = 0; i < table->n_columns; i++)
        columns |= (uint64_t)is_key(table->key, table->columns[i]) << i;
    return columns;
}

/* FNV-1a. */
uint64_t import_keys_hash(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3;
    return hash;
}

/* Texts contain no control characters: "\2" ends one, "\1" is null. */
static uint64_t hash_key(uint64_t columns, const char *const *values)
{
    uint64_t hash = IMPORT_HASH;

    for (size_t i = 0; columns >> i; i++)
        if (columns >> i & 1)
            hash = import_keys_hash(import_keys_hash(hash, values[i] ? values[i] : "\1"), "\2");
    return hash;
}

/* The slot of the hash, or the free one where it would be; 0 is for free slots. */
static uint64_t *find_slot(const struct import_keys *keys, uint64_t hash)
{
    size_t i = hash & (keys->room - 1);

    while (keys->at[i] && keys->at[i] != hash)
        i = (i + 1) & (keys->room - 1);
    return &keys->at[i];
}

static void grow(struct import_keys *keys)
{
    struct import_keys wider = *keys;

    wider.room = keys->room ? 2 * keys->room : FIRST_ROOM;
    wider.at = mem_alloc(wider.room * sizeof(*wider.at));
    for (size_t i = 0; i < keys->room; i++)
        if (keys->at[i])
            *find_slot(&wider, keys->at[i]) = keys->at[i];
    free(keys->at);
    *keys = wider;
}

bool import_keys_put(struct import_keys *keys, uint64_t hash)
{
    uint64_t kept = hash ? hash : 1;

    if (2 * keys->n >= keys->room)
        grow(keys);
    uint64_t *slot = find_slot(keys, kept);
    if (*slot)
        return false;
    *slot = kept;
    keys->n++;
    return true;
}

bool import_keys_have(const struct import_keys *keys, uint64_t hash)
{
    return keys->n && *find_slot(keys, hash ? hash : 1);
}

bool import_keys_add(struct import_keys *keys, const struct feed_table *table,
                     const char *const *values)
{
    if (!keys->n)
        keys->columns = find_key(table);
    bool added = import_keys_put(keys, hash_key(keys->columns, values));
    keys->twice |= !added;
    return added;
}
