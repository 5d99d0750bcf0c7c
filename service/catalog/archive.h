/* archive.h - stored replies to pinned links, so that a link can be answered again after the
 * formulas behind it have changed. */
#ifndef CATALOG_ARCHIVE_H
#define CATALOG_ARCHIVE_H

#include "base/buf.h"
#include "base/err.h"

enum {
    ARCHIVE_KEY_SIZE = 65,
    ARCHIVE_TIME_SIZE = 32,
    ARCHIVE_BODY_MAX = 1024 * 1024 /* the longest estimate is about 200 kB */
};

struct archive_entry {
    const char *key; /* SHA-256 of the link in hexadecimal digits */
    const char *question, *format;
    const char *model_version, *catalog_version;
    const char *client; /* client address; not stored */
    const char *body;
    size_t length;
};

/* An interface, implemented in store; main.c sets it. */
struct archive {
    /* Copy the entry and queue it for storage; drops it if the queue is full. Never blocks;
     * thread-safe. */
    void (*keep)(void *context, const struct archive_entry *entry);
    /* Append the stored reply to body and set *at to the time it was stored, "" if there is none.
     * Returns false with *err if the store cannot be read. May take seconds; one caller at a
     * time. */
    bool (*find)(void *context, const char *key, struct buf *body, char at[ARCHIVE_TIME_SIZE],
                 struct err *err);
    void *context;
};

#endif
