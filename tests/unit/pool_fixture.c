#include "pool_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

atomic_int pool_turns;

bool pool_wait_sem(sem_t *sem)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 10;
    return sem_timedwait(sem, &until) == 0;
}

struct thread_pool *pool_fixture_limited(unsigned threads, size_t queue, double seconds_max)
{
    struct err err = {0};
    struct thread_pool *pool =
        thread_pool_start(&(struct pool_options){threads, queue, seconds_max}, &err);

    if (!pool) {
        printf("Bail out! the pool does not start: %s\n", err.text);
        exit(1);
    }
    return pool;
}

struct thread_pool *pool_fixture(unsigned threads, size_t queue)
{
    return pool_fixture_limited(threads, queue, 0);
}

static void run_held(struct pool_job *job, unsigned thread)
{
    struct held *held = (struct held *)job;

    held->thread = thread;
    held->turn = ++pool_turns;
    sem_post(&held->entered);
    pool_wait_sem(&held->leave);
}

void held_init(struct held *held)
{
    *held = (struct held){.job.run = run_held};
    sem_init(&held->entered, 0, 0);
    sem_init(&held->leave, 0, 0);
}
