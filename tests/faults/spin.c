/* spin.c - preloaded: as long as the file named by SPIN is there, qsort_r() does not return. A
 * sensitivity sorts its inputs with it. It blocks until the file is deleted: to the daemon a thread
 * that does not end looks the same whether it computes or waits. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <unistd.h>

typedef int (*compare_fn)(const void *, const void *, void *);

static void await_deletion(const char *path)
{
    struct inotify_event event;
    int watch = inotify_init1(IN_CLOEXEC);

    if (inotify_add_watch(watch, path, IN_DELETE_SELF) >= 0)
        while (read(watch, &event, sizeof(event)) < 0 && access(path, F_OK) == 0)
            ;
    close(watch);
}

void qsort_r(void *base, size_t n, size_t size, compare_fn compare, void *context)
{
    void (*real)(void *, size_t, size_t, compare_fn, void *) = dlsym(RTLD_NEXT, "qsort_r");
    const char *path = getenv("SPIN");

    if (path)
        await_deletion(path);
    real(base, n, size, compare, context);
}
