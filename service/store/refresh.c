#include "store/refresh.h"

#include "base/mem.h"
#include "store/load.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

static const double RELOAD_SECONDS = 300; /* in case a notification was lost */
static const double RETRY_SECONDS = 10;   /* after a failed load, and on a replica */
static const double QUIET_SECONDS = 0.1;  /* after a change, before checking again */
static const double NOISE_SECONDS = 1;    /* upper bound of that wait under steady changes */
static const double BACKOFF_FIRST = 0.2, BACKOFF_LAST = 30;

struct refresh {
    struct refresh_options options;
    struct live *live;
    /* The slot in live.h. Unchanged parts are shared with it, even if it came from another server,
     * since a stamp is never reused; NULL: read everything. */
    const struct catalog *served;
    pthread_t thread;
    int wake; /* eventfd: one of the flags below was set */
    atomic_bool stop, reload;
    unsigned short random[3]; /* state of erand48(), for jitter */
    pthread_mutex_t lock;     /* protects status */
    pthread_cond_t attempted; /* signals the end of a load */
    struct refresh_status status;
};

static double seconds_now(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void say(const struct refresh *refresh, const char *text)
{
    if (refresh->options.log)
        refresh->options.log(text);
}

static void note_connection(struct refresh *refresh, bool up, bool listening)
{
    pthread_mutex_lock(&refresh->lock);
    refresh->status.connects += up && !refresh->status.db_up;
    refresh->status.db_up = up;
    refresh->status.listening = listening;
    pthread_mutex_unlock(&refresh->lock);
}

/* Record a failure, and log it unless it was the last one logged. */
static void note_failure(struct refresh *refresh, const struct err *err, const char *lacking)
{
    pthread_mutex_lock(&refresh->lock);
    snprintf(refresh->status.lacking, sizeof(refresh->status.lacking), "%s", lacking);
    bool news = strcmp(refresh->status.error, err->text) != 0;
    refresh->status.reloads_failed++;
    snprintf(refresh->status.error, sizeof(refresh->status.error), "%s", err->text);
    pthread_cond_signal(&refresh->attempted);
    pthread_mutex_unlock(&refresh->lock);
    if (news)
        say(refresh, err->text);
}

static void note_success(struct refresh *refresh, const struct catalog *catalog)
{
    char text[96];

    pthread_mutex_lock(&refresh->lock);
    bool news = strcmp(refresh->status.version, catalog->version) != 0 || refresh->status.error[0];
    refresh->status.reloads_ok++;
    refresh->status.last_load_at = catalog->loaded_at;
    refresh->status.error[0] = refresh->status.lacking[0] = '\0';
    memcpy(refresh->status.version, catalog->version, sizeof(refresh->status.version));
    pthread_cond_signal(&refresh->attempted);
    pthread_mutex_unlock(&refresh->lock);
    if (!news)
        return;
    snprintf(text, sizeof(text), "catalogue %s is being served", catalog->version);
    say(refresh, text);
}

/* Record a successful check that found nothing new. */
static void note_current(struct refresh *refresh)
{
    pthread_mutex_lock(&refresh->lock);
    refresh->status.last_load_at = seconds_now(CLOCK_REALTIME);
    pthread_mutex_unlock(&refresh->lock);
}

/* Versions are ordered: a day as eight digits, a point, and a number without leading zeros. */
static bool is_before(const char *version, const char *other)
{
    size_t length = strlen(version), other_length = strlen(other);

    if (strncmp(version, other, 8) == 0 && length != other_length)
        return length < other_length;
    return strcmp(version, other) < 0;
}

/* A lagging replica must not replace newer data. A primary may: it can be a restored backup, or
 * have been promoted before it received everything. */
static bool may_replace(struct refresh *refresh, PGconn *conn, const struct catalog *catalog,
                        struct err *err)
{
    const char *served = refresh->status.version;
    char text[160];

    if (!is_before(catalog->version, served))
        return true;
    pthread_mutex_lock(&refresh->lock);
    refresh->status.reloads_older++;
    pthread_mutex_unlock(&refresh->lock);
    if (db_standby(conn))
        return err_set(err, ERR_UNAVAILABLE,
                       "the replica has catalogue %s, older than %s, which is still served",
                       catalog->version, served);
    snprintf(text, sizeof(text), "the primary's catalogue %s is older than %s, which was served",
             catalog->version, served);
    say(refresh, text);
    return true;
}

static bool load_and_publish(struct refresh *refresh, PGconn *conn)
{
    struct catalog *catalog;
    struct err err = {0};

    if (!store_load(conn, refresh->served, &catalog, &err) ||
        !may_replace(refresh, conn, catalog, &err) ||
        (refresh->options.prepare && !refresh->options.prepare(catalog, refresh->served, &err))) {
        note_failure(refresh, &err, catalog ? catalog->lacking : "");
        catalog_free(catalog);
        return false;
    }
    live_publish(refresh->live, catalog);
    refresh->served = catalog;
    note_success(refresh, catalog);
    return true;
}

/* Wait for the socket (-1 for none), a wake-up or the timeout; true if the socket is ready. */
static bool wait_for(struct refresh *refresh, int socket, double seconds)
{
    struct pollfd on[2] = {{.fd = refresh->wake, .events = POLLIN},
                           {.fd = socket, .events = POLLIN}};
    uint64_t count;

    if (poll(on, 2, seconds > 0 ? (int)(seconds * 1e3) + 1 : 0) <= 0)
        return false;
    if (on[0].revents && read(refresh->wake, &count, sizeof(count)) < 0 && errno != EAGAIN)
        abort();
    return on[1].revents != 0;
}

/* True if a notification or a reload request arrived since the last call. A reload request also
 * makes the next load read everything. */
static bool changed(struct refresh *refresh, PGconn *conn)
{
    bool any = atomic_exchange(&refresh->reload, false);
    PGnotify *notify;

    if (any)
        refresh->served = NULL;
    while ((notify = PQnotifies(conn))) {
        PQfreemem(notify);
        any = true;
    }
    return any;
}

/* Wait until something changed or `seconds` have passed; false if the connection was lost. */
static bool wait_change(struct refresh *refresh, PGconn *conn, double seconds, bool *any)
{
    double end = seconds_now(CLOCK_MONOTONIC) + seconds;

    for (;;) {
        if (atomic_load(&refresh->stop))
            return false;
        *any = changed(refresh, conn);
        double left = end - seconds_now(CLOCK_MONOTONIC);
        if (*any || left <= 0)
            return true;
        if (wait_for(refresh, PQsocket(conn), left) && !PQconsumeInput(conn))
            return false;
    }
}

/* After a first change, wait for the end of a burst; `any` tells whether more changes arrived
 * meanwhile. */
static bool wait_quiet(struct refresh *refresh, PGconn *conn, bool *any)
{
    double end = seconds_now(CLOCK_MONOTONIC) + NOISE_SECONDS;
    bool more = true;

    *any = false;
    while (more && seconds_now(CLOCK_MONOTONIC) < end) {
        if (!wait_change(refresh, conn, QUIET_SECONDS, &more))
            return false;
        *any = *any || more;
    }
    return true;
}

/* LISTEN precedes the load, so that no change is missed between the two. A replica cannot listen
 * until it is promoted: it is polled every few seconds for changes and for promotion. */
static void listen_or_poll(struct refresh *refresh, PGconn *conn)
{
    struct err err = {0};
    bool first = !refresh->status.db_up;
    bool listening = db_run(conn, "listen gpuplan", &err);

    if (listening && !first)
        say(refresh, "the database sends change notices again");
    else if (!listening && first)
        say(refresh, err.text);
    note_connection(refresh, true, listening);
}

/* Seconds to the next check without a notice; up to 25 % less at random, so that daemons that once
 * polled together drift apart. */
static double next_load_in(struct refresh *refresh, bool loaded)
{
    double seconds =
        refresh->options.reload_seconds > 0 ? refresh->options.reload_seconds : RELOAD_SECONDS;
    bool soon = !loaded || !refresh->status.listening;

    if (soon)
        seconds = fmin(seconds, RETRY_SECONDS);
    return seconds * (1 - erand48(refresh->random) / 4);
}

/* Random delay after a notice (none for an explicit reload); false if the connection was lost. */
static bool wait_turn(struct refresh *refresh, PGconn *conn)
{
    double share = refresh->options.spread_seconds * erand48(refresh->random);
    double left, end = seconds_now(CLOCK_MONOTONIC) + share;
    bool any;

    while (refresh->served && (left = end - seconds_now(CLOCK_MONOTONIC)) > 0)
        if (!wait_change(refresh, conn, left, &any))
            return false;
    return true;
}

/* Serve one connection until it breaks or the thread stops; true if it delivered a catalogue. */
static bool follow(struct refresh *refresh, PGconn *conn)
{
    bool any, loaded, delivered;

    listen_or_poll(refresh, conn);
    delivered = loaded = load_and_publish(refresh, conn);
    while (!db_lost(conn)) {
        if (!wait_change(refresh, conn, next_load_in(refresh, loaded), &any) ||
            (any && !wait_turn(refresh, conn)))
            break;
        if (!refresh->status.listening)
            listen_or_poll(refresh, conn);
        if (!any && loaded && store_unchanged(conn, refresh->served)) {
            note_current(refresh);
            continue;
        }
        do {
            loaded = load_and_publish(refresh, conn);
            delivered = delivered || loaded;
        } while (any && !db_lost(conn) && wait_quiet(refresh, conn, &any) && any);
    }
    return delivered;
}

static bool session(struct refresh *refresh)
{
    PGconn *conn;
    struct err err = {0};
    bool good = db_open(refresh->options.conninfo, &conn, &err) && db_drop_rights(conn, &err);

    if (good)
        good = follow(refresh, conn);
    else
        note_failure(refresh, &err, "");
    PQfinish(conn);
    note_connection(refresh, false, false);
    return good;
}

/* Exponential backoff with jitter of 0.5 to 1.5, so that many daemons do not return at once. */
static void back_off(struct refresh *refresh, double *delay)
{
    double seconds = *delay * (0.5 + erand48(refresh->random));
    double end = seconds_now(CLOCK_MONOTONIC) + seconds;

    *delay = *delay * 2 < BACKOFF_LAST ? *delay * 2 : BACKOFF_LAST;
    while (!atomic_load(&refresh->stop) && !atomic_exchange(&refresh->reload, false) &&
           seconds_now(CLOCK_MONOTONIC) < end)
        wait_for(refresh, -1, end - seconds_now(CLOCK_MONOTONIC));
}

static void *run(void *argument)
{
    struct refresh *refresh = argument;
    double delay = BACKOFF_FIRST;

    while (!atomic_load(&refresh->stop)) {
        if (session(refresh)) {
            delay = BACKOFF_FIRST;
            if (!atomic_load(&refresh->stop))
                say(refresh, "the database is gone; the last catalogue is still served");
        }
        back_off(refresh, &delay);
    }
    return NULL;
}

static void release(struct refresh *refresh)
{
    close(refresh->wake);
    pthread_cond_destroy(&refresh->attempted);
    pthread_mutex_destroy(&refresh->lock);
    free(refresh);
}

struct refresh *refresh_start(const struct refresh_options *options, struct live *live,
                              struct err *err)
{
    struct refresh *refresh = mem_alloc(sizeof(*refresh));
    pthread_condattr_t monotonic;
    uint64_t seed = (uint64_t)(seconds_now(CLOCK_MONOTONIC) * 1e9) ^ (uint64_t)getpid();

    refresh->options = *options;
    refresh->live = live;
    memcpy(refresh->random, &seed, sizeof(refresh->random));
    pthread_mutex_init(&refresh->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&refresh->attempted, &monotonic);
    pthread_condattr_destroy(&monotonic);
    refresh->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (refresh->wake >= 0 && pthread_create(&refresh->thread, NULL, run, refresh) == 0)
        return refresh;
    err_set(err, ERR_INTERNAL, "the refresher cannot start: %s", strerror(errno));
    release(refresh);
    return NULL;
}

/* Interrupt the thread's wait; errno keeps its value. */
static void wake(const struct refresh *refresh)
{
    uint64_t one = 1;
    int before = errno;

    if (write(refresh->wake, &one, sizeof(one)) < 0)
        errno = before; /* the eventfd is full, so the thread is already woken */
}

void refresh_wait_first(struct refresh *refresh, double seconds)
{
    struct timespec until;
    int rc = 0;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += (time_t)ceil(seconds);
    pthread_mutex_lock(&refresh->lock);
    while (!refresh->status.reloads_ok && !refresh->status.reloads_failed && rc == 0)
        rc = pthread_cond_timedwait(&refresh->attempted, &refresh->lock, &until);
    pthread_mutex_unlock(&refresh->lock);
}

void refresh_reload(struct refresh *refresh)
{
    atomic_store(&refresh->reload, true);
    wake(refresh);
}

struct refresh_status refresh_status(struct refresh *refresh)
{
    pthread_mutex_lock(&refresh->lock);
    struct refresh_status status = refresh->status;
    pthread_mutex_unlock(&refresh->lock);
    return status;
}

void refresh_stop(struct refresh *refresh)
{
    if (!refresh)
        return;
    atomic_store(&refresh->stop, true);
    wake(refresh);
    pthread_join(refresh->thread, NULL);
    release(refresh);
}
