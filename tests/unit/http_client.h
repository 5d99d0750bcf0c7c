/* http_client.h - a client for the server's tests: bytes out, one reply in, nothing hidden; and the
 * server itself. */
#ifndef TESTS_HTTP_CLIENT_H
#define TESTS_HTTP_CLIENT_H

#include "http/server.h"

#include <stdbool.h>
#include <stddef.h>

enum { CLIENT_HEAD_MAX = 16 * 1024, CLIENT_BODY_MAX = 1024 * 1024 };

struct client_reply {
    int status; /* 0: no reply came within the time, or the connection ended */
    char head[CLIENT_HEAD_MAX];
    char body[CLIENT_BODY_MAX];
    size_t body_length;
};

/* A server that answers with handle(NULL, ...); where it does not start the test ends. */
struct server *client_server(const struct server_options *options, handler_fn handle);
/* Connect to 127.0.0.1, from there or from another address; -1 where that is refused. */
int client_connect(unsigned port);
int client_connect_from(unsigned port, const char *address);
/* Send all of it; false where the connection is gone. */
bool client_send(int fd, const char *bytes, size_t n);
bool client_print(int fd, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Read one reply, waiting up to a minute; `head_only` for the reply to a HEAD. */
bool client_read(int fd, bool head_only, struct client_reply *reply);
/* Whether the other side closes within `seconds` without sending another byte. */
bool client_closed(int fd, double seconds);
/* The value of a header of the reply, "" where there is none; good until the next call. */
const char *client_header(const struct client_reply *reply, const char *name);
/* Connect and ask for a path, on behalf of a client if that is not NULL (X-Forwarded-For). */
int client_get(unsigned port, const char *path, const char *client);
/* End a connection without a word, so that the other side's next one fails. */
void client_reset(int fd);
/* Whether within ten seconds that many jobs wait, connections are open, and jobs have been dropped
 * because their clients had gone; -1: any number. */
bool client_sees(struct server *server, int queued, int connections, int gone);
/* Connect, send, read, close. */
bool client_ask(unsigned port, const char *request, struct client_reply *reply);

#endif
