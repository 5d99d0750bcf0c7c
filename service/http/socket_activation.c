#include "http/socket_activation.h"

#include "base/text.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIRST = 3, SOCKETS_MAX = 16 };

/* Number of descriptors from FIRST on; ignores those meant for a parent process. */
static int count(void)
{
    const char *number = getenv("LISTEN_FDS"), *of = getenv("LISTEN_PID");
    double n, pid;

    if (!number || !of || !text_number(number, &n) || !text_number(of, &pid) ||
        pid != (double)getpid() || n < 1 || n > SOCKETS_MAX)
        return 0;
    return (int)n;
}

static bool listens(int fd)
{
    int yes = 0;
    socklen_t bytes = sizeof(yes);

    return getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &yes, &bytes) == 0 && yes;
}

static bool is_at(int fd, const struct address *address)
{
    struct address own = {.is_ipv6 = address->is_ipv6};
    socklen_t bytes = sizeof(own.socket);

    if (getsockname(fd, &own.socket.any, &bytes) != 0 ||
        own.socket.any.sa_family != address->socket.any.sa_family)
        return false;
    if (address->is_ipv6)
        return own.socket.ipv6.sin6_port == address->socket.ipv6.sin6_port &&
               memcmp(&own.socket.ipv6.sin6_addr, &address->socket.ipv6.sin6_addr,
                      sizeof(own.socket.ipv6.sin6_addr)) == 0;
    return own.socket.ipv4.sin_port == address->socket.ipv4.sin_port &&
           own.socket.ipv4.sin_addr.s_addr == address->socket.ipv4.sin_addr.s_addr;
}

int socket_activation_socket(const struct address *address)
{
    int n = count();

    for (int fd = FIRST; fd < FIRST + n; fd++) {
        if (!listens(fd) || !is_at(fd, address))
            continue;
        int own = fcntl(fd, F_DUPFD_CLOEXEC, FIRST + n);
        if (own >= 0 && fcntl(own, F_SETFL, O_NONBLOCK) == 0)
            return own;
        if (own >= 0)
            close(own);
    }
    return -1;
}
