/* thread_pool.h - a thread pool for long calculations, with a fair queue, deadlines and
 * cancellation, so that they do not delay short requests.
 *
 * The queue is bounded and round-robin by client, first come first served within a client. Short
 * jobs overtake long ones, but only a limited number in a row; if there are several threads, one is
 * reserved for short jobs. A job may split its work into pieces (thread_pool_each): idle threads
 * help, and leave after their current piece as soon as there is a job for them in the queue. So a
 * request gets all threads when nothing else is queued, and one thread otherwise.
 *
 * A job is not interrupted: it polls a cancellation token (base/cancel.h). A watchdog thread sets
 * the token when the job has run for `seconds_max`; others set it by thread_pool_cancel(). A job
 * still running STUCK_SECONDS after its deadline does not poll: it is counted as stuck, and ends
 * only with the process.
 */
#ifndef HTTP_THREAD_POOL_H
#define HTTP_THREAD_POOL_H

#include "base/err.h"
#include "base/parallel.h"
#include "http/client_limits.h"

#include <stdint.h>

struct thread_pool;

enum pool_kind { POOL_SHORT, POOL_LONG, POOL_KINDS };

/* A job is embedded in a struct of its owner, who must not free it before run() is called. run()
 * may free it: the pool does not touch it afterwards. `thread` is the index of the pool thread. */
struct pool_job {
    void (*run)(struct pool_job *job, unsigned thread);
    struct client client; /* for round-robin queueing */
    enum pool_kind kind;
    const struct cancel *cancel; /* set by the pool, valid until run() returns */
    struct pool_job *next;       /* used by the pool */
    uint64_t round;              /* used by the pool: the round the job is queued in */
};

struct pool_options {
    unsigned threads;
    size_t queue;       /* maximum number of waiting jobs, not counting running ones */
    double seconds_max; /* a job is cancelled after this; 0 for never */
};

/* Returns NULL with *err if threads cannot be created. */
struct thread_pool *thread_pool_start(const struct pool_options *options, struct err *err);
/* Run the queued jobs, then end the threads and free. NULL is allowed. */
void thread_pool_stop(struct thread_pool *pool);
unsigned thread_pool_threads(const struct thread_pool *pool);

/* Queue a job; false, with no effect, if the queue is full. */
bool thread_pool_submit(struct thread_pool *pool, struct pool_job *job) MUST_CHECK;

/* Withdraw a job. Returns true if it was still queued; its run() is then never called. If it is
 * running, it is cancelled. */
bool thread_pool_cancel(struct thread_pool *pool, const struct pool_job *job,
                        enum cancel_reason reason);
/* Cancel all running jobs, and from now on every job as it starts: the service is stopping. */
void thread_pool_cancel_all(struct thread_pool *pool);

/* The `each` of base/parallel.h for a struct thread_pool. The caller works too and waits only for
 * pieces that are already running, so nested calls cannot deadlock either. */
void thread_pool_each(void *pool, const struct cancel *cancel, size_t n, piece_fn work,
                      void *context);

enum { STUCK_SECONDS = 5 };

struct pool_stats {
    unsigned threads;
    size_t queued, running; /* jobs */
    uint64_t done, refused; /* jobs since the start; done: run to completion */
    uint64_t cancelled[CANCEL_REASONS];
    double seconds; /* total time that threads worked, on jobs and on pieces of others' jobs */
    double oldest;  /* how long the oldest running job has run, in seconds; 0 if none is running */
    size_t stuck;   /* running jobs that do not poll their token */
    struct pool_kind_stats {
        size_t queued;
        unsigned threads; /* threads that may run jobs of this kind at once */
        uint64_t ended;
        double seconds; /* total run time of the ended jobs */
    } kinds[POOL_KINDS];
};

void thread_pool_get_stats(struct thread_pool *pool, struct pool_stats *stats);

/* Seconds after which a refused job of this kind should be retried: until the queued jobs of its
 * kind are done, at the recent rate. */
double thread_pool_wait(const struct pool_stats *stats, enum pool_kind kind);

#endif
