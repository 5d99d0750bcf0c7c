#include "http/guests.h"

#include "base/mem.h"

#include <stdlib.h>

struct guest *guest_of(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

    return info ? info->socket_context : NULL;
}

static struct guest *enter(struct worker *worker, struct MHD_Connection *connection)
{
    struct guest *guest = mem_alloc(sizeof(*guest));

    guest->connection = connection;
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
