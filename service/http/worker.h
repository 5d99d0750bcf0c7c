/* worker.h - what the parts of the server share: a thread with its daemon, and whom it serves. */
#ifndef HTTP_WORKER_H
#define HTTP_WORKER_H

#include "http/metrics.h"
#include "http/gzip.h"
#include "http/server.h"

#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>

/* A connection that is open. */
struct open_connection {
    struct open_connection *next, **from; /* from: what points at us */
    struct MHD_Connection *connection;
    struct client client;
    struct exchange *exchange; /* begun and not ended; NULL: none */
    double until; /* when its time to send or to take something is up; 0: it waits for us */
    bool busy;    /* a request is under way */
    bool hurried; /* has been given a second to end */
};

/* Everything but the wake-up, the counters, the number of connections and what has been answered
 * for it is for its own thread. */
struct worker {
    struct server *server;
    unsigned number;
    pthread_t thread;
    struct MHD_Daemon *daemon;
    int wake; /* eventfd that ends the wait for events */
    struct open_connection *connections;
    atomic_uint n_connections;
    struct gzip *gzip;
    struct response_cache *cache; /* replies to send again, NULL: none is kept */
    uint64_t random;              /* of the request ids */
    double drain_since;           /* 0: not draining */
    bool gone;                    /* drained, and said so */
    double now;                   /* when this turn of the loop began, clock_monotonic() */
    double looked_at;             /* when slow clients and old replies were last looked for */
    struct metrics metrics;
    atomic_uint turns; /* of the loop, and as server_turns() last saw it */
    unsigned turns_seen;
    size_t n_suspended;         /* connections suspended */
    int leaving;                /* epoll set of their clients that go away */
    pthread_mutex_t lock;       /* of answered */
    struct suspended *answered; /* come back from the pool */
};

struct server {
    handler_fn handle;
    uint64_t (*state)(void *context);
    void *context;
    char *name, *cors_origin;
    struct thread_pool *pools[DEFER_COUNT]; /* runs suspended requests; NULL: none */
    struct gzip **pool_gzip;                /* a compressor for each of their threads */
    unsigned port, n_workers;
    struct client_limits *clients;
    double client_s;
    atomic_bool draining, stopping;
    pthread_mutex_t lock; /* of n_gone */
    pthread_cond_t all_gone;
    unsigned n_gone; /* workers without connections after the drain began */
    struct worker workers[];
};

#endif
