/* wire_fuzz.c - bytes on a connection: each request that is answered is one that a strict reader
 * finds there as well, at the same place and with the same body. */
#include "fuzz.h"

#include "base/mem.h"
#include "http/server.h"
#include "http/head_syntax.h"
#include "http_client.h"

#include <ctype.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

/* What the strict reader has not read yet. */
static struct {
    const char *at, *end;
} left;

struct message {
    const char *method, *target, *body;
    size_t method_length, target_length, body_length;
    bool chunked; /* the last one that may be answered; its body is not looked at */
};

static size_t token_length(const char *at, const char *end)
{
    size_t n = 0;

    while (at + n < end && at[n] &&
           (isalnum((unsigned char)at[n]) || strchr("!#$%&'*+-.^_`|~", at[n])))
        n++;
    return n;
}

/* The bytes up to CR LF, none of them a control character; NULL where there is no such line. */
static const char *line_end(const char *at)
{
    while (at < left.end && ((unsigned char)*at >= ' ' || *at == '\t') && *at != 0x7f)
        at++;
    return at + 1 < left.end && at[0] == '\r' && at[1] == '\n' ? at : NULL;
}

/* METHOD target HTTP/1.x */
static bool read_line(struct message *message)
{
    while (left.at + 1 < left.end && memchr("\r\n", left.at[0], 2) &&
           (left.at[0] == '\n' || left.at[1] == '\n'))
        left.at += left.at[0] == '\n' ? 1 : 2; /* empty lines */
    const char *at = left.at, *end = line_end(at);
    if (!end || end - at < 12 || strncmp(end - 9, " HTTP/1.", 8) != 0)
        return false;
    message->method = at;
    message->method_length = token_length(at, end);
    at += message->method_length;
    if (!message->method_length || *at++ != ' ' || at >= end - 9)
        return false;
    message->target = at;
    message->target_length = (size_t)(end - 9 - at);
    left.at = end + 2;
    return !memchr(at, ' ', message->target_length);
}

static bool read_length(struct message *message, const char *value, size_t n)
{
    if (message->body_length || !n || n > 6)
        return false;
    for (size_t i = 0; i < n; i++)
        if (!isdigit((unsigned char)value[i]))
            return false;
    message->body_length = (size_t)strtol(value, NULL, 10);
    return true;
}

/* A header; those that say where the body ends are taken note of. */
static bool read_header(struct message *message, const char *end)
{
    size_t n = token_length(left.at, end);
    const char *name = left.at, *value = name + n + 1;

    if (!n || name[n] != ':')
        return false;
    while (value < end && (*value == ' ' || *value == '\t'))
        value++;
    while (end > value && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    if (n == 17 && strncasecmp(name, "Transfer-Encoding", n) == 0)
        message->chunked = true;
    if (n == 14 && strncasecmp(name, "Content-Length", n) == 0)
        return read_length(message, value, (size_t)(end - value));
    return true;
}

static bool read_message(struct message *message)
{
    const char *end;

    *message = (struct message){0};
    if (!read_line(message))
        return false;
    while ((end = line_end(left.at)) && end != left.at) {
        if (!read_header(message, end))
            return false;
        left.at = end + 2;
    }
    if (!end)
        return false;
    message->body = end + 2;
    left.at = message->body + message->body_length;
    if (left.at > left.end || message->chunked)
        left.at = left.end;
    return message->chunked || message->body + message->body_length <= left.end;
}

static bool is_same(const struct message *message, const struct request *request)
{
    size_t n = strlen(request->query);

    return strlen(request->method_name) == message->method_length &&
           memcmp(request->method_name, message->method, message->method_length) == 0 &&
           n <= message->target_length &&
           memcmp(message->target + message->target_length - n, request->query, n) == 0 &&
           (message->chunked || (request->body_length == message->body_length &&
                                 memcmp(request->body, message->body, message->body_length) == 0));
}

/* Requests that are refused do not come here, so some may be passed over. */
static void handle(void *context, const struct request *request, struct reply *reply)
{
    struct message message;
    bool same = false;

    (void)context;
    while (!same) {
        fuzz_need(read_message(&message), "a request is answered where everybody sees one");
        same = is_same(&message, request);
    }
    reply->content_type = "text/plain";
    buf_text(&reply->body, request->path);
}

static struct server *server(void)
{
    static struct server *made;
    struct err err = {0};

    if (made)
        return made;
    (void)signal(SIGPIPE, SIG_IGN);
    made = server_start(&(struct server_options){.listen = "127.0.0.1:0",
                                                 .workers = 1,
                                                 .cors_origin = "*",
                                                 .connections = 64,
                                                 .name = "fuzz"},
                        handle, NULL, &err);
    fuzz_need(made != NULL, "the server starts");
    return made;
}

/* What comes back until the other side ends it, or says no more for a moment. */
static void listen_to(int fd)
{
    static char answers[64 * 1024];
    struct pollfd wait = {.fd = fd, .events = POLLIN};

    while (poll(&wait, 1, 10) == 1 && recv(fd, answers, sizeof(answers), 0) > 0)
        ;
}

/* Cut the connection, and wait until the server has forgotten it and asks nothing of it any more.
 */
static void leave(int fd)
{
    static struct server_stats stats;
    const struct linger cut = {.l_onoff = 1};

    (void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &cut, sizeof(cut));
    close(fd);
    while (server_get_stats(server(), &stats), stats.connections)
        (void)poll(NULL, 0, 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char last[] = "GET /last HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n";
    size_t n = size + sizeof(last) - 1;

    if (size && !head_syntax_strictness() &&
        (memchr(data, '\0', size) || memmem(data, size, "\n:\n", 3)))
        return 0; /* http/head_syntax.h says what it cannot see */
    char *bytes = mem_alloc(n);
    int fd = client_connect(server_port(server()));

    fuzz_need(fd >= 0, "the server takes connections");
    if (size)
        memcpy(bytes, data, size);
    memcpy(bytes + size, last, sizeof(last) - 1);
    left.at = bytes;
    left.end = bytes + n;
    if (client_send(fd, bytes, n))
        listen_to(fd);
    leave(fd);
    free(bytes);
    return 0;
}
