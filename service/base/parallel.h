/* parallel.h - independent pieces of work, done by whichever threads can be spared.
 *
 * Whoever owns the threads hands this over; those who use it need not know that there are any.
 */
#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

#include <stddef.h>

/* Piece i of the work; may run on any thread, beside other pieces. */
typedef void (*piece_fn)(void *context, size_t i);

struct parallel {
    void (*each)(void *pool, size_t n, piece_fn work, void *context);
    void *pool;
};

/* Call work(context, i) once for each i below n, in no order that could be relied on, and return
 * when all of them are done. This thread takes part, so it needs no other; NULL: it does them all,
 * in order. A piece should take from about 10 microseconds, the price of handing it over, to a few
 * milliseconds, since a piece once begun is not interrupted. */
void parallel_each(const struct parallel *parallel, size_t n, piece_fn work, void *context);

#endif
