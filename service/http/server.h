/* server.h - HTTP over libmicrohttpd, with our own event loop in each worker thread.
 *
 * Each worker has its own libmicrohttpd daemon on a socket that shares the port (SO_REUSEPORT) and
 * runs it with a bounded wait: the library's internal loop stalls when exactly 128 times k
 * connections are ready at once, and its thread pool does not balance load.
 */
#ifndef HTTP_SERVER_H
#define HTTP_SERVER_H

#include "base/err.h"
#include "http/client_limits.h"
#include "http/thread_pool.h"
#include "http/request.h"

#include <stdint.h>

struct server;

struct server_options {
    const char *listen;  /* host:port, [::1]:port; port 0 picks a free one */
    const char *setting; /* setting to name in the error if the address is in use; NULL if none */
    unsigned workers;
    unsigned connections;       /* total of all workers */
    const char *cors_origin;    /* origins whose pages may read the answers: *, or a comma-separated
                                 * list */
    const char *name;           /* for the Server header, such as gpuplan/1.0 */
    struct thread_pool *pool;   /* for long calculations; borrowed; NULL if there is none */
    struct thread_pool *writer; /* single-threaded, for database writes; borrowed; requires `pool`;
                                 * NULL if there is none */
    struct client_limits_options clients;
    /* Returns the number that cached replies (request.h) depend on: they are valid while it is
     * unchanged. Read before the handler reads its data. NULL disables caching. */
    uint64_t (*state)(void *context);
    double client_s; /* timeout in seconds for a client to send a request, and again to receive the
                      * answer; 0 if none */
};

/* Listen and answer with handle(context, ...) from the worker threads. Returns NULL with *err if
 * the address is in use (ERR_UNAVAILABLE) or invalid (ERR_INVALID). The process must ignore
 * SIGPIPE. */
struct server *server_start(const struct server_options *options, handler_fn handle, void *context,
                            struct err *err);
unsigned server_port(const struct server *server);

/* Accept no new connections and wait up to `seconds` for the open ones: requests in progress are
 * answered, each answer closes its connection, and idle clients get a second or two. False if
 * some are still open. */
bool server_drain(struct server *server, double seconds);
/* Stop and free; open connections are closed. Waits for handler calls running on the pool, but not
 * for queued ones. NULL is allowed. */
void server_stop(struct server *server);

/* True if every worker's event loop has run since the last call; an idle loop runs each second.
 * Call from one thread only. */
bool server_turns(struct server *server);

/* Counters of one label set, summed over the workers. */
struct server_count {
    const char *route, *format;
    int status;
    uint64_t requests;
};

enum { SERVER_COUNTS_MAX = 512, SERVER_BUCKETS = 9 };
extern const double metrics_bucket_seconds[SERVER_BUCKETS];

struct server_stats {
    size_t n_counts;
    struct server_count counts[SERVER_COUNTS_MAX];
    uint64_t buckets[SERVER_BUCKETS]; /* requests answered within metrics_bucket_seconds */
    uint64_t requests;
    double seconds; /* total time spent answering */
    unsigned connections;
    struct pool_stats pool; /* the compute pool; threads is 0 without one */
};

void server_get_stats(struct server *server, struct server_stats *stats);

#endif
