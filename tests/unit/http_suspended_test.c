/* http_suspended_test.c - long answers, made on the compute pool while the server goes on. */
#include "http/worker.h"
#include "http_client.h"
#include "tap.h"

#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

static struct client_reply reply;
static struct thread_pool *pool;
static struct client_limits_options clients; /* of the servers to be started */

/* What the handler does: /hold waits to be let go, on the pool; /slow is made there at once; /big
 * and /endless likewise; /tagged has an ETag; all others are answered by the worker. */
static sem_t entered, leave;
static atomic_int calls; /* on the pool */

static bool is_slow(const char *path)
{
    return strncmp(path, "/hold", 5) == 0 || strncmp(path, "/slow", 5) == 0 ||
           strcmp(path, "/big") == 0 || strcmp(path, "/endless") == 0;
}

static void wait_for_leave(void)
{
    sem_post(&entered);
    while (sem_wait(&leave) != 0)
        ;
}

static void handle(void *context, const struct request *request, struct reply *out)
{
    (void)context;
    out->content_type = "text/plain; charset=utf-8";
    out->route = "/test";
    reply_header(out, "X-Test", "%d", request->can_defer);
    if (is_slow(request->path) && request->can_defer) {
        buf_text(&out->body, "not the reply");
        out->deferred = strstr(request->path, "/write") ? DEFER_WRITE : DEFER_COMPUTE;
        return;
    }
    if (is_slow(request->path))
        calls++;
    if (strncmp(request->path, "/hold", 5) == 0)
        wait_for_leave();
    for (int i = 0; strcmp(request->path, "/big") == 0 && i < 1000; i++)
        buf_print(&out->body, "%d;", i);
    if (strcmp(request->path, "/big") == 0)
        reply_header(out, "ETag", "\"big\"");
    while (strcmp(request->path, "/endless") == 0 && !out->body.full)
        buf_text(&out->body, "and so on and so forth and so on and so forth and so on; ");
    buf_print(&out->body, "%s %s?%s host=%s type=%s body=%s worker=%u id=%s", request->method_name,
              request->path, request->query, request->host, request->content_type, request->body,
              request->worker, request->id);
}

static struct server *start(unsigned workers, unsigned threads, size_t queue)
{
    struct err err = {0};

    calls = 0;
    pool = threads ? thread_pool_start(&(struct pool_options){threads, queue, 0}, &err) : NULL;
    struct server_options options = {.listen = "127.0.0.1:0",
                                     .workers = workers,
                                     .connections = 2000,
                                     .cors_origin = "*",
                                     .name = "gpuplan/test",
                                     .pool = pool,
                                     .clients = clients};

    return client_server(&options, handle);
}

static void stop(struct server *server)
{
    server_stop(server);
    thread_pool_stop(pool);
}

static int ask(const struct server *server, const char *path)
{
    return client_get(server_port(server), path, NULL);
}

static bool answered(int fd, const char *body)
{
    return client_read(fd, false, &reply) && reply.status == 200 &&
           strncmp(reply.body, body, strlen(body)) == 0;
}

static bool fast(const struct server *server)
{
    return client_ask(server_port(server), "GET /fast HTTP/1.1\r\nHost: h\r\n\r\n", &reply) &&
           reply.status == 200;
}

/* One worker: a client that held it up would hold up all others. */
static void test_others_go_on(void)
{
    struct server *server = start(1, 1, 4);
    int slow = ask(server, "/hold?a=b%20c"), kept = ask(server, "/fast"), n = 0;

    sem_wait(&entered);
    ok(answered(kept, "GET /fast"), "while a long answer is made another is given");
    for (int i = 0; i < 20; i++) {
        n += fast(server);
        client_print(kept, "GET /fast HTTP/1.1\r\nHost: h\r\n\r\n");
        n += answered(kept, "GET /fast");
    }
    ok(n == 40, "and 40 more, on connections new and old");
    struct pollfd on = {.fd = slow, .events = POLLIN};
    ok(poll(&on, 1, 0) == 0, "nothing is said to the one that waits");
    sem_post(&leave);
    ok(answered(slow, "GET /hold?a=b%20c host=h type= body= worker=1 id="),
       "then the long one comes, with what was asked: %s", reply.body);
    is_str(client_header(&reply, "X-Test"), "0", "of the first reply nothing is left");
    ok(strlen(client_header(&reply, "X-Request-Id")) == 32 &&
           strstr(reply.body, client_header(&reply, "X-Request-Id")),
       "both calls of the handler know it by one id");
    close(slow);
    close(kept);
    stop(server);
}

static void test_connection_lives_on(void)
{
    static const char traced[] =
        "POST /slow HTTP/1.1\r\nHost: h\r\nContent-Type: text/x\r\nContent-Length: 5\r\n"
        "traceparent: 00-0123456789abcdef0123456789abcdef-0123456789abcdef-01\r\n\r\n";
    struct server *server = start(1, 1, 4);
    int fd = ask(server, "/slow");

    ok(answered(fd, "GET /slow?"), "a long answer");
    client_print(fd, "GET /fast HTTP/1.1\r\nHost: h\r\n\r\n");
    ok(answered(fd, "GET /fast?"), "then a short one on the same connection");
    client_print(fd, "%s", traced);
    ok(client_print(fd, "he") && client_print(fd, "llo"), "a body in pieces");
    ok(answered(fd, "POST /slow? host=h type=text/x body=hello worker=1 "
                    "id=0123456789abcdef0123456789abcdef"),
       "a body and a trace come to the pool: %s", reply.body);
    client_print(fd, "HEAD /slow HTTP/1.1\r\nHost: h\r\n\r\n");
    ok(client_read(fd, true, &reply) && reply.status == 200, "a HEAD has its answer");
    ok(strtol(client_header(&reply, "Content-Length"), NULL, 10) > 50, "with the GET's length");
    client_print(fd,
                 "GET /slow/1 HTTP/1.1\r\nHost: h\r\n\r\nGET /fast/2 HTTP/1.1\r\nHost: h\r\n\r\n"
                 "GET /slow/3 HTTP/1.1\r\nHost: h\r\n\r\nGET /slow/4 HTTP/1.1\r\nHost: h\r\n\r\n"
                 "GET /fast/5 HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
    ok(answered(fd, "GET /slow/1?") && answered(fd, "GET /fast/2?") &&
           answered(fd, "GET /slow/3?") && answered(fd, "GET /slow/4?") &&
           answered(fd, "GET /fast/5?"),
       "requests sent in a row, long and short, are answered in that row");
    ok(client_closed(fd, 5), "then it ends, as was asked");
    close(fd);
    stop(server);
}

static void test_long_bodies(void)
{
    static char plain[8192];
    struct server *server = start(1, 2, 4);
    int fd = client_connect(server_port(server));

    client_print(fd, "GET /big HTTP/1.1\r\nHost: h\r\nAccept-Encoding: gzip\r\n\r\n");
    ok(client_read(fd, false, &reply) && reply.status == 200, "a big answer");
    is_str(client_header(&reply, "Content-Encoding"), "gzip", "is compressed");
    is_str(client_header(&reply, "ETag"), "\"big-gz\"", "and tagged so");
    z_stream stream = {.next_in = (Bytef *)reply.body,
                       .avail_in = (uInt)reply.body_length,
                       .next_out = (Bytef *)plain,
                       .avail_out = sizeof(plain) - 1};
    inflateInit2(&stream, 15 + 16);
    ok(inflate(&stream, Z_FINISH) == Z_STREAM_END && strncmp(plain, "0;1;2;3;", 8) == 0 &&
           strstr(plain, "999;GET /big?"),
       "and is what it was");
    inflateEnd(&stream);
    client_print(fd, "GET /big HTTP/1.1\r\nHost: h\r\n\r\n");
    ok(answered(fd, "0;1;2;3;") && !client_header(&reply, "Content-Encoding")[0],
       "plain for who wants it plain");
    client_print(fd, "GET /endless HTTP/1.1\r\nHost: h\r\nAccept-Encoding: gzip\r\n\r\n");
    ok(client_read(fd, false, &reply) && reply.status == 500 &&
           strstr(reply.body, "too long to send"),
       "what has no end is a fault of ours");
    close(fd);
    stop(server);
}

static void test_queue_full(void)
{
    static struct server_stats stats;
    struct server *server = start(1, 1, 1);
    int running = ask(server, "/hold/1");

    sem_wait(&entered);
    int waiting = ask(server, "/hold/2");
    ok(client_sees(server, 1, -1, -1), "one runs and one waits");
    int fd = ask(server, "/hold/3");
    ok(client_read(fd, false, &reply) && reply.status == 503, "a third is refused at once");
    is_str(client_header(&reply, "Content-Type"), "application/problem+json", "as a problem");
    is_str(client_header(&reply, "Retry-After"), "1", "to come back later");
    is_str(client_header(&reply, "Cache-Control"), "no-store", "and not for keeping");
    ok(strstr(reply.body, "\"type\": \"/problems/busy\"") &&
           strstr(reply.body, "too many long calculations"),
       "in words: %s", reply.body);
    client_print(fd, "GET /fast HTTP/1.1\r\nHost: h\r\n\r\n");
    ok(answered(fd, "GET /fast"), "what is short is answered, on the same connection");
    sem_post(&leave);
    sem_post(&leave);
    ok(answered(running, "GET /hold/1?") && answered(waiting, "GET /hold/2?"),
       "those let in are answered");
    sem_wait(&entered);
    server_get_stats(server, &stats);
    ok(stats.pool.refused == 1 && stats.pool.queued == 0 && calls == 2, "the counters agree");
    client_print(fd, "GET /slow HTTP/1.1\r\nHost: h\r\n\r\n");
    ok(answered(fd, "GET /slow"), "and now there is room again");
    close(fd);
    close(running);
    close(waiting);
    stop(server);
}

static int ask_for(const struct server *server, const char *client, const char *path)
{
    return client_get(server_port(server), path, client);
}

static void test_share_of_the_queue(void)
{
    clients =
        (struct client_limits_options){.most = {[CLIENT_CALCULATION] = 2}, .proxies = "127.0.0.1"};
    struct server *server = start(1, 1, 10);
    int first = ask_for(server, "192.0.2.1", "/hold/1");

    sem_wait(&entered);
    int second = ask_for(server, "192.0.2.1", "/hold/2");
    ok(client_sees(server, 1, -1, -1), "one of a client's runs and one waits");
    int third = ask_for(server, "192.0.2.1", "/hold/3");
    ok(client_read(third, false, &reply) && reply.status == 429 &&
           client_header(&reply, "Retry-After")[0],
       "a third is refused at once, though there is room");
    int other = ask_for(server, "192.0.2.2", "/hold/4");
    ok(client_sees(server, 2, -1, -1), "for others");
    for (int i = 0; i < 3; i++)
        sem_post(&leave);
    ok(answered(first, "GET /hold/1") && answered(second, "GET /hold/2") &&
           answered(other, "GET /hold/4"),
       "all that were taken are answered");
    client_print(third, "GET /slow HTTP/1.1\r\nHost: h\r\nX-Forwarded-For: 192.0.2.1\r\n\r\n");
    ok(answered(third, "GET /slow"), "and the client may ask again");
    close(first);
    close(second);
    close(third);
    close(other);
    while (sem_trywait(&entered) == 0)
        ;
    stop(server);
    clients = (struct client_limits_options){.proxies = NULL};
}

static void test_client_gone(void)
{
    struct server *server = start(1, 1, 8);
    int running = ask(server, "/hold"), closed = ask(server, "/slow"), cut = ask(server, "/slow");
    int stays = ask(server, "/slow/4");

    sem_wait(&entered);
    ok(client_sees(server, 3, 4, -1), "one long answer is made, three wait");
    client_reset(running);
    close(closed);
    client_reset(cut);
    ok(client_sees(server, 1, 2, -1),
       "those whose clients go are dropped, and their connections end");
    ok(client_sees(server, -1, -1, 3), "the one under way is told");
    ok(fast(server), "the others do not notice");
    sem_post(&leave);
    ok(answered(stays, "GET /slow/4?"), "who stays is answered");
    ok(calls == 2, "nothing was made for nobody: of two calls one was under way");
    close(stays);
    ok(client_sees(server, 0, 0, -1), "in the end all connections are gone");
    stop(server);
}

/* It cannot be told from one that has closed. */
static void test_half_closed(void)
{
    struct server *server = start(1, 1, 8);
    int half = ask(server, "/fast");

    shutdown(half, SHUT_WR);
    ok(answered(half, "GET /fast"), "who has only said all he had to say is answered at once");
    close(half);
    int held = ask(server, "/hold");
    sem_wait(&entered);
    half = ask(server, "/slow");
    ok(client_sees(server, 1, -1, -1), "a long answer has to wait");
    shutdown(half, SHUT_WR);
    ok(client_closed(half, 5), "then the connection ends without an answer");
    close(half);
    sem_post(&leave);
    ok(answered(held, "GET /hold"), "the other goes on");
    ok(calls == 1, "and the first was never begun");
    close(held);
    stop(server);
}

/* The thread that writes takes no notice: who sent a change may find it made. */
static void test_writing_goes_on(void)
{
    struct err err = {0};
    struct thread_pool *writer = thread_pool_start(&(struct pool_options){1, 8, 0}, &err);
    struct server_options options = {.listen = "127.0.0.1:0",
                                     .workers = 1,
                                     .connections = 100,
                                     .cors_origin = "*",
                                     .name = "gpuplan/test",
                                     .pool =
                                         thread_pool_start(&(struct pool_options){1, 8, 1}, &err),
                                     .writer = writer};
    struct server *server = client_server(&options, handle);

    calls = 0;
    int first = ask(server, "/hold/write"), second = ask(server, "/slow/write");
    sem_wait(&entered);
    close(first);
    close(second);
    ok(fast(server), "two changes were sent, and their clients are gone");
    sem_post(&leave);
    ok(client_sees(server, -1, 0, -1) && calls == 2, "both are made");
    server_stop(server);
    thread_pool_stop(options.pool);
    thread_pool_stop(writer);
}

static void *drain(void *server)
{
    return server_drain(server, 10) ? server : NULL;
}

static bool refused(unsigned port)
{
    for (int i = 0; i < 1000; poll(NULL, 0, 5), i++) {
        int fd = client_connect(port);
        if (fd < 0)
            return true;
        close(fd);
    }
    return false;
}

static void test_drain(void)
{
    struct server *server = start(2, 1, 4);
    int held = ask(server, "/hold");
    pthread_t thread;
    void *all_gone;

    sem_wait(&entered);
    int waiting = ask(server, "/slow");
    ok(client_sees(server, 1, -1, -1), "one long answer is made, one waits");
    pthread_create(&thread, NULL, drain, server);
    ok(refused(server_port(server)), "the door is closed");
    ok(pthread_tryjoin_np(thread, &all_gone) != 0, "but the drain is not over");
    sem_post(&leave);
    ok(answered(held, "GET /hold"), "who was inside is answered");
    is_str(client_header(&reply, "Connection"), "close", "and asked to go");
    ok(answered(waiting, "GET /slow"), "so is who was waiting");
    pthread_join(thread, &all_gone);
    ok(all_gone, "then the drain is over");
    close(held);
    close(waiting);
    stop(server);
}

static void *stop_server(void *server)
{
    server_stop(server);
    return NULL;
}

/* The end does not wait for clients, but for the handler it must: that reads what they sent. */
static void test_stop_at_work(void)
{
    struct server *server = start(1, 1, 4);
    int held = ask(server, "/hold"), waiting;
    pthread_t thread;

    sem_wait(&entered);
    waiting = ask(server, "/slow");
    ok(client_sees(server, 1, -1, -1), "one long answer is made, one waits");
    ok(!server_drain(server, 0.2), "neither ends in time");
    pthread_create(&thread, NULL, stop_server, server);
    while (!server->stopping)
        poll(NULL, 0, 1);
    ok(pthread_tryjoin_np(thread, NULL) != 0, "the server cannot end while one is made");
    sem_post(&leave);
    pthread_join(thread, NULL);
    ok(client_closed(held, 5) && client_closed(waiting, 5), "the server ends, both are cut");
    ok(calls == 1, "and nothing new was begun");
    close(held);
    close(waiting);
    thread_pool_stop(pool);
}

struct crowd {
    const struct server *server;
    unsigned number;
    int good;
};

enum { CROWD = 8, ROUNDS = 25, BATCH = 8 };

/* Each sends a batch on a connection of its own before it reads any of it. */
static void *crowd(void *cls)
{
    struct crowd *me = cls;
    struct client_reply *mine = calloc(1, sizeof(*mine));
    char path[64];

    for (int round = 0; round < ROUNDS; round++) {
        int fds[BATCH];
        for (int i = 0; i < BATCH; i++) {
            snprintf(path, sizeof(path), "/slow/%u/%d/%d", me->number, round, i);
            fds[i] = ask(me->server, path);
        }
        for (int i = 0; i < BATCH; i++) {
            snprintf(path, sizeof(path), "GET /slow/%u/%d/%d?", me->number, round, i);
            me->good += client_read(fds[i], false, mine) && mine->status == 200 &&
                        strncmp(mine->body, path, strlen(path)) == 0;
            close(fds[i]);
        }
    }
    free(mine);
    return NULL;
}

static void test_many(void)
{
    struct server *server = start(2, 3, CROWD * BATCH);
    struct crowd crowds[CROWD];
    pthread_t threads[CROWD];
    int good = 0;

    for (unsigned i = 0; i < CROWD; i++) {
        crowds[i] = (struct crowd){server, i, 0};
        pthread_create(&threads[i], NULL, crowd, &crowds[i]);
    }
    for (unsigned i = 0; i < CROWD; i++) {
        pthread_join(threads[i], NULL);
        good += crowds[i].good;
    }
    ok(good == CROWD * ROUNDS * BATCH, "%d long answers, many at a time, each to who asked", good);
    ok(calls == good && client_sees(server, 0, 0, -1), "and each was made once");
    stop(server);
}

static void test_without_pool(void)
{
    struct server *server = start(1, 0, 0);
    int fd = ask(server, "/slow");

    ok(answered(fd, "GET /slow? host=h type= body= worker=0"), "without a pool nothing is put off");
    close(fd);
    stop(server);
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    sem_init(&entered, 0, 0);
    sem_init(&leave, 0, 0);
    test_others_go_on();
    test_connection_lives_on();
    test_long_bodies();
    test_queue_full();
    test_share_of_the_queue();
    test_client_gone();
    test_half_closed();
    test_writing_goes_on();
    test_drain();
    test_stop_at_work();
    test_many();
    test_without_pool();
    return tap_done();
}
