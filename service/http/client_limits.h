/* client_limits.h - who asks: how many connections and long calculations each address has, how fast
 * it asks, and how much memory the answers take that it has not read yet.
 *
 * An address is IPv4, or the network of 64 bits of an IPv6 one, which a single customer has whole.
 * The table has a fixed size: under a flood of addresses those that have been quiet longest are
 * forgotten, which favours them.
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
    unsigned most[CLIENT_USES]; /* of one address; 0: any number */
    double rate;                /* requests/s of one address, on average; 0: any */
    const char *proxies;        /* comma-separated addresses or networks (10.0.0.0/8) whose
                                 * X-Forwarded-For is believed and which no bound is for; NULL: none */
    size_t answers_bytes;       /* for answers not read yet, of all together; 0: any */
};

/* NULL with *err where a proxy is no address. */
struct client_limits *client_limits_new(const struct client_limits_options *options,
                                        struct err *err);
void client_limits_free(struct client_limits *clients); /* NULL is fine */

/* An address, IPv4 as ::ffff:a.b.c.d. */
struct client {
    uint8_t bytes[16];
};

struct client client_limits_client(const struct sockaddr *address);
/* What is counted together with it: of an IPv6 address the network of 64 bits. */
struct client client_limits_group(const struct client *client);

/* The address as text. */
enum { CLIENT_TEXT_SIZE = 46 };
void client_limits_text(const struct client *client, char to[CLIENT_TEXT_SIZE]);

/* Whether it may have another. */
bool client_limits_may(struct client_limits *clients, const struct client *client,
                       enum client_use use);
/* It has one more, or one less. */
void client_limits_count(struct client_limits *clients, const struct client *client,
                         enum client_use use, int change);

/* Who sent the request: the peer, or whom trusted proxies say they had it from, in the last
 * X-Forwarded-For, nearest last; "" where there is none. */
struct client client_limits_behind(const struct client_limits *clients, const struct client *peer,
                                   const char *forwarded_for);

/* Take note of a request at `now` (clock_monotonic); 0, or the seconds after which there would be
 * room for it. The burst after a quiet period is CLIENT_LIMITS_BURST_S seconds' worth. */
enum { CLIENT_LIMITS_BURST_S = 30 };
double client_limits_wait(struct client_limits *clients, const struct client *client, double now);

/* What becomes of an answer that has to wait until its client has read it. */
enum client_hold {
    CLIENT_HOLD_GRANTED, /* it may wait; until client_limits_release() it counts for the client */
    CLIENT_HOLD_SHARE_FULL, /* not now: too much of the client's own waits already */
    CLIENT_HOLD_POOL_FULL,  /* not now: others have left too little */
    CLIENT_HOLD_TOO_LONG,   /* never: it is more than the whole share of one client */
};

/* Memory for answers is shared by dynamic thresholds (Choudhury and Hahne, 1998): what waits for a
 * client may be a third of what is then still free. One client alone gets a quarter of it all, and
 * some is left for whoever comes next, however many there are. */
enum { CLIENTS_FREE_PARTS = 3 };
enum client_hold client_limits_hold(struct client_limits *clients, const struct client *client,
                                    size_t bytes);
void client_limits_release(struct client_limits *clients, const struct client *client,
                           size_t bytes);

#endif
