/* refresh.h - the thread that keeps the served catalog equal to the database.
 *
 * It connects, listens on channel gpuplan, loads, publishes, and loads again at each
 * notification. Whatever fails, the last catalog published stays in service and it retries. A
 * replica never replaces it by an older version.
 */
#ifndef STORE_REFRESH_H
#define STORE_REFRESH_H

#include "base/err.h"
#include "catalog/live.h"

#include <stdint.h>

struct refresh;

struct refresh_options {
    const char *conninfo;      /* "": the PG* variables; must outlive the refresh */
    double reload_seconds;     /* load at least this often; 0: every 5 minutes */
    double spread_seconds;     /* after a change wait up to this long, at random */
    void (*log)(const char *); /* told, from the thread, when things change; may be NULL */
    prepare_fn prepare;        /* before each is published; may be NULL */
};

enum { REFRESH_LACKING_SIZE = 8192 };

struct refresh_status {
    bool db_up;          /* connected as far as anybody knows */
    bool listening;      /* hears of changes at once; false on a replica, which is polled */
    double last_load_at; /* seconds since 1970 when it was read or found unchanged, 0: not yet */
    uint64_t reloads_ok, reloads_failed, connects;
    uint64_t reloads_older;             /* that found an older version than the one served */
    char version[32];                   /* of the catalog published last */
    char error[400];                    /* why the last attempt failed, "" where it did not */
    char lacking[REFRESH_LACKING_SIZE]; /* which assumptions it lacked, see catalog/required.h */
};

/* Start the thread; it does not wait for the first catalog. NULL, with err, where it cannot. */
struct refresh *refresh_start(const struct refresh_options *options, struct live *live,
                              struct err *err) MUST_CHECK;

/* Wait until the first attempt to load has ended, well or not, but no longer than `seconds`. */
void refresh_wait_first(struct refresh *refresh, double seconds);

/* Load again now. Safe in a signal handler. */
void refresh_reload(struct refresh *refresh);

struct refresh_status refresh_status(struct refresh *refresh);

/* Stop the thread and free it; a connection attempt under way may take its five seconds. NULL is
 * fine. */
void refresh_stop(struct refresh *refresh);

#endif
