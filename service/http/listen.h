/* listen.h - listening addresses, and sockets that share one port among our own threads only. */
#ifndef HTTP_LISTEN_H
#define HTTP_LISTEN_H

#include "base/err.h"

#include <netinet/in.h>

struct address {
    const char *text; /* as given; borrowed */
    bool is_ipv6;
    unsigned port;
    union {
        struct sockaddr any;
        struct sockaddr_in ipv4;
        struct sockaddr_in6 ipv6;
    } socket;
    socklen_t socket_bytes;
};

/* Parse host:port or [host]:port with a numeric host. */
bool listen_parse(struct address *address, const char *text, struct err *err) MUST_CHECK;

/* Open n listening sockets on one port; the kernel distributes connections among them. Port 0 picks
 * a free port and stores it in the address. Returns false if the port is already in use. */
bool listen_open(struct address *address, int *sockets, unsigned n, struct err *err) MUST_CHECK;

#endif
