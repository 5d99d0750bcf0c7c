/* notify.h - reports state to a service manager by sd_notify(3) datagrams, without its library.
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
    int fd; /* -1 without a service manager */
    struct sockaddr_un to;
    socklen_t to_bytes;
    double watchdog_seconds; /* interval at which a keep-alive is expected; 0 for none */
};

/* Read NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID. */
void notify_open(struct notify *notify);
void notify_close(struct notify *notify);

/* Send lines such as "READY=1\nSTATUS=serving"; undeliverable messages are dropped. */
void notify_send(const struct notify *notify, const char *format, ...) PRINTF_LIKE(2, 3);

/* Report a reload, with its start time. */
void notify_reloading(const struct notify *notify);

#endif
