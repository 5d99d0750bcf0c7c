/* http_limits_test.c - clients that are slow, many, fast, or take no answer: what ends them, and
 * that it ends nobody else. */
#include "http/server.h"
#include "http_client.h"
#include "tap.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BIG = 8 << 20 };

static struct client_reply reply;

static void handle(void *context, const struct request *request, struct reply *out)
{
    (void)context;
    out->content_type = "application/octet-stream";
    if (strcmp(request->path, "/big") == 0)
        while (out->body.length < BIG)
            buf_text(&out->body, "and so on and so forth and so on and so forth and so on; ");
    else
        buf_text(&out->body, "small");
}

static struct server *start(struct server_options options)
{

    options.listen = "127.0.0.1:0";
    options.workers = 1;
    options.connections = 200;
    options.cors_origin = "";
    options.name = "gpuplan/test";

    return client_server(&options, handle);
}

static const char get[] = "GET /x HTTP/1.1\r\nHost: h\r\n\r\n";
static const char get_big[] = "GET /big HTTP/1.1\r\nHost: h\r\n\r\n";

/* Send a byte whenever a tenth of a second has passed without the other side closing: never silent
 * for long, never done. False where it would have been let go on for ever. */
static bool drip(int fd, char byte)
{
    for (int i = 0; i < 300; i++) {
        if (client_closed(fd, 0.1))
            return true;
        if (!client_send(fd, &byte, 1))
            return true;
    }
    return false;
}

static void test_slow_senders(void)
{
    static const struct {
        const char *name, *start;
    } slow[] = {
        {"an address that never ends", "GET /"},
        {"a header that never ends", "GET /x HTTP/1.1\r\nHost: h\r\nX: "},
        {"a body that never ends", "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 9999\r\n\r\n"},
        {"the second request of a connection",
         "GET /x HTTP/1.1\r\nHost: h\r\n\r\nGET /x HTTP/1.1\r\nX: "},
    };
    struct server *server = start((struct server_options){.client_s = 1});

    for (size_t i = 0; i < sizeof(slow) / sizeof(slow[0]); i++) {
        int fd = client_connect(server_port(server));
        client_print(fd, "%s", slow[i].start);
        if (strstr(slow[i].start, "\r\n\r\nGET"))
            client_read(fd, false, &reply);
        ok(drip(fd, 'a'), "%s is cut off", slow[i].name);
        ok(client_ask(server_port(server), get, &reply) && reply.status == 200, "others go on");
        close(fd);
    }
    server_stop(server);
}

/* The answer stays where it is until its time is up; then the rest of it never comes. */
static void test_slow_taker(void)
{
    struct server *server = start((struct server_options){.client_s = 1});
    int fd = client_connect(server_port(server));
    struct server_stats *stats = calloc(1, sizeof(*stats));
    struct pollfd nothing = {.fd = -1};

    client_send(fd, get_big, sizeof(get_big) - 1);
    server_get_stats(server, stats);
    for (int i = 0; i < 1000 && (stats->connections || !stats->requests); i++) {
        poll(&nothing, 1, 10);
        server_get_stats(server, stats);
    }
    ok(stats->requests == 1 && stats->connections == 0, "who takes no answer is cut off");
    ok(!client_read(fd, false, &reply), "and does not get it whole");
    close(fd);
    free(stats);
    server_stop(server);
}

static void test_answers_not_taken(void)
{
    struct server *server = start((struct server_options){.answers_bytes = 3 * BIG});
    unsigned port = server_port(server);
    int fds[20], refused = 0, waiting = 0;

    for (int i = 0; i < 20; i++) {
        fds[i] = client_connect(port);
        client_send(fds[i], get_big, sizeof(get_big) - 1);
        char first[13] = "";
        ok(recv(fds[i], first, 12, MSG_WAITALL) == 12, "answer %d begins", i);
        refused += strcmp(first, "HTTP/1.1 503") == 0;
        waiting += strcmp(first, "HTTP/1.1 200") == 0;
    }
    ok(waiting >= 1 && waiting <= 3, "%d answers fill the memory there is for them", waiting);
    ok(refused == 20 - waiting, "and the others are refused");
    ok(client_ask(port, get, &reply) && reply.status == 200, "small answers are still given");
    ok(client_ask(port, get_big, &reply) && reply.status == 503 &&
           strstr(reply.body, "/problems/busy"),
       "a big one is a 503");
    is_str(client_header(&reply, "Retry-After"), "1", "that says when to ask again");
    for (int i = 0; i < 20; i++)
        close(fds[i]);
    bool again = false;
    struct pollfd nothing = {.fd = -1};
    for (int i = 0; i < 1000 && !again; i++) {
        int fd = client_connect(port);
        char first[13] = "";
        client_send(fd, get_big, sizeof(get_big) - 1);
        again = recv(fd, first, 12, MSG_WAITALL) == 12 && strcmp(first, "HTTP/1.1 200") == 0;
        close(fd);
        poll(&nothing, 1, 10);
    }
    ok(again, "once those are gone there is room again");
    server_stop(server);
}

static void test_connections(void)
{
    struct server *server = start((struct server_options){.clients = {.most = {5}}});
    unsigned port = server_port(server);
    int fds[5];

    for (int i = 0; i < 5; i++) {
        fds[i] = client_connect(port);
        client_send(fds[i], get, sizeof(get) - 1);
        ok(client_read(fds[i], false, &reply) && reply.status == 200, "connection %d", i);
    }
    int more = client_connect(port);
    ok(client_closed(more, 5), "the sixth of an address is closed at once");
    close(more);
    close(fds[0]);
    bool again = false;
    for (int i = 0; i < 1000 && !again; i++)
        again = client_ask(port, get, &reply);
    ok(again, "when one ends another may come");
    for (int i = 1; i < 5; i++)
        close(fds[i]);
    server_stop(server);
}

static int ask_often(unsigned port, const char *forwarded_for, int times)
{
    char request[200];
    int granted = 0;

    snprintf(request, sizeof(request), "GET /x HTTP/1.1\r\nHost: h\r\n%s\r\n", forwarded_for);
    for (int i = 0; i < times; i++)
        granted += client_ask(port, request, &reply) && reply.status == 200;
    return granted;
}

static void test_rate(void)
{
    struct server *server = start((struct server_options){.clients = {.rate = 0.1}});
    unsigned port = server_port(server);

    ok(ask_often(port, "", 10) == 3, "half a minute's worth is granted at once");
    ok(reply.status == 429 && strstr(reply.body, "/problems/rate-limited"), "then it is a 429");
    double wait = strtod(client_header(&reply, "Retry-After"), NULL);
    ok(wait >= 1 && wait <= 10, "with the seconds to wait: %g", wait);
    ok(ask_often(port, "X-Forwarded-For: 192.0.2.7\r\n", 3) == 0, "whatever the client says it is");
    ok(client_ask(port, "OPTIONS /x HTTP/1.1\r\nHost: h\r\n\r\n", &reply) && reply.status == 204,
       "a browser may still ask what it may");
    server_stop(server);

    server = start((struct server_options){.clients = {.rate = 0.1, .proxies = "127.0.0.1"}});
    port = server_port(server);
    ok(ask_often(port, "", 10) == 10, "a trusted proxy has no bound itself");
    ok(ask_often(port, "X-Forwarded-For: 192.0.2.7\r\n", 10) == 3, "but its clients have");
    ok(ask_often(port, "X-Forwarded-For: 192.0.2.8\r\n", 2) == 2, "each its own");
    ok(ask_often(port, "X-Forwarded-For: 192.0.2.9\r\nX-Forwarded-For: 192.0.2.7\r\n", 2) == 0,
       "of two lines the one the proxy added counts");
    server_stop(server);
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    test_slow_senders();
    test_slow_taker();
    test_answers_not_taken();
    test_connections();
    test_rate();
    return tap_done();
}
