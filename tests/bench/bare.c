/* bare.c - the least that a server over libmicrohttpd can do, to measure ours against: whatever is
 * asked, the answer is the one in a file, a reply as a client got it.
 *
 *     bare MODE FILE    prints its port and serves on 127.0.0.1 until it is ended
 *
 * MODE is made: one response made at the start and queued for every request, the loop is ours, all
 * else the library's; each: the response is made anew for every request, as must be where a header
 * differs; layer: service/http with a handler that does nothing. All have a worker per core. */
#include "base/buf.h"
#include "base/arena.h"
#include "http/listen.h"
#include "http/server.h"

#include <microhttpd.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { HEADERS_MAX = 32, REPLY_MAX = 64 * 1024 * 1024, WORKERS_MAX = 256, WAIT_MS = 1000 };

/* The reply in the file. */
static struct {
    unsigned status;
    const char *names[HEADERS_MAX], *values[HEADERS_MAX], *type;
    size_t n;
    struct buf body;
} model;

static bool fail(const char *what)
{
    fprintf(stderr, "bare: %s\n", what);
    exit(1);
}

/* What the library and, in its mode, service/http write by themselves. */
static bool is_added(const char *name, bool layer)
{
    static const char *const library[] = {"Date", "Content-Length", "Connection"};
    static const char *const ours[] = {"Server", "X-Request-Id", "X-Content-Type-Options",
                                       "Access-Control-Allow-Origin",
                                       "Access-Control-Expose-Headers"};

    for (size_t i = 0; i < sizeof(library) / sizeof(library[0]); i++)
        if (strcasecmp(name, library[i]) == 0)
            return true;
    for (size_t i = 0; layer && i < sizeof(ours) / sizeof(ours[0]); i++)
        if (strcasecmp(name, ours[i]) == 0)
            return true;
    return false;
}

static void read_model(const char *path, bool layer)
{
    static struct buf text;
    char piece[4096];
    size_t n;
    FILE *in = fopen(path, "rb");

    if (!in)
        fail("there is no such file");
    buf_init(&text, REPLY_MAX);
    while ((n = fread(piece, 1, sizeof(piece), in)) > 0)
        buf_add(&text, piece, n);
    fclose(in);
    char *end = strstr(text.data, "\r\n\r\n"), *line = strstr(text.data, "\r\n");
    if (!end || strncmp(text.data, "HTTP/1.1 ", 9) != 0)
        fail("the file holds no reply");
    model.status = (unsigned)strtoul(text.data + 9, NULL, 10);
    *end = '\0';
    while (line && model.n < HEADERS_MAX) {
        char *name = line + 2, *colon = strstr(name, ": ");
        line = strstr(name, "\r\n");
        if (line)
            *line = '\0';
        *colon = '\0';
        if (is_added(name, layer))
            continue;
        model.names[model.n] = name;
        model.values[model.n++] = colon + 2;
    }
    buf_init(&model.body, REPLY_MAX);
    buf_add(&model.body, end + 4, text.length - (size_t)(end + 4 - text.data));
}

static struct MHD_Response *make(void)
{
    struct MHD_Response *response =
        MHD_create_response_from_buffer(model.body.length, model.body.data, MHD_RESPMEM_PERSISTENT);

    for (size_t i = 0; i < model.n; i++)
        MHD_add_response_header(response, model.names[i], model.values[i]);
    return response;
}

/* To answer the first call would end the connection. */
static enum MHD_Result answer(void *made, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *data,
                              size_t *size, void **seen)
{
    struct MHD_Response *response = made;

    (void)url;
    (void)method;
    (void)version;
    (void)data;
    if (!*seen || *size) {
        *seen = &model;
        *size = 0;
        return MHD_YES;
    }
    if (!made)
        response = make();
    enum MHD_Result queued = MHD_queue_response(connection, model.status, response);
    if (!made)
        MHD_destroy_response(response);
    return queued;
}

/* As http/server.c does it. */
static void *work(void *cls)
{
    struct MHD_Daemon *daemon = cls;
    struct pollfd on = {MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd, POLLIN, 0};

    for (;;) {
        MHD_UNSIGNED_LONG_LONG wanted;
        int ms = WAIT_MS;
        if (MHD_get_timeout(daemon, &wanted) == MHD_YES && wanted < WAIT_MS)
            ms = (int)wanted;
        if (ms)
            poll(&on, 1, ms);
        MHD_run(daemon);
    }
    return NULL;
}

/* A response for each worker, as nothing of it is shared in our server. */
static unsigned serve_bare(bool each, unsigned n)
{
    struct address address;
    int sockets[WORKERS_MAX];
    struct err err = {0};

    if (!listen_parse(&address, "127.0.0.1:0", &err) || !listen_open(&address, sockets, n, &err))
        fail(err.text);
    for (unsigned i = 0; i < n; i++) {
        pthread_t thread;
        struct MHD_Daemon *daemon = MHD_start_daemon(
            MHD_USE_EPOLL, 0, NULL, NULL, answer, each ? NULL : make(), MHD_OPTION_LISTEN_SOCKET,
            sockets[i], MHD_OPTION_CONNECTION_LIMIT, 4096U, MHD_OPTION_CONNECTION_TIMEOUT, 30U,
            MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)24 * 1024,
            MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, MHD_OPTION_END);
        if (!daemon || pthread_create(&thread, NULL, work, daemon) != 0)
            fail("a worker does not start");
    }
    return address.port;
}

static void handle(void *context, const struct request *request, struct reply *reply)
{
    (void)context;
    (void)request;
    reply->status = (int)model.status;
    for (size_t i = 0; i < model.n; i++)
        if (strcasecmp(model.names[i], "Content-Type") == 0)
            reply->content_type = model.values[i];
        else
            reply_header(reply, model.names[i], "%s", model.values[i]);
    reply->lasting = &model.body;
}

static unsigned serve_layer(unsigned n)
{
    struct server_options options = {.listen = "127.0.0.1:0",
                                     .workers = n,
                                     .connections = 4096,
                                     .cors_origin = "*",
                                     .name = "bare",
                                     .client_s = 60};
    struct err err = {0};
    struct server *server = server_start(&options, handle, NULL, &err);

    if (!server)
        fail(err.text);
    return server_port(server);
}

int main(int argc, char **argv)
{
    if (argc != 3)
        fail("usage: bare made|each|layer FILE");
    unsigned n = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
    bool layer = strcmp(argv[1], "layer") == 0;

    signal(SIGPIPE, SIG_IGN);
    read_model(argv[2], layer);
    printf("%u\n", layer ? serve_layer(n) : serve_bare(strcmp(argv[1], "each") == 0, n));
    fflush(stdout);
    for (;;)
        pause();
}
