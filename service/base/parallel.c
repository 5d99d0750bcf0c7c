#include "base/parallel.h"

void parallel_each(const struct parallel *parallel, size_t n, piece_fn work, void *context)
{
    if (parallel) {
        parallel->each(parallel->pool, parallel->cancel, n, work, context);
        return;
    }
    for (size_t i = 0; i < n; i++)
        work(context, i);
}
