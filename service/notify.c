#include "notify.h"

#include "base/clock.h"
#include "base/text.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The path of a socket, or "@name" for an abstract one. */
static bool read_address(struct notify *notify, const char *text)
{
    size_t length = strlen(text);

    if ((text[0] != '/' && text[0] != '@') || length >= sizeof(notify->to.sun_path))
        return false;
    notify->to.sun_family = AF_UNIX;
    memcpy(notify->to.sun_path, text, length);
    if (text[0] == '@')
        notify->to.sun_path[0] = '\0';
    notify->to_bytes = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
    return true;
}

/* Ignore a watchdog meant for a parent process. */
static double read_watchdog(void)
{
    const char *every = getenv("WATCHDOG_USEC"), *of = getenv("WATCHDOG_PID");
    double microseconds, pid;

    if (!every || !text_number(every, &microseconds) || microseconds <= 0)
        return 0;
    if (of && (!text_number(of, &pid) || pid != (double)getpid()))
        return 0;
    return microseconds / 1e6;
}

void notify_open(struct notify *notify)
{
    const char *to = getenv("NOTIFY_SOCKET");

    *notify = (struct notify){.fd = -1};
    if (!to || !read_address(notify, to))
        return;
    notify->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    notify->watchdog_seconds = read_watchdog();
}

void notify_close(struct notify *notify)
{
    if (notify->fd >= 0)
        close(notify->fd);
    notify->fd = -1;
}

void notify_send(const struct notify *notify, const char *format, ...)
{
    char text[512];
    va_list arguments;

    if (notify->fd < 0)
        return;
    va_start(arguments, format);
    int n = vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    if (n > 0 && (size_t)n < sizeof(text))
        (void)sendto(notify->fd, text, (size_t)n, MSG_NOSIGNAL,
                     (const struct sockaddr *)&notify->to, notify->to_bytes);
}

void notify_reloading(const struct notify *notify)
{
    notify_send(notify, "RELOADING=1\nMONOTONIC_USEC=%.0f", clock_monotonic() * 1e6);
}
