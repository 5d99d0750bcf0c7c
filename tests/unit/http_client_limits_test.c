/* http_client_limits_test.c - who a request is from, how fast it may ask, how many connections it
 * has. */
#include "http/client_limits.h"
#include "tap.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>

enum { HOLD = 1000 }; /* bytes for answers not read yet */

static struct client at(const char *address)
{
    struct sockaddr_in ipv4 = {.sin_family = AF_INET};
    struct sockaddr_in6 ipv6 = {.sin6_family = AF_INET6};

    if (inet_pton(AF_INET, address, &ipv4.sin_addr) == 1)
        return client_limits_client((const struct sockaddr *)&ipv4);
    ok(inet_pton(AF_INET6, address, &ipv6.sin6_addr) == 1, "%s is an address", address);
    return client_limits_client((const struct sockaddr *)&ipv6);
}

static struct client_limits *start(unsigned connections, double rate, const char *proxies)
{
    struct err err = {0};
    struct client_limits *clients = client_limits_new(
        &(struct client_limits_options){{connections}, rate, proxies, HOLD}, &err);

    if (!clients) {
        printf("Bail out! %s\n", err.text);
        exit(1);
    }
    return clients;
}

static void test_behind(void)
{
    static const struct {
        const char *peer, *forwarded, *client;
    } cases[] = {
        {"192.0.2.9", "", "192.0.2.9"},
        {"192.0.2.9", "198.51.100.1", "192.0.2.9"}, /* no proxy: not believed */
        {"10.1.2.3", "", "10.1.2.3"},
        {"10.1.2.3", "198.51.100.1", "198.51.100.1"},
        {"10.1.2.3", "203.0.113.7, 198.51.100.1", "198.51.100.1"}, /* the first may be made up */
        {"10.1.2.3", "198.51.100.1,10.9.9.9 ,\t10.1.1.1", "198.51.100.1"},
        {"10.1.2.3", "10.9.9.9, 10.1.1.1", "10.9.9.9"},
        {"10.1.2.3", "198.51.100.1, nonsense", "10.1.2.3"},
        {"10.1.2.3", "198.51.100.1, ", "10.1.2.3"},
        {"10.1.2.3", "nonsense, 10.1.1.1", "10.1.1.1"},
        {"10.1.2.3", "198.51.100.12 10.1.1.1", "10.1.2.3"}, /* two in one place are none */
        {"10.1.2.3", "198.51.100.12 , 10.1.1.1 ", "198.51.100.12"},
        {"10.1.2.3", "198.51.100.1:80", "10.1.2.3"},
        {"10.1.2.3", "\"198.51.100.1\"", "10.1.2.3"},
        {"10.1.2.3", "198.51.100.1\n", "10.1.2.3"},
        {"10.1.2.3", "\t \t", "10.1.2.3"},
        {"10.1.2.3", "2001:db8::1", "2001:db8::1"},
        {"fd00::1", "198.51.100.1", "198.51.100.1"},
        {"fd00:0:0:1::1", "198.51.100.1", "fd00:0:0:1::1"},
        {"172.20.0.1", "198.51.100.1", "198.51.100.1"},
        {"172.32.0.1", "198.51.100.1", "172.32.0.1"},
        {"11.0.0.1", "198.51.100.1", "11.0.0.1"},
    };
    struct client_limits *clients = start(0, 1, "10.0.0.0/8,172.16.0.0/12,fd00::/64");

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct client peer = at(cases[i].peer), want = at(cases[i].client);
        struct client got = client_limits_behind(clients, &peer, cases[i].forwarded);
        ok(memcmp(&got, &want, sizeof(got)) == 0, "%s for \"%s\" is %s", cases[i].peer,
           cases[i].forwarded, cases[i].client);
    }
    client_limits_free(clients);
}

static void test_wrong_proxies(void)
{
    static const char *const wrong[] = {"proxy",       "10.0.0.0/33",  "10.0.0/8",
                                        "10.0.0.0/-1", "10.0.0.0/1.5", "::1/129",
                                        "10.0.0.0/8,", "10.0.0.0/8 "};

    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct err err = {0};
        struct client_limits *clients =
            client_limits_new(&(struct client_limits_options){{0}, 0, wrong[i], 0}, &err);
        bool taken = i == 6; /* a comma too many is none too many addresses */
        ok((clients != NULL) == taken, "\"%s\" is %s", wrong[i], taken ? "taken" : err.text);
        client_limits_free(clients);
    }
}

static int ask(struct client_limits *clients, const char *address, double now, int times)
{
    struct client client = at(address);
    int granted = 0;

    for (int i = 0; i < times; i++)
        granted += client_limits_wait(clients, &client, now) <= 0;
    return granted;
}

static void test_rate(void)
{
    struct client_limits *clients = start(0, 2, "10.0.0.0/8");
    struct client client = at("192.0.2.1");

    ok(ask(clients, "192.0.2.1", 100, 100) == 2 * CLIENT_LIMITS_BURST_S, "a burst, and no more");
    is_near(client_limits_wait(clients, &client, 100), 0.5, 1e-9, "then the next in half a second");
    ok(ask(clients, "192.0.2.2", 100, 5) == 5, "another address has its own");
    ok(ask(clients, "192.0.2.1", 100.4, 5) == 0, "not before");
    ok(ask(clients, "192.0.2.1", 100.5, 5) == 1, "then one");
    ok(ask(clients, "192.0.2.1", 103.5, 50) == 6, "and two a second");
    ok(ask(clients, "192.0.2.1", 1e6, 1000) == 2 * CLIENT_LIMITS_BURST_S,
       "who was quiet has a burst");
    ok(ask(clients, "10.0.0.1", 100, 1000) == 1000, "a proxy has no bound");
    ok(ask(clients, "2001:db8::1", 100, 100) == 60 && ask(clients, "2001:db8::2", 100, 9) == 0,
       "a network of IPv6 is one client");
    ok(ask(clients, "2001:db8:0:1::1", 100, 9) == 9, "the next network is another");
    client_limits_free(clients);
    clients = start(0, 0.01, "");
    ok(ask(clients, "192.0.2.1", 100, 5) == 1, "a small rate still grants one");
    client_limits_free(clients);
    clients = start(0, 0, "");
    ok(ask(clients, "192.0.2.1", 100, 100) == 100, "without a rate there is no bound");
    client_limits_free(clients);
}

static void test_connections(void)
{
    struct client_limits *clients = start(2, 0, "10.0.0.0/8");
    struct client client = at("192.0.2.1"), other = at("192.0.2.2"), proxy = at("10.0.0.1");

    ok(client_limits_may(clients, &client, CLIENT_CONNECTION), "the first connection");
    client_limits_count(clients, &client, CLIENT_CONNECTION, 1);
    client_limits_count(clients, &client, CLIENT_CONNECTION, 1);
    ok(!client_limits_may(clients, &client, CLIENT_CONNECTION), "two are enough");
    ok(client_limits_may(clients, &other, CLIENT_CONNECTION), "for that address");
    client_limits_count(clients, &client, CLIENT_CONNECTION, -1);
    ok(client_limits_may(clients, &client, CLIENT_CONNECTION), "one has ended");
    for (int i = 0; i < 5; i++)
        client_limits_count(clients, &proxy, CLIENT_CONNECTION, 1);
    ok(client_limits_may(clients, &proxy, CLIENT_CONNECTION), "a proxy has as many as it wants");
    client_limits_free(clients);
}

static enum client_hold hold(struct client_limits *clients, const char *address, size_t bytes)
{
    struct client client = at(address);

    return client_limits_hold(clients, &client, bytes);
}

static void release(struct client_limits *clients, const char *address, size_t bytes)
{
    struct client client = at(address);

    client_limits_release(clients, &client, bytes);
}

static void test_hold(void)
{
    struct client_limits *clients = start(0, 0, "10.0.0.0/8");

    ok(hold(clients, "192.0.2.1", 251) == CLIENT_HOLD_TOO_LONG, "more than a quarter is too long");
    ok(hold(clients, "192.0.2.1", 150) == CLIENT_HOLD_GRANTED &&
           hold(clients, "192.0.2.1", 100) == CLIENT_HOLD_GRANTED,
       "one client may fill a quarter");
    ok(hold(clients, "192.0.2.1", 1) == CLIENT_HOLD_SHARE_FULL, "and no more");
    ok(hold(clients, "192.0.2.2", 188) == CLIENT_HOLD_POOL_FULL &&
           hold(clients, "192.0.2.2", 187) == CLIENT_HOLD_GRANTED,
       "the second a quarter of what is left");
    ok(hold(clients, "10.0.0.1", 140) == CLIENT_HOLD_GRANTED &&
           hold(clients, "10.0.0.1", 100) == CLIENT_HOLD_GRANTED,
       "a proxy has no share of its own");
    ok(hold(clients, "10.0.0.1", 100) == CLIENT_HOLD_POOL_FULL, "only what there is");
    release(clients, "10.0.0.1", 140);
    release(clients, "10.0.0.1", 100);
    release(clients, "192.0.2.2", 187);
    ok(hold(clients, "192.0.2.1", 1) == CLIENT_HOLD_SHARE_FULL, "what others give back is theirs");
    release(clients, "192.0.2.1", 100);
    ok(hold(clients, "192.0.2.1", 101) == CLIENT_HOLD_SHARE_FULL &&
           hold(clients, "192.0.2.1", 100) == CLIENT_HOLD_GRANTED,
       "what is given back may be had again, no more");
    release(clients, "192.0.2.1", 250);
    ok(hold(clients, "2001:db8::1", 250) == CLIENT_HOLD_GRANTED &&
           hold(clients, "2001:db8::2", 1) == CLIENT_HOLD_SHARE_FULL,
       "a network of IPv6 is one client");
    release(clients, "2001:db8::9", 250);
    ok(hold(clients, "192.0.2.1", 250) == CLIENT_HOLD_GRANTED, "all is as at the start");
    client_limits_free(clients);
}

/* As client_limits_new() promises of any number of addresses that read nothing. */
static void test_hold_by_many(void)
{
    struct client_limits *clients = start(0, 0, "");
    size_t left = HOLD;
    char address[32];

    for (unsigned i = 0; i < 12; i++) {
        size_t most = left / (CLIENTS_FREE_PARTS + 1);
        snprintf(address, sizeof(address), "192.0.2.%u", i);
        ok(hold(clients, address, most + 1) != CLIENT_HOLD_GRANTED &&
               hold(clients, address, most) == CLIENT_HOLD_GRANTED,
           "address %u may have %zu of %zu", i, most, left);
        left -= most;
    }
    ok(left > HOLD * 3 / 100, "three in a hundred are left after the twelfth: %zu", left);
    client_limits_free(clients);
    clients = client_limits_new(&(struct client_limits_options){.proxies = ""}, &(struct err){0});
    ok(hold(clients, "192.0.2.1", (size_t)1 << 40) == CLIENT_HOLD_GRANTED, "0 is any number");
    client_limits_free(clients);
}

/* More addresses than the table has room for: nobody with a connection is forgotten. */
static void test_flood(void)
{
    struct client_limits *clients = start(1, 1, "");
    struct client keeps = at("192.0.2.1");
    struct sockaddr_in from = {.sin_family = AF_INET};
    int refused = 0;

    ok(hold(clients, "192.0.2.2", 250) == CLIENT_HOLD_GRANTED, "an answer waits");
    client_limits_count(clients, &keeps, CLIENT_CONNECTION, 1);
    for (uint32_t i = 0; i < 200000; i++) {
        from.sin_addr.s_addr = htonl(0x0b000000U + i);
        struct client client = client_limits_client((const struct sockaddr *)&from);
        refused += client_limits_wait(clients, &client, 100 + i * 1e-6) > 0;
    }
    ok(refused == 0, "200,000 addresses ask once each");
    ok(!client_limits_may(clients, &keeps, CLIENT_CONNECTION),
       "the connection from before is still counted");
    ok(hold(clients, "192.0.2.2", 1) == CLIENT_HOLD_SHARE_FULL, "and so is the answer");
    client_limits_free(clients);
}

int main(void)
{
    test_behind();
    test_wrong_proxies();
    test_rate();
    test_connections();
    test_hold();
    test_hold_by_many();
    test_flood();
    return tap_done();
}
