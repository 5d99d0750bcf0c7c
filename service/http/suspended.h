/* suspended.h - long requests: their connection is suspended while the compute pool or the writer
 * thread works.
 *
 * While a connection is suspended libmicrohttpd neither reads from it nor frees what it has read:
 * headers, target and body stay in place. It does not watch the socket either, so each worker has
 * an epoll set of its suspended connections: when a client disconnects, its request is removed from
 * the queue or cancelled. A client that only shuts down its sending half looks the same until
 * something is sent to it, so it is treated as disconnected (as nginx and Go's net/http do).
 * Database writes are carried out even after a disconnect.
 */
#ifndef HTTP_SUSPENDED_H
#define HTTP_SUSPENDED_H

#include "http/thread_pool.h"
#include "http/worker.h"

enum { REQUEST_ID_SIZE = 33 };

/* Owned by one thread at a time: its worker, then a pool thread, then its worker again. */
struct suspended {
    struct pool_job job; /* must be first: its run() casts back to this struct */
    struct worker *worker;
    enum defer to; /* which pool */
    struct MHD_Connection *connection;
    struct client client;   /* client whose limits it counts towards */
    struct suspended *next; /* in worker->answered */
    struct request request;
    char id[REQUEST_ID_SIZE];
    bool takes_gzip;
    bool gone; /* the client disconnected: drop the reply */
    struct reply reply;
    struct buf packed; /* the reply's body compressed; empty if it is not to be compressed */
    double start;      /* when the request was complete, clock_monotonic() */
};

/* Suspend the connection and have the pool named by the reply call the handler again. Returns NULL
 * if the pool is full or the client has reached its limit; the reply is then a 503 or 429. What the
 * request points to must stay valid until suspended_free(). */
struct suspended *suspended_begin(struct worker *worker, struct MHD_Connection *connection,
                                  const struct client *client, const struct request *request,
                                  struct reply *reply, double start);
/* Resume this worker's connections whose replies are ready, or whose clients have disconnected. */
void suspended_resume(struct worker *worker);
/* Wait for the requests in progress, then resume all. No handler is called once server->stopping is
 * set; the caller first cancels running calculations. */
void suspended_finish(struct worker *worker);
void suspended_free(struct suspended *suspended); /* NULL is allowed; the pool must be done with
                                                   * it */

#endif
