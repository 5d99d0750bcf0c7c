/* pool_fixture.h - pools for tests, and a job that is held until the test lets it go. */
#ifndef TESTS_POOL_FIXTURE_H
#define TESTS_POOL_FIXTURE_H

#include "http/thread_pool.h"

#include <semaphore.h>
#include <stdatomic.h>

/* False after ten seconds: what does not come fails the test, it does not hang it. */
bool pool_wait_sem(sem_t *sem);

/* Where it does not start the test ends. */
struct thread_pool *pool_fixture(unsigned threads, size_t queue);
struct thread_pool *pool_fixture_limited(unsigned threads, size_t queue, double seconds_max);

/* A job that says it has begun, waits to be let go, and notes its turn. */
struct held {
    struct pool_job job;
    sem_t entered, leave;
    unsigned thread;
    int turn;
};

void held_init(struct held *held);

extern atomic_int pool_turns; /* that jobs have had */

#endif
