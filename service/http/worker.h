/* worker.h - state shared by the parts of the server: worker threads with their daemons and
 * connections, and the server. */
#ifndef HTTP_WORKER_H
#define HTTP_WORKER_H

#include "http/metrics.h"
#include "http/gzip.h"
#include "http/server.h"

#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>

/* An open connection. */
struct open_connection {
    struct open_connection *next, **from; /* from: address of the pointer to this one */
    struct MHD_Connection *connection;
    struct client client;
    struct exchange *exchange; /* begun and not completed; NULL if none */
    double until;              /* deadline for the client to send or receive; 0 while we compute */
    bool busy;                 /* a request is in progress */
    bool hurried;              /* its timeout was cut to one second */
};

/* Used by its own thread only, except for wake, metrics, n_connections, turns and the list
 * `answered`. */
struct worker {
    struct server *server;
    unsigned number;
    pthread_t thread;
    struct MHD_Daemon *daemon;
    int wake; /* eventfd that interrupts the wait for events */
    struct open_connection *connections;
    atomic_uint n_connections;
    struct gzip *gzip;
    struct response_cache *cache; /* NULL if caching is disabled */
    uint64_t random;              /* state of the generator of request ids */
    double drain_since;           /* 0 if not draining */
    bool gone;                    /* drained, and counted in n_gone */
    double now;                   /* start of this turn of the loop, clock_monotonic() */
    double looked_at;             /* time of the last check for slow clients and expired replies */
    struct metrics metrics;
    atomic_uint turns; /* turns of the loop, and their number at the last server_turns() */
    unsigned turns_seen;
    size_t n_suspended;         /* connections suspended */
    int leaving;                /* epoll set that detects their clients' disconnects */
    pthread_mutex_t lock;       /* protects `answered` */
    struct suspended *answered; /* finished by the pool */
};

struct server {
    handler_fn handle;
    uint64_t (*state)(void *context);
    void *context;
    char *name, *cors_origin;
    struct thread_pool *pools[DEFER_COUNT]; /* run suspended requests; NULL if none */
    struct gzip **pool_gzip;                /* one compressor per pool thread */
    unsigned port, n_workers;
    struct client_limits *clients;
    double client_s;
    atomic_bool draining, stopping;
    pthread_mutex_t lock; /* protects n_gone */
    pthread_cond_t all_gone;
    unsigned n_gone; /* workers that have no connections left during a drain */
    struct worker workers[];
};

#endif
