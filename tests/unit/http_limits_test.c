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

enum { BIG = 8 << 20, USUAL = 60 * 1024 };

static struct client_reply reply;

static void handle(void *context, const struct request *request, struct reply *out)
{
    static char piece[64 * 1024]; /* there is one worker */

    (void)context;
    out->content_type = "application/octet-stream";
    if (strcmp(request->path, "/text") == 0)
        out->content_type = "text/plain";
    if (strcmp(request->path, "/big") == 0 || strcmp(request->path, "/text") == 0) {
        /* In long pieces: a sanitizer takes as long for each as for its bytes. */
        memset(piece, 'b', sizeof(piece));
        while (out->body.length < BIG)
            buf_add(&out->body, piece, sizeof(piece));
    } else if (strcmp(request->path, "/usual") == 0)
        while (out->body.length < USUAL)
            buf_char(&out->body, 'u');
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

/* Whether the server comes to have no connection. */
static bool is_left_alone(struct server *server)
{
    struct server_stats *stats = calloc(1, sizeof(*stats));
    struct pollfd nothing = {.fd = -1};

    server_get_stats(server, stats);
    for (int i = 0; i < 3000 && stats->connections; i++) {
        poll(&nothing, 1, 10);
        server_get_stats(server, stats);
    }
    bool alone = stats->connections == 0;
    free(stats);
    return alone;
}

/* Ask from an address and read the status alone; the connection stays open. */
static int begin(unsigned port, const char *from, const char *request, int *fd)
{
    char first[13] = "";

    *fd = client_connect_from(port, from);
    return client_send(*fd, request, strlen(request)) && recv(*fd, first, 12, MSG_WAITALL) == 12
               ? (int)strtol(first + 9, NULL, 10)
               : 0;
}

enum { CROWD = 20, EACH = 4, POOL = 17 * BIG }; /* a quarter of it is EACH answers and a bit */

struct crowd {
    int fds[CROWD], granted, refused;
};

/* One address asks for big answers and reads none. */
static struct crowd crowd_begin(unsigned port, const char *from, int n)
{
    struct crowd crowd = {0};

    for (int i = 0; i < n; i++) {
        int status = begin(port, from, get_big, &crowd.fds[i]);
        crowd.granted += status == 200;
        crowd.refused += status == 429;
    }
    return crowd;
}

static void crowd_end(const struct crowd *crowd, int n)
{
    for (int i = 0; i < n; i++)
        close(crowd->fds[i]);
}

static void ask_from(unsigned port, const char *from, const char *request)
{
    int fd = client_connect_from(port, from);

    if (!client_send(fd, request, strlen(request)) || !client_read(fd, false, &reply))
        reply.status = 0;
    close(fd);
}

static void test_share_of_one(void)
{
    struct server *server = start((struct server_options){.clients = {.answers_bytes = POOL}});
    unsigned port = server_port(server);
    struct crowd crowd = crowd_begin(port, "127.0.0.2", CROWD);
    int fd;

    ok(crowd.granted == EACH && crowd.refused == CROWD - EACH,
       "of %d answers of one client %d may wait, %d are refused", CROWD, crowd.granted,
       crowd.refused);
    ask_from(port, "127.0.0.2", get_big);
    ok(reply.status == 429 && strstr(reply.body, "/problems/rate-limited") &&
           strstr(reply.body, "read them"),
       "it is told to read what it has");
    is_str(client_header(&reply, "Retry-After"), "1", "and when to ask again");
    ask_from(port, "127.0.0.2", "GET /usual HTTP/1.1\r\nHost: h\r\n\r\n");
    ok(reply.status == 200 && reply.body_length == USUAL, "usual answers are given even so");
    ask_from(port, "127.0.0.2", "GET /text HTTP/1.1\r\nHost: h\r\nAccept-Encoding: gzip\r\n\r\n");
    ok(reply.status == 200 && reply.body_length < USUAL, "and one that is compressed to as little");
    ok(begin(port, "127.0.0.1", get_big, &fd) == 200, "another client gets a big one too");
    close(fd);
    crowd_end(&crowd, CROWD);
    server_stop(server);
}

/* What waits is never all there is, but what is left gets less with each address. */
static void test_shares_of_many(void)
{
    struct server *server = start((struct server_options){.clients = {.answers_bytes = POOL}});
    unsigned port = server_port(server);
    struct crowd crowds[8];
    char from[32];
    int granted = 0;

    for (int i = 0; i < 8; i++) {
        snprintf(from, sizeof(from), "127.0.1.%d", i + 1);
        crowds[i] = crowd_begin(port, from, EACH + 1);
        granted += crowds[i].granted;
    }
    ok(crowds[0].granted == EACH && crowds[1].granted == 3 && crowds[2].granted == 2,
       "the later the fewer: %d, %d, %d", crowds[0].granted, crowds[1].granted, crowds[2].granted);
    ok(granted < 17, "and never all: %d", granted);
    ask_from(port, "127.0.0.1", get_big);
    ok(reply.status == 503 && strstr(reply.body, "/problems/busy"), "a big one is a 503 then");
    is_str(client_header(&reply, "Retry-After"), "1", "that says when to ask again");
    ask_from(port, "127.0.0.1", "GET /usual HTTP/1.1\r\nHost: h\r\n\r\n");
    ok(reply.status == 200, "usual answers are given even so");
    for (int i = 0; i < 8; i++)
        crowd_end(&crowds[i], EACH + 1);
    server_stop(server);
}

static void test_longer_than_a_share(void)
{
    struct server *server = start((struct server_options){.clients = {.answers_bytes = 3 * BIG}});

    ok(client_ask(server_port(server), get_big, &reply) && reply.status == 503 &&
           strstr(reply.body, "larger than allowed per client"),
       "what no client may have is refused, and said to be too long");
    is_str(client_header(&reply, "Retry-After"), "", "which no waiting changes");
    server_stop(server);
}

static void reset_all(const struct crowd *crowd)
{
    struct linger now = {.l_onoff = 1};

    for (int i = 0; i < EACH; i++)
        setsockopt(crowd->fds[i], SOL_SOCKET, SO_LINGER, &now, sizeof(now));
    crowd_end(crowd, EACH);
}

static void close_all(const struct crowd *crowd)
{
    crowd_end(crowd, EACH);
}

static void close_half_read(const struct crowd *crowd)
{
    static char half[BIG / 2];

    for (int i = 0; i < EACH; i++)
        recv(crowd->fds[i], half, sizeof(half), MSG_WAITALL);
    crowd_end(crowd, EACH);
}

static void wait_for_the_cut(const struct crowd *crowd)
{
    (void)crowd;
}

/* However an answer ends, its client's share is as large as before, and no larger. */
static void test_given_back(void)
{
    static const struct {
        const char *name;
        void (*end)(const struct crowd *crowd);
    } ways[] = {{"closed", close_all},
                {"reset", reset_all},
                {"closed in the middle of the answer", close_half_read},
                {"cut for their slowness", wait_for_the_cut}};

    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        bool cut = ways[i].end == wait_for_the_cut;
        struct server *server = start(
            (struct server_options){.client_s = cut ? 1 : 0, .clients = {.answers_bytes = POOL}});
        struct crowd before = crowd_begin(server_port(server), "127.0.0.2", EACH);
        ways[i].end(&before);
        ok(before.granted == EACH && is_left_alone(server), "connections that are %s",
           ways[i].name);
        struct crowd after = crowd_begin(server_port(server), "127.0.0.2", EACH + 1);
        /* Where the test is slow, the first of these has been cut as well. */
        ok(after.granted == EACH || (cut && after.granted > EACH), "give back what they held: %d",
           after.granted);
        if (cut)
            close_all(&before);
        crowd_end(&after, EACH + 1);
        server_stop(server);
    }
}

/* The rest of an answer of which the status was read, and nothing of what follows it. */
static bool read_rest(int fd)
{
    char head[1000] = "", some[1 << 16];
    size_t n = 0;

    while (n < sizeof(head) - 1 && !strstr(head, "\r\n\r\n") && recv(fd, head + n, 1, 0) == 1)
        n++;
    const char *length = strstr(head, "Content-Length: ");
    size_t left = length ? strtoul(length + strlen("Content-Length: "), NULL, 10) : 0;
    ssize_t got = 1;
    for (; left && got > 0; left -= (size_t)got)
        got = recv(fd, some, left < sizeof(some) ? left : sizeof(some), 0);
    return length && got > 0;
}

static void test_given_back_by_reading(void)
{
    struct server *server = start((struct server_options){.clients = {.answers_bytes = POOL}});
    struct crowd crowd = crowd_begin(server_port(server), "127.0.0.2", EACH);
    char first[13] = "";
    int again = 0;

    for (int i = 0; i < EACH; i++)
        ok(read_rest(crowd.fds[i]), "answer %d is read", i);
    for (int i = 0; i < EACH; i++)
        again += client_send(crowd.fds[i], get_big, sizeof(get_big) - 1) &&
                 recv(crowd.fds[i], first, 12, MSG_WAITALL) == 12 &&
                 strcmp(first, "HTTP/1.1 200") == 0;
    ok(again == EACH, "then the same connections get %d more", again);
    crowd_end(&crowd, EACH);
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
    test_share_of_one();
    test_shares_of_many();
    test_longer_than_a_share();
    test_given_back();
    test_given_back_by_reading();
    test_connections();
    test_rate();
    return tap_done();
}
