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

/* FNV-1a over the values, each including its NUL. */
static uint64_t hash_key(uint64_t columns, const char *const *values)
{
    uint64_t hash = 0xcbf29ce484222325;

    for (size_t i = 0; columns >> i; i++) {
        if (!(columns >> i & 1))
            continue;
        const char *p = values[i] ? values[i] : "\1";
        do
            hash = (hash ^ (unsigned char)*p) * 0x100000001b3;
        while (*p++);
    }
    return hash ? hash : 1;
}

/* Returns false if the hash is already present. */
static bool put(struct import_keys *keys, uint64_t hash)
{
    size_t i = hash & (keys->room - 1);

    for (; keys->at[i]; i = (i + 1) & (keys->room - 1))
        if (keys->at[i] == hash)
            return false;
    keys->at[i] = hash;
    return true;
}

static void grow(struct import_keys *keys)
{
    struct import_keys wider = *keys;

    wider.room = keys->room ? 2 * keys->room : FIRST_ROOM;
    wider.at = mem_alloc(wider.room * sizeof(*wider.at));
    for (size_t i = 0; i < keys->room; i++)
        if (keys->at[i])
            put(&wider, keys->at[i]);
    free(keys->at);
    *keys = wider;
}

void import_keys_add(struct import_keys *keys, const struct feed_table *table,
                     const char *const *values)
{
    if (keys->twice)
        return;
    if (!keys->n)
        keys->columns = find_key(table);
    if (2 * keys->n >= keys->room)
        grow(keys);
    keys->twice = !put(keys, hash_key(keys->columns, values));
    keys->n++;
}
