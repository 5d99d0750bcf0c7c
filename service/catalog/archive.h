/* archive.h - replies to pinned links, stored as they were first sent, so that they can be given
 * again when the formulas that made them are no longer here. */
#ifndef CATALOG_ARCHIVE_H
#define CATALOG_ARCHIVE_H

#include "base/buf.h"
#include "base/err.h"

enum {
    ARCHIVE_KEY_SIZE = 65,
    ARCHIVE_TIME_SIZE = 32,
    ARCHIVE_BODY_MAX = 1024 * 1024 /* the longest estimate has some 200 kB */
};

struct archive_entry {
    const char *key; /* SHA-256 of the link in hexadecimal digits */
    const char *question, *format;
    const char *model_version, *catalog_version;
    const char *client; /* client address; not stored */
    const char *body;
    size_t length;
};

/* An interface; main.c passes the implementation in. */
struct archive {
    /* Take a copy, to be stored later or, where there is no room, not at all. Never waits; from any
     * thread. */
    void (*keep)(void *context, const struct archive_entry *entry);
    /* Append the stored reply to body, *at: when it was stored, "" where there is none. False with
     * *err where nobody can say. May take seconds; one caller at a time. */
    bool (*find)(void *context, const char *key, struct buf *body, char at[ARCHIVE_TIME_SIZE],
                 struct err *err);
    void *context;
};

#endif
