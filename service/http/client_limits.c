#include "http/client_limits.h"

#include "base/mem.h"
#include "base/text.h"

#include <arpa/inet.h>
#include <math.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { SETS = 4096, WAYS = 8, PROXIES_MAX = 64 };

struct entry {
    struct client client;
    unsigned has[CLIENT_USES];
    size_t held; /* bytes of answers not yet read */
    double left; /* requests allowed at once, as of `seen` */
    double seen; /* 0 if the entry is free */
};

struct network {
    struct client base;
    unsigned bits;
};

struct client_limits {
    unsigned most[CLIENT_USES];
    double rate, burst;
    uint64_t seed; /* random, so that nobody can choose addresses that fall into one set */
    size_t n_proxies;
    struct network proxies[PROXIES_MAX];
    size_t answers_bytes;
    pthread_mutex_t lock; /* protects the members below */
    size_t held;          /* part of answers_bytes in use */
    struct entry at[SETS][WAYS];
};

static const uint8_t mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

struct client client_limits_client(const struct sockaddr *address)
{
    const void *whole = address;
    struct client client = {{0}};

    if (address->sa_family == AF_INET6) {
        const struct sockaddr_in6 *in6 = whole;

        memcpy(client.bytes, &in6->sin6_addr, 16);
    } else if (address->sa_family == AF_INET) {
        const struct sockaddr_in *in = whole;

        memcpy(client.bytes, mapped, sizeof(mapped));
        memcpy(client.bytes + 12, &in->sin_addr, 4);
    }
    return client;
}

void client_limits_text(const struct client *client, char to[CLIENT_TEXT_SIZE])
{
    bool is_ipv4 = memcmp(client->bytes, mapped, sizeof(mapped)) == 0;

    if (!inet_ntop(is_ipv4 ? AF_INET : AF_INET6, client->bytes + (is_ipv4 ? 12 : 0), to,
                   CLIENT_TEXT_SIZE))
        to[0] = '\0';
}

/* Parse an address of n characters; sets *is_ipv6. */
static bool read_address(const char *text, size_t n, struct client *client, bool *is_ipv6)
{
    char word[INET6_ADDRSTRLEN];

    if (n >= sizeof(word))
        return false;
    snprintf(word, sizeof(word), "%.*s", (int)n, text);
    memcpy(client->bytes, mapped, sizeof(mapped));
    *is_ipv6 = inet_pton(AF_INET, word, client->bytes + 12) != 1;
    return !*is_ipv6 || inet_pton(AF_INET6, word, client->bytes) == 1;
}

/* Parse 10.0.0.0/8, or a single address. */
static bool read_network(const char *text, size_t n, struct network *network)
{
    size_t length = 0;
    double bits;
    char number[8] = "";
    bool is_ipv6;

    while (length < n && text[length] != '/')
        length++;
    if (!read_address(text, length, &network->base, &is_ipv6))
        return false;
    unsigned most = is_ipv6 ? 128 : 32;
    network->bits = 128;
    if (length == n)
        return true;
    snprintf(number, sizeof(number), "%.*s", (int)(n - length - 1), text + length + 1);
    if (!text_number(number, &bits) || bits < 0 || bits > most || bits != floor(bits))
        return false;
    network->bits = 128 - most + (unsigned)bits;
    return true;
}

static bool read_proxies(struct client_limits *clients, const char *list, struct err *err)
{
    for (const char *p = list; *p;) {
        size_t n = strcspn(p, ",");
        if (clients->n_proxies == PROXIES_MAX ||
            !read_network(p, n, &clients->proxies[clients->n_proxies]))
            return err_set(err, ERR_INVALID,
                           "%.*s is not a proxy: enter addresses or networks such as 10.0.0.0/8, "
                           "separated by commas",
                           (int)(n < 64 ? n : 64), p);
        clients->n_proxies++;
        p += n + (p[n] == ',');
    }
    return true;
}

struct client_limits *client_limits_new(const struct client_limits_options *options,
                                        struct err *err)
{
    struct client_limits *clients = mem_alloc(sizeof(*clients));

    memcpy(clients->most, options->most, sizeof(clients->most));
    clients->rate = options->rate;
    clients->burst = fmax(1, options->rate * CLIENT_LIMITS_BURST_S);
    clients->answers_bytes = options->answers_bytes;
    pthread_mutex_init(&clients->lock, NULL);
    if (getrandom(&clients->seed, sizeof(clients->seed), 0) == sizeof(clients->seed) &&
        read_proxies(clients, options->proxies ? options->proxies : "", err))
        return clients;
    client_limits_free(clients);
    return NULL;
}

void client_limits_free(struct client_limits *clients)
{
    if (clients)
        pthread_mutex_destroy(&clients->lock);
    free(clients);
}

static bool in_network(const struct client *client, const struct network *network)
{
    unsigned whole = network->bits / 8, rest = network->bits % 8;
    uint8_t mask = (uint8_t)(0xff00U >> rest);

    return memcmp(client->bytes, network->base.bytes, whole) == 0 &&
           (!rest || ((client->bytes[whole] ^ network->base.bytes[whole]) & mask) == 0);
}

static bool is_proxy(const struct client_limits *clients, const struct client *client)
{
    for (size_t i = 0; i < clients->n_proxies; i++)
        if (in_network(client, &clients->proxies[i]))
            return true;
    return false;
}

/* Goes through the list from its end, as long as the address that added an entry is one of our
 * proxies. */
struct client client_limits_behind(const struct client_limits *clients, const struct client *peer,
                                   const char *forwarded_for)
{
    struct client client = *peer;
    size_t end = strlen(forwarded_for);

    while (end && is_proxy(clients, &client)) {
        struct client before;
        bool is_ipv6;
        while (end && strchr(" \t", forwarded_for[end - 1]))
            end--;
        size_t start = end;
        while (start && forwarded_for[start - 1] != ',')
            start--;
        size_t blanks = strspn(forwarded_for + start, " \t");
        if (blanks >= end - start ||
            !read_address(forwarded_for + start + blanks, end - start - blanks, &before, &is_ipv6))
            break;
        client = before;
        end = start ? start - 1 : 0; /* skip the comma */
    }
    return client;
}

struct client client_limits_group(const struct client *client)
{
    struct client group = *client;

    if (memcmp(client->bytes, mapped, sizeof(mapped)) != 0)
        memset(group.bytes + 8, 0, 8);
    return group;
}

/* The client's entry, or a new one in place of the least recently active; NULL if all of its set
 * are in use. The caller holds the lock. */
static struct entry *find(struct client_limits *clients, const struct client *client)
{
    struct client group = client_limits_group(client);
    uint64_t hash = text_hash(TEXT_HASH ^ clients->seed, (const char *)group.bytes, 16);
    struct entry *set = clients->at[(hash ^ (hash >> 32)) % SETS], *oldest = NULL;

    for (int i = 0; i < WAYS; i++) {
        if (memcmp(&set[i].client, &group, sizeof(group)) == 0)
            return &set[i];
        if (!set[i].has[CLIENT_CONNECTION] && !set[i].has[CLIENT_CALCULATION] && !set[i].held &&
            (!oldest || set[i].seen < oldest->seen))
            oldest = &set[i];
    }
    if (oldest)
        *oldest = (struct entry){.client = group, .left = clients->burst};
    return oldest;
}

bool client_limits_may(struct client_limits *clients, const struct client *client,
                       enum client_use use)
{
    if (!clients->most[use] || is_proxy(clients, client))
        return true;
    pthread_mutex_lock(&clients->lock);
    const struct entry *entry = find(clients, client);
    bool may = !entry || entry->has[use] < clients->most[use];
    pthread_mutex_unlock(&clients->lock);
    return may;
}

void client_limits_count(struct client_limits *clients, const struct client *client,
                         enum client_use use, int change)
{
    if (!clients->most[use] || is_proxy(clients, client))
        return;
    pthread_mutex_lock(&clients->lock);
    struct entry *entry = find(clients, client);
    if (entry && (change > 0 || entry->has[use]))
        entry->has[use] += (unsigned)change;
    pthread_mutex_unlock(&clients->lock);
}

double client_limits_wait(struct client_limits *clients, const struct client *client, double now)
{
    double wait = 0;

    if (clients->rate <= 0 || is_proxy(clients, client))
        return 0;
    pthread_mutex_lock(&clients->lock);
    struct entry *entry = find(clients, client);
    if (entry) {
        double gained = entry->seen > 0 ? (now - entry->seen) * clients->rate : 0;
        entry->left = fmin(clients->burst, entry->left + gained);
        entry->seen = now;
        if (entry->left >= 1)
            entry->left -= 1;
        else
            wait = (1 - entry->left) / clients->rate;
    }
    pthread_mutex_unlock(&clients->lock);
    return wait;
}

static enum client_hold judge(const struct client_limits *clients, size_t own, size_t bytes)
{
    size_t most = clients->answers_bytes, left = most - clients->held;

    if (bytes > most / (CLIENTS_FREE_PARTS + 1))
        return CLIENT_HOLD_TOO_LONG;
    if (bytes <= left && own + bytes <= (left - bytes) / CLIENTS_FREE_PARTS)
        return CLIENT_HOLD_GRANTED;
    return own ? CLIENT_HOLD_SHARE_FULL : CLIENT_HOLD_POOL_FULL;
}

/* For a proxy, and for a client that the table has no room for, only the sum is known. */
enum client_hold client_limits_hold(struct client_limits *clients, const struct client *client,
                                    size_t bytes)
{
    if (!clients->answers_bytes)
        return CLIENT_HOLD_GRANTED;
    bool trusted = is_proxy(clients, client);
    pthread_mutex_lock(&clients->lock);
    struct entry *entry = trusted ? NULL : find(clients, client);
    enum client_hold hold = judge(clients, entry ? entry->held : 0, bytes);
    if (hold == CLIENT_HOLD_GRANTED) {
        clients->held += bytes;
        if (entry)
            entry->held += bytes;
    }
    pthread_mutex_unlock(&clients->lock);
    return hold;
}

void client_limits_release(struct client_limits *clients, const struct client *client, size_t bytes)
{
    if (!clients->answers_bytes || !bytes)
        return;
    bool trusted = is_proxy(clients, client);
    pthread_mutex_lock(&clients->lock);
    struct entry *entry = trusted ? NULL : find(clients, client);
    clients->held -= bytes;
    if (entry)
        entry->held -= bytes < entry->held ? bytes : entry->held;
    pthread_mutex_unlock(&clients->lock);
}
