/* server.h - HTTP over libmicrohttpd: one event loop of our own per worker thread.
 *
 * Every worker has its own libmicrohttpd daemon on a socket that shares the port (SO_REUSEPORT) and
 * drives it with a bounded wait: the library's internal loop stalls when exactly 128 times k
 * connections are ready at once, and its thread pool does not balance.
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
    const char *listen;  /* host:port, [::1]:port; port 0 takes a free one */
    const char *setting; /* named in the error if the address is taken; NULL: none */
    unsigned workers;
    unsigned connections;       /* all workers together */
    const char *cors_origin;    /* whose pages may read the answers: *, or a comma-separated list */
    const char *name;           /* for the header Server, as gpuplan/1.0 */
    struct thread_pool *pool;   /* for long calculations; borrowed, NULL: there are none */
    struct thread_pool *writer; /* for changes, of one thread; as pool, which must be there then */
    struct client_limits_options clients;
    /* What cached replies (request.h) depend on: they are valid while the number is unchanged.
     * Read before the handler reads its data. NULL: nothing is cached. */
    uint64_t (*state)(void *context);
    double client_s; /* that a client has to send a request, and again to take the answer; 0: any */
};

/* Listen and answer with handle(context, ...) from the worker threads; NULL with *err where the
 * address is taken (ERR_UNAVAILABLE) or none (ERR_INVALID). The process must ignore SIGPIPE. */
struct server *server_start(const struct server_options *options, handler_fn handle, void *context,
                            struct err *err);
unsigned server_port(const struct server *server);

/* Accept no new connections and wait up to `seconds` for the open ones: requests in progress are
 * answered, each answer closes its connection, and idle clients get a second or two. False if
 * some are still open. */
bool server_drain(struct server *server, double seconds);
/* Stop and free; connections still open are cut. Waits for calls of the handler that are under way
 * on the pool, and lets those that wait there be. NULL is fine. */
void server_stop(struct server *server);

/* Whether every worker's loop has come round since the last call, as it does each second even with
 * nothing to do. From one thread. */
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
    double seconds; /* spent answering, in all */
    unsigned connections;
    struct pool_stats pool; /* of calculations; threads 0: none */
};

void server_get_stats(struct server *server, struct server_stats *stats);

#endif
