#include "http/connections.h"

#include "base/mem.h"

#include <stdlib.h>
#include <sys/socket.h>

struct open_connection *connection_of(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

    return info ? info->socket_context : NULL;
}

enum MHD_Result connections_admit(void *cls, const struct sockaddr *address, socklen_t length)
{
    struct worker *worker = cls;
    struct client client = client_limits_client(address);

    (void)length;
    return client_limits_may(worker->server->clients, &client, CLIENT_CONNECTION) ? MHD_YES
                                                                                  : MHD_NO;
}

static struct open_connection *enter(struct worker *worker, struct MHD_Connection *connection)
{
    struct open_connection *conn = mem_alloc(sizeof(*conn));

    conn->connection = connection;
    conn->client = client_limits_client(
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr);
    client_limits_count(worker->server->clients, &conn->client, CLIENT_CONNECTION, 1);
    connection_waits(worker, conn);
    conn->next = worker->connections;
    conn->from = &worker->connections;
    if (conn->next)
        conn->next->from = &conn->next;
    worker->connections = conn;
    atomic_fetch_add(&worker->n_connections, 1);
    return conn;
}

static void leave(struct worker *worker, struct open_connection *conn)
{
    client_limits_count(worker->server->clients, &conn->client, CLIENT_CONNECTION, -1);
    *conn->from = conn->next;
    if (conn->next)
        conn->next->from = conn->from;
    free(conn);
    atomic_fetch_sub(&worker->n_connections, 1);
}

void connections_notify(void *cls, struct MHD_Connection *connection, void **conn,
                        enum MHD_ConnectionNotificationCode code)
{
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        *conn = enter(cls, connection);
    } else if (*conn) {
        leave(cls, *conn);
        *conn = NULL;
    }
}

void connections_hurry(struct worker *worker)
{
    for (struct open_connection *conn = worker->connections; conn; conn = conn->next)
        if (!conn->busy && !conn->hurried)
            conn->hurried = MHD_set_connection_option(conn->connection,
                                                      MHD_CONNECTION_OPTION_TIMEOUT, 1U) == MHD_YES;
}

void connection_waits(const struct worker *worker, struct open_connection *conn)
{
    double seconds = worker->server->client_s;

    conn->until = seconds > 0 ? worker->now + seconds : 0;
}

void connection_computes(struct open_connection *conn)
{
    conn->until = 0;
}

/* The library sees the end of the connection and does the rest. */
static void cut(struct open_connection *conn)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(conn->connection, MHD_CONNECTION_INFO_CONNECTION_FD);

    conn->until = 0;
    if (info)
        shutdown(info->connect_fd, SHUT_RDWR);
}

void connections_cut_slow(struct worker *worker)
{
    for (struct open_connection *conn = worker->connections; conn; conn = conn->next)
        if (conn->until > 0 && worker->now >= conn->until)
            cut(conn);
}
