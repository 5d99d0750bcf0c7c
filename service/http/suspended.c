#include "http/suspended.h"

#include "base/mem.h"
#include "http/reply.h"
#include "http/send.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

enum { RETRY_MAX_S = 60, GONE_AT_ONCE = 64 };

/* Holds the lock to the end: once the worker has the request, the server may be freed. */
static void give_back(struct suspended *suspended)
{
    struct worker *worker = suspended->worker;
    uint64_t one = 1;

    pthread_mutex_lock(&worker->lock);
    bool first = !worker->answered;
    suspended->next = worker->answered;
    worker->answered = suspended;
    if (first && write(worker->wake, &one, sizeof(one)) != sizeof(one))
        abort(); /* the request would never be answered */
    pthread_mutex_unlock(&worker->lock);
}

/* Compressing a long answer takes time too, so it is done on the pool. */
static void pack(struct suspended *suspended, struct gzip *gzip)
{
    const struct buf *body = &suspended->reply.body;

    if (suspended->takes_gzip && body->length && !body->full && send_worth_gzip(&suspended->reply))
        gzip_pack(gzip, body->data, body->length, &suspended->packed);
}

/* Runs on a pool thread. */
static void run(struct pool_job *job, unsigned thread)
{
    struct suspended *suspended = (struct suspended *)job;
    struct server *server = suspended->worker->server;

    if (suspended->to == DEFER_WRITE) /* threads are numbered over both pools */
        thread += thread_pool_threads(server->pools[DEFER_COMPUTE]);
    if (!server->stopping) {
        suspended->request.worker = server->n_workers + thread;
        suspended->request.cancel = job->cancel;
        server->handle(server->context, &suspended->request, &suspended->reply);
        pack(suspended, server->pool_gzip[thread]);
    }
    give_back(suspended);
}

static void refuse(struct thread_pool *pool, int status, struct reply *reply)
{
    enum defer to = reply->deferred;
    enum pool_kind kind = reply->is_long ? POOL_LONG : POOL_SHORT;
    struct pool_stats stats;

    thread_pool_get_stats(pool, &stats);
    reply_refuse(reply, status,
                 to == DEFER_WRITE
                     ? "too many requests are waiting for the database: nothing was saved, try "
                       "again after the number of seconds in Retry-After"
                 : status == 429
                     ? "too many of your long calculations are already waiting: try again after "
                       "the number of seconds in Retry-After"
                     : "too many long calculations are already waiting: try again after the "
                       "number of seconds in Retry-After");
    reply_header(reply, "Retry-After", "%g",
                 fmin(fmax(ceil(thread_pool_wait(&stats, kind)), 1), RETRY_MAX_S));
}

static int socket_of(struct MHD_Connection *connection)
{
    return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
}

/* Request one notification when the client closes the connection or its sending half. If memory is
 * short there is no notification. */
static void watch_client(struct suspended *suspended)
{
    struct epoll_event event = {.events = EPOLLRDHUP | EPOLLONESHOT, .data.ptr = suspended};

    epoll_ctl(suspended->worker->leaving, EPOLL_CTL_ADD, socket_of(suspended->connection), &event);
}

struct suspended *suspended_begin(struct worker *worker, struct MHD_Connection *connection,
                                  const struct client *client, const struct request *request,
                                  struct reply *reply, double start)
{
    struct thread_pool *pool = worker->server->pools[reply->deferred];

    if (!client_limits_may(worker->server->clients, client, CLIENT_CALCULATION)) {
        refuse(pool, 429, reply);
        return NULL;
    }
    struct suspended *suspended = mem_alloc(sizeof(*suspended));
    suspended->job.run = run;
    suspended->job.client = client_limits_group(client);
    suspended->job.kind = reply->is_long ? POOL_LONG : POOL_SHORT;
    suspended->worker = worker;
    suspended->to = reply->deferred;
    suspended->connection = connection;
    suspended->client = *client;
    suspended->request = *request;
    memcpy(suspended->id, request->id, strlen(request->id) + 1);
    suspended->request.id = suspended->id;
    suspended->request.can_defer = false;
    suspended->takes_gzip = send_takes_gzip(connection);
    suspended->start = start;
    reply_init(&suspended->reply);
    if (!thread_pool_submit(pool, &suspended->job)) {
        suspended_free(suspended);
        refuse(pool, 503, reply);
        return NULL;
    }
    reply_free(reply);
    client_limits_count(worker->server->clients, client, CLIENT_CALCULATION, 1);
    worker->n_suspended++;
    if (suspended->to == DEFER_COMPUTE)
        watch_client(suspended);
    MHD_suspend_connection(connection);
    return suspended;
}

static void resume(struct suspended *suspended)
{
    struct worker *worker = suspended->worker;

    if (suspended->to == DEFER_COMPUTE)
        epoll_ctl(worker->leaving, EPOLL_CTL_DEL, socket_of(suspended->connection), NULL);
    worker->n_suspended--;
    client_limits_count(worker->server->clients, &suspended->client, CLIENT_CALCULATION, -1);
    MHD_resume_connection(suspended->connection);
}

/* If a client has disconnected, its queued work is removed and its running work cancelled. */
static void drop_gone(struct worker *worker)
{
    struct epoll_event gone[GONE_AT_ONCE];
    int n = epoll_wait(worker->leaving, gone, GONE_AT_ONCE, 0);

    for (int i = 0; i < n; i++) {
        struct suspended *suspended = gone[i].data.ptr;
        suspended->gone = true;
        if (thread_pool_cancel(worker->server->pools[DEFER_COMPUTE], &suspended->job, CANCEL_GONE))
            resume(suspended);
    }
}

void suspended_resume(struct worker *worker)
{
    if (!worker->n_suspended)
        return;
    pthread_mutex_lock(&worker->lock);
    struct suspended *suspended = worker->answered;
    worker->answered = NULL;
    pthread_mutex_unlock(&worker->lock);
    for (; suspended; suspended = suspended->next)
        resume(suspended);
    drop_gone(worker);
}

void suspended_finish(struct worker *worker)
{
    struct pollfd on = {.fd = worker->wake, .events = POLLIN};
    uint64_t count;

    for (suspended_resume(worker); worker->n_suspended; suspended_resume(worker))
        if (poll(&on, 1, -1) > 0 && read(worker->wake, &count, sizeof(count)) < 0 &&
            errno != EAGAIN)
            abort();
}

void suspended_free(struct suspended *suspended)
{
    if (!suspended)
        return;
    reply_free(&suspended->reply);
    buf_free(&suspended->packed);
    free(suspended);
}
