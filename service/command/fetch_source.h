/* fetch_source.h - downloads a row of feed_source to a local file: resolves its address, follows
 * and joins its pages, and rejects replies that are not a price list. */
#ifndef COMMAND_FETCH_SOURCE_H
#define COMMAND_FETCH_SOURCE_H

#include "base/err.h"
#include "base/arena.h"
#include "store/import.h"

struct fetched {
    bool unchanged;      /* according to the ETag or the version; the file is empty */
    int fd;              /* an unnamed file; -1 if unchanged */
    const char *address; /* public; for versioned sources the version's address */
    const char *etag;    /* for the next request; NULL if none */
    size_t pages, bytes;
};

struct fetch_limits {
    const char *mirror; /* a folder or address with a copy of every source under its host and path;
                         * or NULL */
    const char *seconds;
    size_t bytes_max, pages_max;
    bool anew; /* fetch even if it has not changed */
};

/* Fetch it; the caller closes fetched->fd. */
bool fetch_source(const struct import_source *source, const struct fetch_limits *limits,
                  struct arena *arena, struct fetched *fetched, struct err *err) MUST_CHECK;

#endif
