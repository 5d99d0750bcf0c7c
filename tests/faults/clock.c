/* clock.c - preloaded: the wall clock is as many seconds off as the file named by CLOCK_OFFSET
 * says. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long offset(void)
{
    char text[32] = "";
    const char *path = getenv("CLOCK_OFFSET");
    int fd = path ? open(path, O_RDONLY) : -1;

    if (fd < 0)
        return 0;
    long n = read(fd, text, sizeof(text) - 1);
    close(fd);
    return n > 0 ? strtol(text, NULL, 10) : 0;
}

int clock_gettime(clockid_t id, struct timespec *now)
{
    int rc = (int)syscall(SYS_clock_gettime, id, now);

    if (rc == 0 && id == CLOCK_REALTIME)
        now->tv_sec += offset();
    return rc;
}

time_t time(time_t *to)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    if (to)
        *to = now.tv_sec;
    return now.tv_sec;
}
