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

/* Under the lock to its end: once the worker has it, the server may be freed. */
static void give_back(struct deferred *deferred)
{
    struct worker *worker = deferred->worker;
    uint64_t one = 1;

    pthread_mutex_lock(&worker->lock);
    bool first = !worker->answered;
    deferred->next = worker->answered;
    worker->answered = deferred;
    if (first && write(worker->wake, &one, sizeof(one)) != sizeof(one))
        abort(); /* the request would never be answered */
    pthread_mutex_unlock(&worker->lock);
}

/* Compressing a long answer takes a while too. */
static void pack(struct deferred *deferred, struct gzip *gzip)
{
    const struct buf *body = &deferred->reply.body;

    if (deferred->takes_gzip && body->length && !body->full && send_worth_gzip(&deferred->reply))
        gzip_pack(gzip, body->data, body->length, &deferred->packed);
}

/* The number of the pool's first thread among those of all pools. */
static unsigned first_thread(const struct server *server, enum defer to)
{
    return to == DEFER_WRITE ? pool_threads(server->pools[DEFER_COMPUTE]) : 0;
}

/* On a thread of the pool. */
static void run(struct pool_job *job, unsigned thread)
{
    struct deferred *deferred = (struct deferred *)job;
    struct server *server = deferred->worker->server;

    thread += first_thread(server, deferred->to);
    if (!server->stopping) {
        deferred->request.worker = server->n_workers + thread;
        deferred->request.cancel = job->cancel;
        server->handle(server->context, &deferred->request, &deferred->reply);
        pack(deferred, server->pool_gzip[thread]);
    }
    give_back(deferred);
}

static void refuse(struct pool *pool, int status, struct reply *reply)
{
    enum defer to = reply->deferred;
    enum pool_kind kind = reply->is_long ? POOL_LONG : POOL_SHORT;
    struct pool_stats stats;

    pool_get_stats(pool, &stats);
    reply_refuse(reply, status,
                 to == DEFER_WRITE
                     ? "too many requests are waiting for the database: nothing was saved, send "
                       "this again after the seconds that Retry-After says"
                 : status == 429
                     ? "too many of your long calculations are waiting already: ask again after "
                       "the seconds that Retry-After says"
                     : "too many long calculations are waiting already: ask again after the "
                       "seconds that Retry-After says");
    reply_header(reply, "Retry-After", "%g",
                 fmin(fmax(ceil(pool_wait(&stats, kind)), 1), RETRY_MAX_S));
}

static int socket_of(struct MHD_Connection *connection)
{
    return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
}

/* Be told once when its client has closed the connection, or has no more to say. Without the memory
 * for that we are not told. */
static void watch_client(struct deferred *deferred)
{
    struct epoll_event event = {.events = EPOLLRDHUP | EPOLLONESHOT, .data.ptr = deferred};

    epoll_ctl(deferred->worker->leaving, EPOLL_CTL_ADD, socket_of(deferred->connection), &event);
}

struct deferred *deferred_begin(struct worker *worker, struct MHD_Connection *connection,
                                const struct client *client, const struct request *request,
                                struct reply *reply, double start)
{
    struct pool *pool = worker->server->pools[reply->deferred];

    if (!clients_may(worker->server->clients, client, CLIENT_CALCULATION)) {
        refuse(pool, 429, reply);
        return NULL;
    }
    struct deferred *deferred = mem_alloc(sizeof(*deferred));
    deferred->job.run = run;
    deferred->job.client = client_group(client);
    deferred->job.kind = reply->is_long ? POOL_LONG : POOL_SHORT;
    deferred->worker = worker;
    deferred->to = reply->deferred;
    deferred->connection = connection;
    deferred->client = *client;
    deferred->request = *request;
    memcpy(deferred->id, request->id, strlen(request->id) + 1);
    deferred->request.id = deferred->id;
    deferred->request.can_defer = false;
    deferred->takes_gzip = send_takes_gzip(connection);
    deferred->start = start;
    reply_init(&deferred->reply);
    if (!pool_submit(pool, &deferred->job)) {
        deferred_free(deferred);
        refuse(pool, 503, reply);
        return NULL;
    }
    reply_free(reply);
    clients_count(worker->server->clients, client, CLIENT_CALCULATION, 1);
    worker->n_deferred++;
    if (deferred->to == DEFER_COMPUTE)
        watch_client(deferred);
    MHD_suspend_connection(connection);
    return deferred;
}

static void resume(struct deferred *deferred)
{
    struct worker *worker = deferred->worker;

    if (deferred->to == DEFER_COMPUTE)
        epoll_ctl(worker->leaving, EPOLL_CTL_DEL, socket_of(deferred->connection), NULL);
    worker->n_deferred--;
    clients_count(worker->server->clients, &deferred->client, CLIENT_CALCULATION, -1);
    MHD_resume_connection(deferred->connection);
}

/* What nobody waits for any more need not be begun, and ends soon where it was. */
static void drop_gone(struct worker *worker)
{
    struct epoll_event gone[GONE_AT_ONCE];
    int n = epoll_wait(worker->leaving, gone, GONE_AT_ONCE, 0);

    for (int i = 0; i < n; i++) {
        struct deferred *deferred = gone[i].data.ptr;
        deferred->gone = true;
        if (pool_cancel(worker->server->pools[DEFER_COMPUTE], &deferred->job, CANCEL_GONE))
            resume(deferred);
    }
}

void deferred_resume(struct worker *worker)
{
    if (!worker->n_deferred)
        return;
    pthread_mutex_lock(&worker->lock);
    struct deferred *deferred = worker->answered;
    worker->answered = NULL;
    pthread_mutex_unlock(&worker->lock);
    for (; deferred; deferred = deferred->next)
        resume(deferred);
    drop_gone(worker);
}

void deferred_finish(struct worker *worker)
{
    struct pollfd on = {.fd = worker->wake, .events = POLLIN};
    uint64_t count;

    for (deferred_resume(worker); worker->n_deferred; deferred_resume(worker))
        if (poll(&on, 1, -1) > 0 && read(worker->wake, &count, sizeof(count)) < 0 &&
            errno != EAGAIN)
            abort();
}

void deferred_free(struct deferred *deferred)
{
    if (!deferred)
        return;
    reply_free(&deferred->reply);
    buf_free(&deferred->packed);
    free(deferred);
}
