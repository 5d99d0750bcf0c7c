/* spin.c - preloaded: as long as the file named by SPIN is there, qsort_r() does not return. A
 * sensitivity's inputs are sorted by it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

typedef int (*compare_fn)(const void *, const void *, void *);

void qsort_r(void *base, size_t n, size_t size, compare_fn compare, void *context)
{
    void (*real)(void *, size_t, size_t, compare_fn, void *) = dlsym(RTLD_NEXT, "qsort_r");
    const char *path = getenv("SPIN");

    while (path && access(path, F_OK) == 0)
        ;
    real(base, n, size, compare, context);
}
