/* pool.h - threads for long calculations, so that these hold up nobody who asks for little.
 *
 * Jobs wait in a queue of bounded length and are taken in order, a thread for each. A job may split
 * its work into pieces (pool_each): threads without a job lend a hand, and leave after the piece
 * under way as soon as a job waits. So a request has every thread to itself while nobody else wants
 * one, and one thread while others do.
 *
 * A job is not interrupted. What bounds it is its work: the ranges of the field tables and the
 * limits of the searches (TRAINING_GPUS_MAX and its kin), the same for every request, so that the
 * queue moves on and the last of it is answered in a bounded time too.
 */
#ifndef HTTP_POOL_H
#define HTTP_POOL_H

#include "base/err.h"
#include "base/parallel.h"

#include <stdint.h>

struct pool;

/* A job is part of a struct of its owner's, who must not free it before run() is called; run() may:
 * the pool does not look at it again. `thread` is below the number of threads. */
struct pool_job {
    void (*run)(struct pool_job *job, unsigned thread);
    struct pool_job *next; /* the pool's */
};

/* Start with room for `queue` jobs besides those running; NULL with *err where threads are refused.
 */
struct pool *pool_start(unsigned threads, size_t queue, struct err *err);
/* Run what still waits, then end the threads and free. NULL is fine. */
void pool_stop(struct pool *pool);
unsigned pool_threads(const struct pool *pool);

/* Have the job run; false, and nothing done, where the queue is full. */
bool pool_submit(struct pool *pool, struct pool_job *job) MUST_CHECK;

/* The `each` of base/parallel.h over a struct pool. The caller works too and waits only for pieces
 * that are already running, so this cannot deadlock, within one another either. */
void pool_each(void *pool, size_t n, piece_fn work, void *context);

struct pool_stats {
    unsigned threads;
    size_t queued, running; /* jobs */
    uint64_t done, refused; /* jobs, since the start */
    double seconds;         /* threads have worked, in all, on jobs and on others' pieces */
};

void pool_get_stats(struct pool *pool, struct pool_stats *stats);

/* How long a job refused now should stay away, in seconds: until the jobs that wait are done, as
 * fast as those before them. */
double pool_wait(const struct pool_stats *stats);

#endif
