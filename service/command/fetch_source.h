/* fetch_source.h - a row of feed_source as a file on this machine: its address made out, its pages
 * followed and joined, and what is no price list told from one that is. */
#ifndef COMMAND_FETCH_SOURCE_H
#define COMMAND_FETCH_SOURCE_H

#include "base/err.h"
#include "base/arena.h"
#include "store/import.h"

struct fetched {
    bool unchanged;      /* as the ETag or the version says: there is nothing in the file */
    int fd;              /* of a file without a name; -1 where unchanged */
    const char *address; /* public; of the version where there are versions */
    const char *etag;    /* to ask with next time; NULL: none */
    size_t pages, bytes;
};

struct fetch_limits {
    const char *mirror; /* a folder or an address that has everything under host and path; NULL */
    const char *seconds;
    size_t bytes_max, pages_max;
    bool anew; /* whether or not it has changed */
};

/* Fetch it; close *fetched->fd. */
bool fetch_source(const struct import_source *source, const struct fetch_limits *limits,
                  struct arena *arena, struct fetched *fetched, struct err *err) MUST_CHECK;

#endif
