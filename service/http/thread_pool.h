/* thread_pool.h - a thread pool for long calculations with a fair queue, deadlines and
 * cancellation, so that they do not delay short requests.
 *
 * The queue is bounded and round-robin by client, first come first served within a client. Short
 * jobs overtake long ones, but only a limited number in a row; long jobs always leave one thread to
 * short ones if there are several. A job may split its work into pieces (thread_pool_each): idle
 * threads help, and leave after their current piece as soon as a job waits that they may take. So a
 * request has all threads when no other wants one, and one thread otherwise.
 *
 * A job is not interrupted: it polls a cancellation token (base/cancel.h). A watchdog thread
 * sets the token when the job has run for `seconds_max`; others set it by thread_pool_cancel().
 * A job still running STUCK_SECONDS after its deadline does not poll: it is counted as stuck,
 * and only the end of the process ends it.
 */
#ifndef HTTP_THREAD_POOL_H
#define HTTP_THREAD_POOL_H

#include "base/err.h"
#include "base/parallel.h"
#include "http/client_limits.h"

#include <stdint.h>

struct thread_pool;

enum pool_kind { POOL_SHORT, POOL_LONG, POOL_KINDS };

/* A job is part of a struct of its owner's, who must not free it before run() is called; run()
 * may free it: the pool does not touch it again. `thread` is below the number of threads. */
struct pool_job {
    void (*run)(struct pool_job *job, unsigned thread);
    struct client client; /* whose turn it takes */
    enum pool_kind kind;
    const struct cancel *cancel; /* the pool's, for run() to look at until it returns */
    struct pool_job *next;       /* the pool's */
    uint64_t round;              /* the pool's: of the queue, in which it has its turn */
};

struct pool_options {
    unsigned threads;
    size_t queue;       /* jobs that may wait, besides those that run */
    double seconds_max; /* after which a job is cancelled; 0: never */
};

/* NULL with *err where threads are refused. */
struct thread_pool *thread_pool_start(const struct pool_options *options, struct err *err);
/* Run what still waits, then end the threads and free. NULL is fine. */
void thread_pool_stop(struct thread_pool *pool);
unsigned thread_pool_threads(const struct thread_pool *pool);

/* Have the job run; false, and nothing done, where the queue is full. */
bool thread_pool_submit(struct thread_pool *pool, struct pool_job *job) MUST_CHECK;

/* Withdraw a job: true if it was still queued, then its run() will not be called. Otherwise it
 * is cancelled, if it still runs. */
bool thread_pool_cancel(struct thread_pool *pool, const struct pool_job *job,
                        enum cancel_reason reason);
/* Cancel what runs, and from now on whatever begins. */
void thread_pool_cancel_all(struct thread_pool *pool, enum cancel_reason reason);

/* The `each` of base/parallel.h over a struct thread_pool. The caller works too and waits only for
 * pieces that are already running, so this cannot deadlock, within one another either. */
void thread_pool_each(void *pool, const struct cancel *cancel, size_t n, piece_fn work,
                      void *context);

enum { STUCK_SECONDS = 5 };

struct pool_stats {
    unsigned threads;
    size_t queued, running; /* jobs */
    uint64_t done, refused; /* jobs, since the start; done: to their end */
    uint64_t cancelled[CANCEL_REASONS];
    double seconds; /* threads have worked, in all, on jobs and on others' pieces */
    double oldest;  /* seconds that the oldest of the running jobs has run; 0: none does */
    size_t stuck;   /* running jobs that do not look at their token */
    struct pool_kind_stats {
        size_t queued;
        unsigned threads; /* that may run jobs of this kind at once */
        uint64_t ended;
        double seconds; /* from begin to end, of those that ended */
    } kinds[POOL_KINDS];
};

void thread_pool_get_stats(struct thread_pool *pool, struct pool_stats *stats);

/* Seconds after which a job of this kind that is refused now should be retried: until the queued
 * ones of its kind are done, at the recent rate. */
double thread_pool_wait(const struct pool_stats *stats, enum pool_kind kind);

#endif
