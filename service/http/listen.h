/* listen.h - listening addresses, and sockets that share a port among our own threads only. */
#ifndef HTTP_LISTEN_H
#define HTTP_LISTEN_H

#include "base/err.h"

#include <netinet/in.h>

struct address {
    const char *text; /* as it was given; borrowed */
    bool is_ipv6;
    unsigned port;
    union {
        struct sockaddr any;
        struct sockaddr_in ipv4;
        struct sockaddr_in6 ipv6;
    } socket;
    socklen_t socket_bytes;
};

/* Read host:port or [host]:port, hosts as numbers. */
bool listen_parse(struct address *address, const char *text, struct err *err) MUST_CHECK;

/* Open n listening sockets on the one port, among which the kernel spreads the connections; port 0
 * takes a free one and writes it into the address. False where anybody listens there already. */
bool listen_open(struct address *address, int *sockets, unsigned n, struct err *err) MUST_CHECK;

#endif
