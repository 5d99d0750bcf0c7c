#include "base/parallel.h"

#include <sys/resource.h>
#include <unistd.h>

void parallel_each(const struct parallel *parallel, size_t n, piece_fn work, void *context)
{
    if (parallel) {
        parallel->each(parallel->pool, n, work, context);
        return;
    }
    for (size_t i = 0; i < n; i++)
        work(context, i);
}

void parallel_stand_back(int nice)
{
    (void)setpriority(PRIO_PROCESS, (id_t)gettid(), nice); /* may be refused: then it competes */
}
