/* import_files.h - finds the files to import, and infers provider and day from their location. */
#ifndef COMMAND_IMPORT_FILES_H
#define COMMAND_IMPORT_FILES_H

#include "base/err.h"
#include "base/arena.h"
#include "feed/known.h"
#include "feed/zip.h"

#include <stdint.h>

struct import_path {
    const char *path; /* to open */
    bool named;       /* given on the command line rather than found in a folder */
    /* For a fetched file its address, source, format, provider and default day; else NULL. */
    const char *address, *feed_source, *format, *provider, *observed;
};

struct import_paths {
    struct import_path *at;
    size_t n, room;
};

/* Add a file, or all .csv, .zip and config.json files below a folder, sorted by name, except
 * dates.csv. */
bool import_find(struct import_paths *paths, struct arena *arena, const char *path,
                 struct err *err) MUST_CHECK;

/* A file mapped into memory, and its SHA-256 in hex. */
struct import_bytes {
    const char *at;
    size_t n;
    void *map;
    size_t n_map;
    char *unpacked; /* NULL if the file is used as it is */
    char sha256[65];
};
bool import_map(const char *path, struct import_bytes *bytes, struct err *err) MUST_CHECK;
/* If it is an archive of one file, replace the bytes by that file's, of at most `max` bytes, and
 * return its name. */
bool import_unpack(struct import_bytes *bytes, size_t max, char name[ZIP_NAME_MAX],
                   struct err *err) MUST_CHECK;
void import_unmap(struct import_bytes *bytes);

/* Provider and day of a file: from a dates.csv (columns file, as_of, cloud) in one of its folders,
 * else from a date and a provider's name in its own name or its folder's. "" if unknown. */
struct import_origin {
    char observed[11];
    char provider[64];
};
/* Find the provider whose name or alias the file or its folder has; *to is unchanged if there is
 * none. */
void import_find_provider(const char *path, const struct feed_known *known, char to[64]);
void import_origin(const char *path, const struct feed_known *known, struct import_origin *origin);

#endif
