/* parallel.h - a parallel for-loop over independent tasks, run on idle threads.
 *
 * The owner of the thread pool implements it; callers do not depend on the pool.
 */
#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

#include "base/cancel.h"

#include <stddef.h>

/* Piece i of the work; may run on any thread, alongside other pieces. */
typedef void (*piece_fn)(void *context, size_t i);

struct parallel {
    void (*each)(void *pool, const struct cancel *cancel, size_t n, piece_fn work, void *context);
    void *pool;
    const struct cancel *cancel; /* of the calculation whose pieces they are; NULL: it has none */
};

/* Call work(context, i) once for each i below n, in no order that could be relied on, and return
 * when all of them are done. This thread takes part, so it needs no other; NULL: it does them all,
 * in order. A piece should take from about 10 microseconds, the price of handing it over, to a few
 * milliseconds, since a piece once begun is not interrupted. Once the calculation is cancelled the
 * pieces that are left are not done: the caller looks before it uses what they would have made. */
void parallel_each(const struct parallel *parallel, size_t n, piece_fn work, void *context);

#endif
