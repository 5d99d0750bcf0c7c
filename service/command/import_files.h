/* import_files.h - which files are to be imported, and what their place says of them: whose prices
 * they hold and of which day. */
#ifndef COMMAND_IMPORT_FILES_H
#define COMMAND_IMPORT_FILES_H

#include "base/err.h"
#include "base/arena.h"
#include "feed/known.h"
#include "feed/zip.h"

#include <stdint.h>

struct import_path {
    const char *path; /* to open */
    bool named;       /* on the command line, not found in a folder */
    /* What is known of one that was fetched, else NULL: where, as what, whose, of which day where
     * nothing else says. */
    const char *address, *feed_source, *format, *provider, *observed;
};

struct import_paths {
    struct import_path *at;
    size_t n, room;
};

/* Add a file, or every .csv, .zip and config.json below a folder, by name, but for dates.csv. */
bool import_find(struct import_paths *paths, struct arena *arena, const char *path,
                 struct err *err) MUST_CHECK;

/* A file as it lies in memory, and its SHA-256 in hex. */
struct import_bytes {
    const char *at;
    size_t n;
    void *map;
    size_t n_map;
    char *unpacked; /* NULL: the file as it is */
    char sha256[65];
};
bool import_map(const char *path, struct import_bytes *bytes, struct err *err) MUST_CHECK;
/* An archive of one file: go on with that file, whose name comes back; of at most `max` bytes. */
bool import_unpack(struct import_bytes *bytes, size_t max, char name[ZIP_NAME_MAX],
                   struct err *err) MUST_CHECK;
void import_unmap(struct import_bytes *bytes);

/* What is said of a file by a dates.csv (columns file, as_of, cloud) in one of its folders, else by
 * a date and a provider's name in its own name or its folder's. "" where nothing says. */
struct import_origin {
    char observed[11];
    char provider[64];
};
/* Whose name or alias the file or its folder has; *to stays as it is where nobody's. */
void import_find_provider(const char *path, const struct feed_known *known, char to[64]);
void import_origin(const char *path, const struct feed_known *known, struct import_origin *origin);

#endif
