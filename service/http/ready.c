#include "http/ready.h"

#include "http/listen.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

static bool exchange(int fd, const struct address *address, char *status, size_t size)
{
    static const char question[] =
        "GET /ready HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    struct timeval limit = {.tv_sec = 3};

    errno = 0; /* a connection that is closed without an answer is no error of the system */
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
    if (connect(fd, &address->socket.any, address->socket_bytes) != 0 ||
        write(fd, question, sizeof(question) - 1) != (ssize_t)sizeof(question) - 1)
        return false;
    ssize_t n = read(fd, status, size - 1);
    status[n > 0 ? n : 0] = '\0';
    return n > 0;
}

bool ready_ask(const char *admin_listen, struct err *err)
{
    struct address address;
    char status[64];

    if (!listen_parse(&address, admin_listen, err))
        return false;
    int fd = socket(address.is_ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool answered = fd >= 0 && exchange(fd, &address, status, sizeof(status));
    int failed = errno;
    if (fd >= 0)
        close(fd);
    if (!answered)
        return err_set(err, ERR_UNAVAILABLE, "%s: %s", admin_listen,
                       failed ? strerror(failed) : "no answer");
    if (strncmp(status, "HTTP/1.1 200", 12) != 0)
        return err_set(err, ERR_UNAVAILABLE, "%s: not ready", admin_listen);
    return true;
}
