/* suspended.h - requests whose answer takes long: their connection is suspended while the compute
 * pool or the writer thread works.
 *
 * While a connection is suspended libmicrohttpd neither reads it nor frees what it read: headers,
 * target and body stay where they are. It does not watch the socket either, so each worker has an
 * epoll set of its suspended ones: when a client disconnects, its request is removed from the queue
 * or cancelled. A client that only shuts down its sending half looks the same until something is
 * sent to it, so it counts as gone (as with nginx and Go's net/http). Database writes are carried
 * out even if the client has gone.
 */
#ifndef HTTP_SUSPENDED_H
#define HTTP_SUSPENDED_H

#include "http/thread_pool.h"
#include "http/worker.h"

enum { REQUEST_ID_SIZE = 33 };

/* Has one owner at a time: its worker, then a thread of the pool, then its worker again. */
struct suspended {
    struct pool_job job; /* first: its run() finds the rest */
    struct worker *worker;
    enum defer to; /* whose pool */
    struct MHD_Connection *connection;
    struct client client;   /* client whose limits it counts towards */
    struct suspended *next; /* in worker->answered */
    struct request request;
    char id[REQUEST_ID_SIZE];
    bool takes_gzip;
    bool gone; /* the client disconnected: the reply is dropped */
    struct reply reply;
    struct buf packed; /* the reply's body compressed, empty where it is not to be */
    double start;      /* when the request was complete, clock_monotonic() */
};

/* Suspend the connection and have the pool that the reply names call the handler again. NULL where
 * the pool is full, or the client has its share of it: then the reply is a 503 or 429. What the
 * request points to must stay until suspended_free(). */
struct suspended *suspended_begin(struct worker *worker, struct MHD_Connection *connection,
                                  const struct client *client, const struct request *request,
                                  struct reply *reply, double start);
/* Resume this worker's connections whose replies have been made, or whose clients are gone. */
void suspended_resume(struct worker *worker);
/* Wait for those under way, and resume all. No handler is called any more once server->stopping;
 * the caller cancels running calculations before. */
void suspended_finish(struct worker *worker);
void suspended_free(struct suspended *suspended); /* NULL is fine; the pool must be done with it */

#endif
