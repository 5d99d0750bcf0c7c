#include "http_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static const double PATIENCE_SECONDS = 60; /* under valgrind 64 MiB take a while */

struct server *client_server(const struct server_options *options, handler_fn handle)
{
    struct err err = {0};
    struct server *server = server_start(options, handle, NULL, &err);

    if (!server) {
        printf("Bail out! the server does not start: %s\n", err.text);
        exit(1);
    }
    return server;
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int client_connect(unsigned port)
{
    return client_connect_from(port, "127.0.0.1");
}

int client_connect_from(unsigned port, const char *address)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port)};
    struct sockaddr_in from = {.sin_family = AF_INET};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd >= 0 && inet_pton(AF_INET, address, &from.sin_addr) == 1 &&
        bind(fd, (const struct sockaddr *)&from, sizeof(from)) == 0 &&
        connect(fd, (const struct sockaddr *)&to, sizeof(to)) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

bool client_send(int fd, const char *bytes, size_t n)
{
    while (n) {
        ssize_t sent = send(fd, bytes, n, MSG_NOSIGNAL);
        if (sent <= 0)
            return false;
        bytes += sent;
        n -= (size_t)sent;
    }
    return true;
}

bool client_print(int fd, const char *fmt, ...)
{
    char text[CLIENT_HEAD_MAX];
    va_list ap;

    va_start(ap, fmt);
    int n = vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    return n > 0 && (size_t)n < sizeof(text) && client_send(fd, text, (size_t)n);
}

/* Bytes as they come, 0 at the end, -1 where none came before `until`. */
static ssize_t read_some(int fd, char *to, size_t room, int flags, double until)
{
    struct pollfd on = {.fd = fd, .events = POLLIN};
    double left = until - now();

    if (left <= 0 || poll(&on, 1, (int)(left * 1e3) + 1) <= 0)
        return -1;
    return recv(fd, to, room, flags);
}

/* Looks at what has come before it takes the head of it, so that a reply that follows stays in the
 * socket. */
static bool read_head(int fd, struct client_reply *reply, double until)
{
    char *head = reply->head, *end = NULL;

    for (size_t n = 0, room; !end && (room = sizeof(reply->head) - 1 - n) > 0;) {
        ssize_t seen = read_some(fd, head + n, room, MSG_PEEK, until);
        if (seen <= 0)
            return false;
        end = memmem(head, n + (size_t)seen, "\r\n\r\n", 4);
        size_t part = end ? (size_t)(end + 4 - head) - n : (size_t)seen;
        if (recv(fd, head + n, part, 0) != (ssize_t)part)
            return false;
        n += part;
        head[n] = '\0';
    }
    return end != NULL;
}

static bool read_body(int fd, struct client_reply *reply, double until)
{
    size_t want = strtoul(client_header(reply, "Content-Length"), NULL, 10);

    if (want >= sizeof(reply->body))
        return false;
    while (reply->body_length < want) {
        ssize_t n =
            read_some(fd, reply->body + reply->body_length, want - reply->body_length, 0, until);
        if (n <= 0)
            return false;
        reply->body_length += (size_t)n;
    }
    reply->body[want] = '\0';
    return true;
}

bool client_read(int fd, bool head_only, struct client_reply *reply)
{
    double until = now() + PATIENCE_SECONDS;

    reply->status = 0;
    reply->head[0] = reply->body[0] = '\0';
    reply->body_length = 0;
    if (!read_head(fd, reply, until) || strncmp(reply->head, "HTTP/1.1 ", 9) != 0)
        return false;
    int status = (int)strtol(reply->head + 9, NULL, 10);
    if (!head_only && status != 204 && status != 304 && status != 100 &&
        !read_body(fd, reply, until))
        return false;
    reply->status = status;
    return true;
}

bool client_closed(int fd, double seconds)
{
    char byte;

    return read_some(fd, &byte, 1, 0, now() + seconds) == 0;
}

const char *client_header(const struct client_reply *reply, const char *name)
{
    static _Thread_local char value[CLIENT_HEAD_MAX];
    size_t length = strlen(name);

    for (const char *line = strstr(reply->head, "\r\n"); line; line = strstr(line, "\r\n")) {
        line += 2;
        if (strncasecmp(line, name, length) != 0 || line[length] != ':')
            continue;
        const char *start = line + length + 1;
        start += strspn(start, " ");
        snprintf(value, sizeof(value), "%.*s", (int)strcspn(start, "\r"), start);
        return value;
    }
    return "";
}

bool client_ask(unsigned port, const char *request, struct client_reply *reply)
{
    int fd = client_connect(port);

    *reply->head = '\0';
    reply->status = 0;
    bool head_only = strncmp(request, "HEAD ", 5) == 0;
    bool got =
        fd >= 0 && client_send(fd, request, strlen(request)) && client_read(fd, head_only, reply);
    if (fd >= 0)
        close(fd);
    return got;
}

int client_get(unsigned port, const char *path, const char *client)
{
    int fd = client_connect(port);

    client_print(fd, "GET %s HTTP/1.1\r\nHost: h\r\n%s%s%s\r\n", path,
                 client ? "X-Forwarded-For: " : "", client ? client : "", client ? "\r\n" : "");
    return fd;
}

void client_reset(int fd)
{
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &(struct linger){1, 0}, sizeof(struct linger));
    close(fd);
}

static bool agrees(int wanted, uint64_t seen)
{
    return wanted < 0 || seen == (uint64_t)wanted;
}

bool client_sees(struct server *server, int queued, int connections, int gone)
{
    static struct server_stats stats;
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    for (time_t end = t.tv_sec + 10; t.tv_sec < end; poll(NULL, 0, 1)) {
        server_get_stats(server, &stats);
        if (agrees(queued, stats.pool.queued) && agrees(connections, stats.connections) &&
            agrees(gone, stats.pool.cancelled[CANCEL_GONE]))
            return true;
        clock_gettime(CLOCK_MONOTONIC, &t);
    }
    return false;
}
