/* parallel.h - a parallel for-loop over independent tasks, run on idle threads.
 *
 * The owner of the thread pool implements it; callers do not depend on the pool.
 */
#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

#include "base/cancel.h"

#include <stddef.h>

/* Does item i of the work; may run on any thread, in parallel with other items. */
typedef void (*piece_fn)(void *context, size_t i);

struct parallel {
    void (*each)(void *pool, const struct cancel *cancel, size_t n, piece_fn work, void *context);
    void *pool;
    const struct cancel *cancel; /* token of the calculation the work belongs to, or NULL */
};

/* Call work(context, i) once for each i below n, in any order, and return when all calls are done.
 * The calling thread works too, so it needs no idle thread; if `parallel` is NULL it makes all
 * calls itself, in order. An item should take from about 10 microseconds, the cost of handing it
 * over, to a few milliseconds, since it cannot be interrupted. After a cancellation the remaining
 * items are skipped: check for it before using their results. */
void parallel_each(const struct parallel *parallel, size_t n, piece_fn work, void *context);

#endif
