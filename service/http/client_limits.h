/* client_limits.h - limits per client address: connections, long calculations, request rate, and
 * memory for answers the client has not read yet.
 *
 * A client is an IPv4 address, or a /64 network of IPv6, which one customer usually owns whole. The
 * table has a fixed size: under a flood of addresses the least recently active are forgotten, which
 * resets their limits.
 */
#ifndef HTTP_CLIENT_LIMITS_H
#define HTTP_CLIENT_LIMITS_H

#include "base/err.h"

#include <stdint.h>
#include <sys/socket.h>

struct client_limits;

/* Per-address limits. */
enum client_use { CLIENT_CONNECTION, CLIENT_CALCULATION, CLIENT_USES };

struct client_limits_options {
    unsigned most[CLIENT_USES]; /* per address; 0 for no limit */
    double rate;                /* requests/s per address, on average; 0 for no limit */
    const char *proxies;        /* comma-separated addresses or networks (10.0.0.0/8) whose
                                 * X-Forwarded-For is trusted and which have no limits; NULL if
                                 * none */
    size_t answers_bytes;       /* total for all answers not read yet; 0 for no limit */
};

/* Returns NULL with *err if a proxy is not a valid address. */
struct client_limits *client_limits_new(const struct client_limits_options *options,
                                        struct err *err);
void client_limits_free(struct client_limits *clients); /* NULL is allowed */

/* An address; IPv4 is stored as ::ffff:a.b.c.d. */
struct client {
    uint8_t bytes[16];
};

struct client client_limits_client(const struct sockaddr *address);
/* The key that limits apply to: for IPv6 the /64 network. */
struct client client_limits_group(const struct client *client);

/* The address as text. */
enum { CLIENT_TEXT_SIZE = 46 };
void client_limits_text(const struct client *client, char to[CLIENT_TEXT_SIZE]);

/* True if the client is below its limit. */
bool client_limits_may(struct client_limits *clients, const struct client *client,
                       enum client_use use);
/* Changes the client's count by +1 or -1. */
void client_limits_count(struct client_limits *clients, const struct client *client,
                         enum client_use use, int change);

/* The client behind the peer: if trusted proxies sent the request, the address they report in the
 * last X-Forwarded-For, whose last entry is the nearest; "" if there is none. */
struct client client_limits_behind(const struct client_limits *clients, const struct client *peer,
                                   const char *forwarded_for);

/* Count a request at time `now` (clock_monotonic). Returns 0, or the seconds to wait until it would
 * be allowed. After a quiet period a burst of CLIENT_LIMITS_BURST_S seconds' worth is allowed. */
enum { CLIENT_LIMITS_BURST_S = 30 };
double client_limits_wait(struct client_limits *clients, const struct client *client, double now);

/* The result of reserving memory for an answer until its client has read it. */
enum client_hold {
    CLIENT_HOLD_GRANTED,    /* reserved; counts for the client until client_limits_release() */
    CLIENT_HOLD_SHARE_FULL, /* retry later: the client's own unread answers use its share */
    CLIENT_HOLD_POOL_FULL,  /* retry later: other clients have left too little */
    CLIENT_HOLD_TOO_LONG,   /* refused for good: larger than the maximum share of one client */
};

/* Answer memory is shared by dynamic thresholds (Choudhury and Hahne, 1998): a client may use up to
 * a third of what is then still free. A single client gets a quarter of the total, and some memory
 * always remains for the next client. */
enum { CLIENTS_FREE_PARTS = 3 };
enum client_hold client_limits_hold(struct client_limits *clients, const struct client *client,
                                    size_t bytes);
void client_limits_release(struct client_limits *clients, const struct client *client,
                           size_t bytes);

#endif
