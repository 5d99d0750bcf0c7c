/* http_server_test.c - the server on real sockets: many ready connections at once, limits, drain.
 */
#include "http/server.h"
#include "http_client.h"
#include "tap.h"

#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static struct client_reply reply;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* A handler that can be held back. */
static struct stage {
    sem_t entered, leave;
} stage;

static void handle(void *context, const struct request *request, struct reply *out)
{
    (void)context;
    out->content_type = "text/plain; charset=utf-8";
    out->route = "/test";
    if (strcmp(request->path, "/hold") == 0) {
        sem_post(&stage.entered);
        while (sem_wait(&stage.leave) != 0)
            ;
    }
    buf_print(&out->body, "body=%zu", request->body_length);
}

static struct server *start(unsigned workers)
{
    struct server_options options = {.listen = "127.0.0.1:0",
                                     .workers = workers,
                                     .connections = 2000,
                                     .cors_origin = "*",
                                     .name = "gpuplan/test"};

    return client_server(&options, handle);
}

static const char get[] = "GET /x HTTP/1.1\r\nHost: h\r\n\r\n";

/* With the only worker held inside a handler, n connections get ready; the library's own loop would
 * not wake up again for multiples of 128. */
static void test_ready_at_once(struct server *server, size_t n)
{
    int *fds = calloc(n, sizeof(*fds));
    int holder = client_connect(server_port(server));
    size_t answered = 0;

    for (size_t i = 0; i < n; i++) {
        fds[i] = client_connect(server_port(server));
        client_send(fds[i], get, sizeof(get) - 1);
        answered += client_read(fds[i], false, &reply) && reply.status == 200;
    }
    ok(answered == n, "%zu connections are open and answered once", n);
    client_print(holder, "GET /hold HTTP/1.1\r\nHost: h\r\n\r\n");
    sem_wait(&stage.entered);
    for (size_t i = 0; i < n; i++)
        client_send(fds[i], get, sizeof(get) - 1);
    sem_post(&stage.leave);
    answered = 0;
    for (size_t i = 0; i < n; i++) {
        answered += client_read(fds[i], false, &reply) && reply.status == 200;
        close(fds[i]);
    }
    ok(answered == n, "exactly %zu ready at once: all are answered (%zu)", n, answered);
    ok(client_read(holder, false, &reply) && reply.status == 200, "and so is the one that held");
    close(holder);
    free(fds);
}

static void test_stats(struct server *server)
{
    static struct server_stats before, after;
    int fd = client_connect(server_port(server));

    client_send(fd, get, sizeof(get) - 1);
    client_read(fd, false, &reply);
    server_get_stats(server, &before);
    ok(before.connections >= 1, "a connection is counted");
    for (int i = 0; i < 3; i++) {
        client_send(fd, get, sizeof(get) - 1);
        client_read(fd, false, &reply);
    }
    server_get_stats(server, &after);
    ok(after.requests - before.requests == 3, "so is each request");
    uint64_t summed = 0;
    for (size_t i = 0; i < after.n_counts; i++)
        summed += after.counts[i].requests;
    ok(summed == after.requests, "and the labels sum to all of them");
    ok(after.buckets[SERVER_BUCKETS - 1] <= after.requests, "a bucket holds no more than all");
    close(fd);
}

/* One worker of two is held in its handler. */
static void test_turns(void)
{
    struct server *server = start(2);
    int held = client_connect(server_port(server));
    bool turned = false;

    client_print(held, "GET /hold HTTP/1.1\r\nHost: h\r\n\r\n");
    sem_wait(&stage.entered);
    server_turns(server);
    ok(!server_turns(server), "a worker that is held does not come round");
    sem_post(&stage.leave);
    ok(client_read(held, false, &reply) && reply.status == 200, "let go, it answers");
    for (double end = now() + 10; !turned && now() < end; poll(NULL, 0, 1100))
        turned = server_turns(server);
    ok(turned, "and comes round, as the idle one does");
    close(held);
    server_stop(server);
}

static void test_slow_and_idle(unsigned port)
{
    enum { IDLE = 200 };
    int fds[IDLE];

    for (int i = 0; i < IDLE; i++) {
        fds[i] = client_connect(port);
        if (i % 2)
            client_print(fds[i], "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nab");
    }
    double before = now();
    int answered = 0;
    for (int i = 0; i < 50; i++)
        answered += client_ask(port, get, &reply) && reply.status == 200;
    double seconds = now() - before;
    ok(answered == 50 && seconds < 5, "with %d idle and half-sent ones open: 50 answers in %.2f s",
       IDLE, seconds);
    client_print(fds[1], "cdefghi");
    ok(client_read(fds[1], false, &reply) && strstr(reply.body, "body=9"),
       "a slow one is answered when it is done");
    for (int i = 0; i < IDLE; i++)
        close(fds[i]);
}

static void test_taken_port(unsigned port)
{
    char address[32];
    struct server_options options = {.listen = address,
                                     .workers = 2,
                                     .connections = 100,
                                     .cors_origin = "*",
                                     .name = "gpuplan/test"};
    struct err err = {0};

    snprintf(address, sizeof(address), "127.0.0.1:%u", port);
    ok(!server_start(&options, handle, NULL, &err), "a second server on the port is refused");
    ok(strstr(err.text, address), "and the message names the address: %s", err.text);
    options.listen = "nonsense";
    ok(!server_start(&options, handle, NULL, &err), "an address without a port is refused");
    options.listen = "127.0.0.1:99999";
    ok(!server_start(&options, handle, NULL, &err), "so is a port that is none");
}

static void *drain(void *server)
{
    return server_drain(server, 10) ? server : NULL;
}

/* Whether new connections are refused, soon. */
static bool refused(unsigned port)
{
    for (double end = now() + 5; now() < end; poll(NULL, 0, 5)) {
        int fd = client_connect(port);
        if (fd < 0)
            return true;
        close(fd);
    }
    return false;
}

static void test_drain(void)
{
    struct server *server = start(2);
    unsigned port = server_port(server);
    int held = client_connect(port), old = client_connect(port);
    pthread_t thread;
    void *all_gone;

    client_send(old, get, sizeof(get) - 1);
    ok(client_read(old, false, &reply) && !client_header(&reply, "Connection")[0],
       "before the drain connections are kept");
    client_print(held, "GET /hold HTTP/1.1\r\nHost: h\r\n\r\n");
    sem_wait(&stage.entered);
    pthread_create(&thread, NULL, drain, server);
    sem_post(&stage.leave);
    ok(client_read(held, false, &reply) && reply.status == 200, "who was asking is answered");
    ok(refused(port), "nobody new gets in");
    client_send(old, get, sizeof(get) - 1);
    ok(client_read(old, false, &reply) && reply.status == 200, "who was there is answered");
    is_str(client_header(&reply, "Connection"), "close", "and asked to go");
    ok(client_closed(old, 5), "and gone");
    pthread_join(thread, &all_gone);
    ok(all_gone, "then the drain is over");
    close(held);
    close(old);
    server_stop(server);
}

static void test_drain_of_idlers(void)
{
    struct server *server = start(2);
    int idle[8], half = client_connect(server_port(server));

    for (int i = 0; i < 8; i++) {
        idle[i] = client_connect(server_port(server));
        client_send(idle[i], get, sizeof(get) - 1);
        client_read(idle[i], false, &reply);
    }
    double before = now();
    ok(server_drain(server, 10), "clients that only keep their connections open are ended");
    ok(now() - before < 5, "after %.1f s", now() - before);
    for (int i = 0; i < 8; i++)
        close(idle[i]);
    close(half);
    server_stop(server);
}

static void test_drain_runs_out(void)
{
    struct server *server = start(1);
    int slow = client_connect(server_port(server));

    client_print(slow, "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nab");
    client_ask(server_port(server), get, &reply);
    double before = now();
    ok(!server_drain(server, 0.5), "a request that never ends does not hold up the end");
    ok(now() - before < 3, "after %.1f s", now() - before);
    server_stop(server);
    ok(client_closed(slow, 5), "its connection is cut");
    close(slow);
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    sem_init(&stage.entered, 0, 0);
    sem_init(&stage.leave, 0, 0);
    struct server *one = start(1);
    test_ready_at_once(one, 127);
    test_ready_at_once(one, 128);
    test_ready_at_once(one, 256);
    server_stop(one);
    struct server *server = start(2);
    test_stats(server);
    test_slow_and_idle(server_port(server));
    test_taken_port(server_port(server));
    server_stop(server);
    test_turns();
    test_drain();
    test_drain_of_idlers();
    test_drain_runs_out();
    return tap_done();
}
