#include "http/server.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "http/suspended.h"
#include "http/exchange.h"
#include "http/connections.h"
#include "http/response_cache.h"
#include "http/listen.h"
#include "http/head_syntax.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

enum {
    CONNECTION_MEMORY = 24 * 1024, /* for the head; held while the connection is idle */
    CONNECTION_TIMEOUT_S = 30,     /* maximum idle time */
    WAIT_MAX_MS = 1000,
    DRAIN_WAIT_MAX_MS = 50,
    WORKERS_MAX = 1024,
};

static const double GRACE_SECONDS = 1; /* during a drain, before idle connections are closed */

__attribute__((format(printf, 2, 0))) static void on_library_message(void *cls, const char *fmt,
                                                                     va_list ap)
{
    char text[256];

    (void)cls;
    vsnprintf(text, sizeof(text), fmt, ap);
    text[strcspn(text, "\n")] = '\0';
    log_text(LOG_DEBUG, "libmicrohttpd", "text", text);
}

/* A connection opens or closes; closing frees its request state. */
static void notify_connection(void *cls, struct MHD_Connection *connection, void **conn,
                              enum MHD_ConnectionNotificationCode code)
{
    if (code != MHD_CONNECTION_NOTIFY_STARTED && *conn)
        exchange_abandon(cls, *conn);
    connections_notify(cls, connection, conn, code);
}

static struct MHD_Daemon *start_daemon(struct worker *worker, int listening, bool is_ipv6,
                                       unsigned connections)
{
    unsigned flags = MHD_USE_EPOLL | MHD_USE_ERROR_LOG | (is_ipv6 ? MHD_USE_IPv6 : 0U) |
                     (worker->server->pools[DEFER_COMPUTE] ? MHD_ALLOW_SUSPEND_RESUME : 0U);

    return MHD_start_daemon(
        flags, 0, connections_admit, worker, exchange_go_on,
        worker, /* the logger must be first: it receives messages about the other options */
        MHD_OPTION_EXTERNAL_LOGGER, on_library_message, NULL, MHD_OPTION_LISTEN_SOCKET, listening,
        MHD_OPTION_CONNECTION_LIMIT, connections, MHD_OPTION_CONNECTION_TIMEOUT,
        (unsigned)CONNECTION_TIMEOUT_S, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)CONNECTION_MEMORY, MHD_OPTION_STRICT_FOR_CLIENT, head_syntax_strictness(),
        MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, MHD_OPTION_URI_LOG_CALLBACK, exchange_begin, worker,
        MHD_OPTION_NOTIFY_COMPLETED, exchange_end, worker, MHD_OPTION_NOTIFY_CONNECTION,
        notify_connection, worker, MHD_OPTION_END);
}

/* Wait until the library or another thread has something to do. We poll the library's epoll
 * descriptor itself and never read it, because its events are edge-triggered. */
static void wait_for_events(const struct worker *worker, int library)
{
    struct pollfd on[3] = {{.fd = library, .events = POLLIN},
                           {.fd = worker->wake, .events = POLLIN},
                           {.fd = worker->leaving, .events = POLLIN}};
    MHD_UNSIGNED_LONG_LONG wanted;
    int ms = worker->drain_since > 0 ? DRAIN_WAIT_MAX_MS : WAIT_MAX_MS;
    uint64_t count;

    if (MHD_get_timeout(worker->daemon, &wanted) == MHD_YES && wanted < (unsigned)ms)
        ms = (int)wanted;
    if (ms == 0 || poll(on, 3, ms) <= 0 || !on[1].revents)
        return;
    if (read(worker->wake, &count, sizeof(count)) < 0 && errno != EAGAIN)
        abort();
}

/* Stop listening, after accepting pending connections. */
static void begin_drain(struct worker *worker)
{
    worker->drain_since = clock_monotonic();
    MHD_run(worker->daemon);
    MHD_socket listening = MHD_quiesce_daemon(worker->daemon);
    if (listening != MHD_INVALID_SOCKET)
        close(listening);
}

static void go_on_draining(struct worker *worker)
{
    struct server *server = worker->server;

    if (worker->drain_since <= 0)
        begin_drain(worker);
    if (clock_monotonic() - worker->drain_since >= GRACE_SECONDS)
        connections_hurry(worker);
    if (worker->connections || worker->gone)
        return;
    worker->gone = true;
    pthread_mutex_lock(&server->lock);
    server->n_gone++;
    pthread_cond_signal(&server->all_gone);
    pthread_mutex_unlock(&server->lock);
}

/* Close slow connections; cancel work of disconnected clients even if nothing else happens. */
static void once_a_second(struct worker *worker)
{
    const struct server *server = worker->server;

    if (worker->now - worker->looked_at < 1)
        return;
    worker->looked_at = worker->now;
    connections_cut_slow(worker);
    if (worker->cache)
        response_cache_expire(worker->cache, server->state(server->context));
}

static void *work(void *cls)
{
    struct worker *worker = cls;
    int library = MHD_get_daemon_info(worker->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;

    while (!worker->server->stopping) {
        wait_for_events(worker, library);
        worker->now = clock_monotonic();
        suspended_resume(worker);
        MHD_run(worker->daemon);
        atomic_fetch_add_explicit(&worker->turns, 1, memory_order_relaxed);
        once_a_second(worker);
        if (worker->server->draining)
            go_on_draining(worker);
    }
    suspended_finish(worker);
    MHD_stop_daemon(worker->daemon);
    return NULL;
}

static bool start_worker(struct worker *worker, int listening, bool is_ipv6, unsigned connections,
                         struct err *err)
{
    worker->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    worker->leaving = epoll_create1(EPOLL_CLOEXEC);
    if (worker->wake < 0 || worker->leaving < 0 ||
        getrandom(&worker->random, sizeof(worker->random), 0) != sizeof(worker->random))
        return err_set(err, ERR_UNAVAILABLE, "cannot start a worker: %s", strerror(errno));
    worker->gzip = gzip_new(GZIP_QUICK);
    worker->cache = worker->server->state ? response_cache_new() : NULL;
    worker->daemon = start_daemon(worker, listening, is_ipv6, connections);
    if (!worker->daemon)
        return err_set(err, ERR_UNAVAILABLE, "libmicrohttpd cannot start: %s", strerror(errno));
    if (pthread_create(&worker->thread, NULL, work, worker) == 0)
        return true;
    MHD_stop_daemon(worker->daemon);
    worker->daemon = NULL;
    return err_set(err, ERR_UNAVAILABLE, "cannot start a thread");
}

static void free_worker(struct worker *worker)
{
    if (worker->wake >= 0)
        close(worker->wake);
    if (worker->leaving >= 0)
        close(worker->leaving);
    gzip_free(worker->gzip);
    response_cache_free(worker->cache);
    pthread_mutex_destroy(&worker->lock);
    metrics_fini(&worker->metrics);
}

static unsigned count_pool_threads(const struct server *server)
{
    unsigned n = 0;

    for (size_t i = 0; i < DEFER_COUNT; i++)
        n += server->pools[i] ? thread_pool_threads(server->pools[i]) : 0;
    return n;
}

static struct gzip **new_pool_gzip(const struct server *server)
{
    unsigned n = count_pool_threads(server);
    struct gzip **gzips = mem_alloc(n * sizeof(struct gzip *));

    for (unsigned i = 0; i < n; i++)
        gzips[i] = gzip_new(GZIP_QUICK);
    return gzips;
}

static void free_pool_gzip(const struct server *server)
{
    unsigned n = count_pool_threads(server);

    for (unsigned i = 0; i < n; i++)
        gzip_free(server->pool_gzip[i]);
    free(server->pool_gzip);
}

static struct server *new_server(const struct server_options *options, unsigned port,
                                 handler_fn handle, void *context)
{
    struct server *server = mem_aligned(
        _Alignof(struct server), sizeof(*server) + options->workers * sizeof(server->workers[0]));
    pthread_condattr_t monotonic;

    server->handle = handle;
    server->state = options->state;
    server->context = context;
    server->cors_origin = mem_text(options->cors_origin);
    server->name = mem_text(options->name);
    server->pools[DEFER_COMPUTE] = options->pool;
    server->pools[DEFER_WRITE] = options->writer;
    server->pool_gzip = new_pool_gzip(server);
    server->client_s = options->client_s;
    server->port = port;
    server->n_workers = options->workers;
    pthread_mutex_init(&server->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&server->all_gone, &monotonic);
    pthread_condattr_destroy(&monotonic);
    for (unsigned i = 0; i < server->n_workers; i++) {
        server->workers[i] =
            (struct worker){.server = server, .number = i, .wake = -1, .leaving = -1};
        pthread_mutex_init(&server->workers[i].lock, NULL);
        metrics_init(&server->workers[i].metrics);
    }
    return server;
}

/* An invalid or used address must be changed by a person: name the setting. */
static void name_setting(const char *setting, struct err *err)
{
    char why[sizeof(err->text)];

    if (!setting)
        return;
    snprintf(why, sizeof(why), "%s", err->text);
    err_set(err, err->code, "%.300s; %s chooses another address, port 0 any free one", why,
            setting);
}

struct server *server_start(const struct server_options *options, handler_fn handle, void *context,
                            struct err *err)
{
    struct address address;
    int sockets[WORKERS_MAX];
    unsigned started = 0, each = options->connections / options->workers + 1;

    struct client_limits *clients = client_limits_new(&options->clients, err);
    if (!clients)
        return NULL;
    if (options->workers > WORKERS_MAX || !listen_parse(&address, options->listen, err) ||
        !listen_open(&address, sockets, options->workers, err)) {
        name_setting(options->setting, err);
        client_limits_free(clients);
        return NULL;
    }
    struct server *server = new_server(options, address.port, handle, context);
    server->clients = clients;
    while (started < options->workers &&
           start_worker(&server->workers[started], sockets[started], address.is_ipv6, each, err))
        started++;
    if (started == options->workers)
        return server;
    for (unsigned i = started + 1; i < options->workers; i++)
        close(sockets[i]); /* the library owns the ones before */
    server_stop(server);
    return NULL;
}

unsigned server_port(const struct server *server)
{
    return server->port;
}

bool server_turns(struct server *server)
{
    bool all = true;

    for (unsigned i = 0; i < server->n_workers; i++) {
        unsigned turns = atomic_load_explicit(&server->workers[i].turns, memory_order_relaxed);
        all = all && turns != server->workers[i].turns_seen;
        server->workers[i].turns_seen = turns;
    }
    return all;
}

static void wake_all(const struct server *server)
{
    uint64_t one = 1;

    for (unsigned i = 0; i < server->n_workers; i++)
        if (server->workers[i].daemon &&
            write(server->workers[i].wake, &one, sizeof(one)) != sizeof(one))
            log_write(LOG_WARN, "cannot wake a worker", "worker=%u", i);
}

bool server_drain(struct server *server, double seconds)
{
    struct timespec until;
    int rc = 0;

    clock_gettime(CLOCK_MONOTONIC, &until);
    double end = (double)until.tv_nsec * 1e-9 + seconds;
    until.tv_sec += (time_t)end;
    until.tv_nsec = (long)((end - (double)(time_t)end) * 1e9);
    server->draining = true;
    wake_all(server);
    pthread_mutex_lock(&server->lock);
    while (server->n_gone < server->n_workers && rc == 0)
        rc = pthread_cond_timedwait(&server->all_gone, &server->lock, &until);
    bool all = server->n_gone == server->n_workers;
    pthread_mutex_unlock(&server->lock);
    return all;
}

void server_stop(struct server *server)
{
    if (!server)
        return;
    server->stopping = true;
    wake_all(server);
    for (unsigned i = 0; i < server->n_workers; i++) {
        if (server->workers[i].daemon)
            pthread_join(server->workers[i].thread, NULL);
        free_worker(&server->workers[i]);
    }
    pthread_cond_destroy(&server->all_gone);
    pthread_mutex_destroy(&server->lock);
    free_pool_gzip(server);
    client_limits_free(server->clients);
    free(server->cors_origin);
    free(server->name);
    free(server);
}

void server_get_stats(struct server *server, struct server_stats *stats)
{
    *stats = (struct server_stats){0};
    for (unsigned i = 0; i < server->n_workers; i++) {
        stats->connections += atomic_load(&server->workers[i].n_connections);
        metrics_sum(&server->workers[i].metrics, stats);
    }
    if (server->pools[DEFER_COMPUTE])
        thread_pool_get_stats(server->pools[DEFER_COMPUTE], &stats->pool);
}
