/* http_listen_test.c - addresses as people write them, and ports that only one may have. */
#include "http/listen.h"
#include "tap.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

static const struct {
    const char *text;
    bool good;
    unsigned port;
} addresses[] = {
    {"127.0.0.1:8080", true, 8080},
    {"0.0.0.0:0", true, 0},
    {"[::1]:65535", true, 65535},
    {"[::]:80", true, 80},
    {"127.0.0.1", false, 0},
    {"127.0.0.1:", false, 0},
    {":8080", false, 0},
    {"8080", false, 0},
    {"", false, 0},
    {"127.0.0.1:65536", false, 0},
    {"127.0.0.1:-1", false, 0},
    {"127.0.0.1:80.5", false, 0},
    {"127.0.0.1:http", false, 0},
    {"127.0.0.1:80 ", false, 0},
    {"127.0.0:80", false, 0},
    {"localhost:80", false, 0},
    {"::1:80", false, 0},
    {"[127.0.0.1]:80", false, 0},
    {"[::1:80", false, 0},
    {"[]:80", false, 0},
    {"[:80", false, 0},
};

static void test_addresses(void)
{
    for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
        struct address address;
        struct err err = {0};
        bool good = listen_parse(&address, addresses[i].text, &err);
        ok(good == addresses[i].good, "\"%s\" %s: %s", addresses[i].text,
           addresses[i].good ? "is an address" : "is none", err.text);
        ok(!good || address.port == addresses[i].port, "with that port");
        ok(good || (err.code == ERR_INVALID && err.text[0]), "or a reason");
    }
}

static void close_all(const int *sockets, int n)
{
    for (int i = 0; i < n; i++)
        close(sockets[i]);
}

/* For a connection to the socket, what the kernel takes of an answer before the client reads. */
static int unsent_max(int listening, const struct address *address)
{
    int fd = socket(address->socket.any.sa_family, SOCK_STREAM, 0), bytes = 0, theirs = -1;
    socklen_t size = sizeof(bytes);
    struct sockaddr_storage to;
    socklen_t to_size = sizeof(to);

    if (getsockname(listening, (struct sockaddr *)&to, &to_size) == 0 &&
        connect(fd, (const struct sockaddr *)&to, to_size) == 0)
        theirs = accept(listening, NULL, NULL);
    getsockopt(theirs, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &bytes, &size);
    close(theirs);
    close(fd);
    return bytes;
}

static void test_ports(const char *text)
{
    struct address first, second;
    int sockets[4], others[2];
    struct err err = {0};
    char taken[64];

    if (!ok(listen_parse(&first, text, &err) && listen_open(&first, sockets, 4, &err),
            "four sockets listen on %s: %s", text, err.text))
        return;
    ok(first.port > 0, "on a port of the system's choice, %u", first.port);
    snprintf(taken, sizeof(taken), "%.*s%u", (int)strlen(text) - 1, text, first.port);
    ok(listen_parse(&second, taken, &err) && !listen_open(&second, others, 2, &err),
       "nobody else may, although the port is shared");
    ok(err.code == ERR_UNAVAILABLE && strstr(err.text, taken), "and is told: %s", err.text);
    close_all(sockets, 4);
    ok(listen_open(&second, others, 2, &err), "until it is free again");
    close_all(others, 2);
    ok(listen_open(&second, others, 1, &err) && unsent_max(others[0], &second) == 128 * 1024,
       "the kernel takes 128 KiB of an answer that is not read");
    close_all(others, 1);
}

/* Whether this machine has the address to listen on. */
static bool has_ipv6(void)
{
    struct sockaddr_in6 here = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    int fd = socket(AF_INET6, SOCK_STREAM, 0);
    bool has = fd >= 0 && bind(fd, (const struct sockaddr *)&here, sizeof(here)) == 0;

    if (fd >= 0)
        close(fd);
    return has;
}

int main(void)
{
    test_addresses();
    test_ports("127.0.0.1:0");
    if (has_ipv6())
        test_ports("[::1]:0");
    else
        ok(true, "[::1] # SKIP no IPv6 here");
    return tap_done();
}
