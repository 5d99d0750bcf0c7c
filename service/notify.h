/* notify.h - reports state to a service manager: sd_notify(3)'s datagrams, without its library.
 *
 * Without NOTIFY_SOCKET in the environment nothing is sent.
 */
#ifndef NOTIFY_H
#define NOTIFY_H

#include "base/attr.h"

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/un.h>

struct notify {
    int fd; /* -1: nobody listens */
    struct sockaddr_un to;
    socklen_t to_bytes;
    double watchdog_seconds; /* a sign of life is expected this often; 0: never */
};

/* Read NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID. */
void notify_open(struct notify *notify);
void notify_close(struct notify *notify);

/* Send lines as "READY=1\nSTATUS=serving"; what cannot be delivered is dropped. */
void notify_send(const struct notify *notify, const char *format, ...) PRINTF_LIKE(2, 3);

/* Say that everything is being read again, with the moment it began. */
void notify_reloading(const struct notify *notify);

#endif
