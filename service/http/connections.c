#include "http/connections.h"

#include "base/mem.h"

#include <stdlib.h>
#include <sys/socket.h>

struct guest *guest_of(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

    return info ? info->socket_context : NULL;
}

enum MHD_Result guests_admit(void *cls, const struct sockaddr *address, socklen_t length)
{
    struct worker *worker = cls;
    struct client client = client_of(address);

    (void)length;
    return clients_may(worker->server->clients, &client, CLIENT_CONNECTION) ? MHD_YES : MHD_NO;
}

static struct guest *enter(struct worker *worker, struct MHD_Connection *connection)
{
    struct guest *guest = mem_alloc(sizeof(*guest));

    guest->connection = connection;
    guest->client = client_of(
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr);
    clients_count(worker->server->clients, &guest->client, CLIENT_CONNECTION, 1);
    guest_waits(worker, guest);
    guest->next = worker->guests;
    guest->from = &worker->guests;
    if (guest->next)
        guest->next->from = &guest->next;
    worker->guests = guest;
    atomic_fetch_add(&worker->n_guests, 1);
    return guest;
}

static void leave(struct worker *worker, struct guest *guest)
{
    clients_count(worker->server->clients, &guest->client, CLIENT_CONNECTION, -1);
    *guest->from = guest->next;
    if (guest->next)
        guest->next->from = guest->from;
    free(guest);
    atomic_fetch_sub(&worker->n_guests, 1);
}

void guests_notify(void *cls, struct MHD_Connection *connection, void **guest,
                   enum MHD_ConnectionNotificationCode code)
{
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        *guest = enter(cls, connection);
    } else if (*guest) {
        leave(cls, *guest);
        *guest = NULL;
    }
}

void guests_hurry(struct worker *worker)
{
    for (struct guest *guest = worker->guests; guest; guest = guest->next)
        if (!guest->busy && !guest->hurried)
            guest->hurried = MHD_set_connection_option(
                                 guest->connection, MHD_CONNECTION_OPTION_TIMEOUT, 1U) == MHD_YES;
}

void guest_waits(const struct worker *worker, struct guest *guest)
{
    double seconds = worker->server->client_s;

    guest->until = seconds > 0 ? worker->now + seconds : 0;
}

void guest_computes(struct guest *guest)
{
    guest->until = 0;
}

/* The library sees the end of the connection and does the rest. */
static void cut(struct guest *guest)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(guest->connection, MHD_CONNECTION_INFO_CONNECTION_FD);

    guest->until = 0;
    if (info)
        shutdown(info->connect_fd, SHUT_RDWR);
}

void guests_cut_slow(struct worker *worker)
{
    for (struct guest *guest = worker->guests; guest; guest = guest->next)
        if (guest->until > 0 && worker->now >= guest->until)
            cut(guest);
}
