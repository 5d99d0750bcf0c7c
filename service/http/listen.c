#include "http/listen.h"

#include "base/text.h"
#include "http/socket_activation.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BACKLOG = 1024, HOST_MAX = 64, UNSENT_MAX = 128 * 1024 };

static bool split(const char *text, char host[HOST_MAX], double *port)
{
    const char *colon = strrchr(text, ':');

    if (!colon || !text_number(colon + 1, port) || *port < 0 || *port > 65535 ||
        *port != floor(*port))
        return false;
    bool brackets = text[0] == '[' && colon > text && colon[-1] == ']';
    const char *start = text + brackets, *end = colon - brackets;
    if (end <= start || end - start >= HOST_MAX)
        return false;
    snprintf(host, HOST_MAX, "%.*s", (int)(end - start), start);
    return brackets == (strchr(host, ':') != NULL);
}

bool listen_parse(struct address *address, const char *text, struct err *err)
{
    char host[HOST_MAX];
    double port;

    *address = (struct address){.text = text};
    if (!split(text, host, &port))
        return err_set(err, ERR_INVALID,
                       "%s is not an address: enter one such as 127.0.0.1:8080 "
                       "or [::1]:8080",
                       text);
    address->port = (unsigned)port;
    address->is_ipv6 = strchr(host, ':') != NULL;
    void *to = address->is_ipv6 ? (void *)&address->socket.ipv6.sin6_addr
                                : (void *)&address->socket.ipv4.sin_addr;
    if (inet_pton(address->is_ipv6 ? AF_INET6 : AF_INET, host, to) != 1)
        return err_set(err, ERR_INVALID, "%s: the host must be an IP address", text);
    if (address->is_ipv6) {
        address->socket.ipv6.sin6_family = AF_INET6;
        address->socket.ipv6.sin6_port = htons((uint16_t)address->port);
        address->socket_bytes = sizeof(address->socket.ipv6);
    } else {
        address->socket.ipv4.sin_family = AF_INET;
        address->socket.ipv4.sin_port = htons((uint16_t)address->port);
        address->socket_bytes = sizeof(address->socket.ipv4);
    }
    return true;
}

static bool set(int fd, int option)
{
    int one = 1;

    return setsockopt(fd, SOL_SOCKET, option, &one, sizeof(one)) == 0;
}

/* Connections inherit this. Data that a client does not read stays in our memory, where it is
 * limited, instead of megabytes in the kernel. */
static bool bound_unsent(int fd)
{
    int bytes = UNSENT_MAX;

    return setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &bytes, sizeof(bytes)) == 0;
}

/* Open a listening socket, with `shared` for a port shared with other such sockets, otherwise
 * exclusively. */
static int open_socket(const struct address *address, bool shared)
{
    int fd = socket(address->socket.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0)
        return -1;
    /* SO_REUSEADDR: connections of a previous daemon do not block the port. */
    if (set(fd, SO_REUSEADDR) && (!shared || set(fd, SO_REUSEPORT)) &&
        bind(fd, &address->socket.any, address->socket_bytes) == 0 && listen(fd, BACKLOG) == 0)
        return fd;
    int failed = errno;
    close(fd);
    errno = failed;
    return -1;
}

static bool read_port(struct address *address, int fd)
{
    socklen_t bytes = address->socket_bytes;

    if (getsockname(fd, &address->socket.any, &bytes) != 0)
        return false;
    address->port =
        ntohs(address->is_ipv6 ? address->socket.ipv6.sin6_port : address->socket.ipv4.sin_port);
    return true;
}

/* The first socket binds the port exclusively, which fails if any process has it; with SO_REUSEPORT
 * from the start a second daemon would silently get half of the connections. It then enables
 * sharing for the other sockets, which must belong to the same user. */
bool listen_open(struct address *address, int *sockets, unsigned n, struct err *err)
{
    unsigned opened = 0;

    sockets[0] = socket_activation_socket(address);
    bool inherited = sockets[0] >= 0;
    if (!inherited)
        sockets[0] = open_socket(address, false);
    opened += sockets[0] >= 0;
    bool good = opened && read_port(address, sockets[0]) && bound_unsent(sockets[0]) &&
                (inherited || set(sockets[0], SO_REUSEPORT));
    while (good && opened < n) {
        /* An inherited socket is duplicated, because only its opener can share the port. */
        sockets[opened] =
            inherited ? fcntl(sockets[0], F_DUPFD_CLOEXEC, 0) : open_socket(address, true);
        good = sockets[opened] >= 0 && bound_unsent(sockets[opened]);
        opened += good;
    }
    if (good)
        return true;
    err_set(err, ERR_UNAVAILABLE, "cannot listen on %s: %s", address->text, strerror(errno));
    while (opened--)
        close(sockets[opened]);
    return false;
}
