/* malloc.c - preloaded: after SIGUSR2 the n-th allocation fails, n being what the file named by
 * FAIL_AFTER says; the file is removed once the order has been taken. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *old, size_t size);

static atomic_long left = -1; /* allocations until the one that fails; -1: none will */

static int fails(void)
{
    if (atomic_load(&left) < 0 || atomic_fetch_sub(&left, 1) != 0)
        return 0;
    errno = ENOMEM;
    return 1;
}

static void order(int number)
{
    char text[16] = "";
    const char *path = getenv("FAIL_AFTER");
    int fd = open(path, O_RDONLY);

    (void)number;
    if (fd < 0 || read(fd, text, sizeof(text) - 1) < 0)
        return;
    close(fd);
    atomic_store(&left, strtol(text, NULL, 10));
    unlink(path);
}

__attribute__((constructor)) static void prepare(void)
{
    if (getenv("FAIL_AFTER"))
        signal(SIGUSR2, order);
}

void *malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    return fails() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *old, size_t size)
{
    return fails() ? NULL : __libc_realloc(old, size);
}
