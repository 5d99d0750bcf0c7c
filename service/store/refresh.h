/* refresh.h - the thread that keeps the served catalog up to date with the database.
 *
 * It connects, listens on channel gpuplan, loads, publishes, and loads again at each notification.
 * After any failure the last published catalog stays in service, and it retries. A replica's older
 * version never replaces a newer one.
 */
#ifndef STORE_REFRESH_H
#define STORE_REFRESH_H

#include "base/err.h"
#include "catalog/live.h"

#include <stdint.h>

struct refresh;

struct refresh_options {
    const char *conninfo;      /* "" for the PG* variables; must outlive the refresh */
    double reload_seconds;     /* load at least this often; 0 for every 5 minutes */
    double spread_seconds;     /* random delay after a change, up to this long */
    void (*log)(const char *); /* called from the thread when the state changes; may be NULL */
    prepare_fn prepare;        /* called before each publish; may be NULL */
};

enum { REFRESH_LACKING_SIZE = 8192 };

struct refresh_status {
    bool db_up;          /* connected, as far as known */
    bool listening;      /* receives notifications; false on a replica, which is polled */
    double last_load_at; /* seconds since 1970 of the last load or check without changes; 0 if none
                          * yet */
    uint64_t reloads_ok, reloads_failed, connects;
    uint64_t reloads_older;             /* reloads that found an older version than the one
                                         * served */
    char version[32];                   /* of the catalog last published */
    char error[400];                    /* why the last attempt failed; "" if it did not */
    char lacking[REFRESH_LACKING_SIZE]; /* assumptions missing from it, see catalog/required.h */
};

/* Start the thread, without waiting for the first catalog. Returns NULL with *err on failure. */
struct refresh *refresh_start(const struct refresh_options *options, struct live *live,
                              struct err *err) MUST_CHECK;

/* Wait until the first load has succeeded or failed, but at most `seconds`. */
void refresh_wait_first(struct refresh *refresh, double seconds);

/* Request a reload. Async-signal-safe. */
void refresh_reload(struct refresh *refresh);

struct refresh_status refresh_status(struct refresh *refresh);

/* Stop the thread and free it; a connection attempt in progress may take up to five seconds. NULL
 * is allowed. */
void refresh_stop(struct refresh *refresh);

#endif
