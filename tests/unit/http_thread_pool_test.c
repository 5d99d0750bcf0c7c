/* http_thread_pool_test.c - the compute pool by itself: its end, and work shared out in pieces. */
#include "pool_fixture.h"
#include "tap.h"

#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

static void test_stop_runs_what_waits(void)
{
    struct thread_pool *pool = pool_fixture(2, 8);
    struct held jobs[10];

    pool_turns = 0;
    for (int i = 0; i < 10; i++)
        held_init(&jobs[i]);
    for (int i = 0; i < 2; i++)
        ok(thread_pool_submit(pool, &jobs[i].job) && pool_wait_sem(&jobs[i].entered),
           "a thread is busy");
    ok(jobs[0].thread + jobs[1].thread == 1, "each is told which thread it has");
    for (int i = 2; i < 10; i++)
        if (!thread_pool_submit(pool, &jobs[i].job))
            ok(false, "there is room for eight more");
    for (int i = 0; i < 10; i++)
        sem_post(&jobs[i].leave);
    thread_pool_stop(pool);
    ok(pool_turns == 10, "at its end the pool has run what waited");
    thread_pool_stop(NULL);
}

static void test_wait(void)
{
    struct pool_stats stats = {
        .kinds = {{.queued = 20, .threads = 4, .ended = 100, .seconds = 50},
                  {.queued = 6, .threads = 3, .ended = 10, .seconds = 20}},
    };

    is_near(thread_pool_wait(&stats, POOL_SHORT), 2.5, 1e-12,
            "20 jobs of half a second on 4 threads");
    is_near(thread_pool_wait(&stats, POOL_LONG), 4, 1e-12, "6 of two seconds on 3");
    stats.kinds[POOL_LONG].ended = 0;
    ok(thread_pool_wait(&stats, POOL_LONG) == 0, "nothing is known yet");
}

enum { PIECES = 1000 };

struct tally {
    atomic_int times[PIECES];
};

static void count_piece(void *context, size_t i)
{
    struct tally *tally = context;

    tally->times[i]++;
}

static bool each_once(const struct parallel *parallel, size_t n)
{
    static struct tally tally;
    bool once = true;

    for (size_t i = 0; i < PIECES; i++)
        tally.times[i] = 0;
    parallel_each(parallel, n, count_piece, &tally);
    for (size_t i = 0; i < PIECES; i++)
        once = once && tally.times[i] == (i < n);
    return once;
}

static void test_each(void)
{
    static const size_t sizes[] = {0, 1, 2, 3, PIECES};
    struct thread_pool *pool = pool_fixture(3, 8);
    struct parallel parallel = {thread_pool_each, pool, NULL};

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        ok(each_once(&parallel, sizes[i]), "%zu pieces are done once each", sizes[i]);
        ok(each_once(NULL, sizes[i]), "and without a pool");
    }
    thread_pool_stop(pool);
}

static void mark_late(void *context, size_t i)
{
    poll(NULL, 0, 1); /* work that takes a while */
    ((bool *)context)[i] = true;
}

/* A plain bool: a thread that is not waited for is a race too. */
static void test_each_waits(void)
{
    struct thread_pool *pool = pool_fixture(3, 8);
    int whole = 0;

    for (int round = 0; round < 20; round++) {
        bool marks[5] = {false};
        thread_pool_each(pool, NULL, 5, mark_late, marks);
        whole += marks[0] && marks[1] && marks[2] && marks[3] && marks[4];
    }
    ok(whole == 20, "who shared out his work has all of it when he goes on");
    thread_pool_stop(pool);
}

/* Every piece waits for all the others to have begun. */
struct meeting {
    pthread_mutex_t lock;
    pthread_cond_t all;
    size_t here, n;
    bool late;
};

static void meet(void *context, size_t i)
{
    struct meeting *meeting = context;
    struct timespec until;

    (void)i;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 10;
    pthread_mutex_lock(&meeting->lock);
    if (++meeting->here == meeting->n)
        pthread_cond_broadcast(&meeting->all);
    while (meeting->here < meeting->n && !meeting->late)
        meeting->late = pthread_cond_timedwait(&meeting->all, &meeting->lock, &until) != 0;
    pthread_mutex_unlock(&meeting->lock);
}

static void test_each_is_parallel(void)
{
    struct thread_pool *pool = pool_fixture(3, 8);
    struct meeting meeting = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 4, false};

    thread_pool_each(pool, NULL, 4, meet, &meeting);
    ok(!meeting.late, "three threads and the caller's are at work at the same time");
    thread_pool_stop(pool);
}

/* A long job whose pieces meet, while another long one waits that may not run yet. */
struct helped {
    struct held job; /* first: its run() finds the rest */
    struct thread_pool *pool;
    struct meeting meeting;
};

static void run_helped(struct pool_job *job, unsigned thread)
{
    struct helped *helped = (struct helped *)job;

    (void)thread;
    sem_post(&helped->job.entered);
    pool_wait_sem(&helped->job.leave);
    thread_pool_each(helped->pool, job->cancel, 2, meet, &helped->meeting);
}

static void test_helpers_stay(void)
{
    struct thread_pool *pool = pool_fixture(2, 8);
    struct helped helped = {
        .pool = pool,
        .meeting = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 2, false}};
    struct held waiting;

    held_init(&helped.job);
    helped.job.job.run = run_helped;
    helped.job.job.kind = POOL_LONG;
    held_init(&waiting);
    waiting.job.kind = POOL_LONG;
    ok(thread_pool_submit(pool, &helped.job.job) && pool_wait_sem(&helped.job.entered) &&
           thread_pool_submit(pool, &waiting.job),
       "one long job runs on two threads, another waits");
    sem_post(&helped.job.leave);
    ok(pool_wait_sem(&waiting.entered) && !helped.meeting.late,
       "the thread that may not take it helps with the first");
    sem_post(&waiting.leave);
    thread_pool_stop(pool);
}

/* A pool of one thread, which lends a hand with many pieces while a job comes in. */
struct fair {
    struct held job; /* first: its run() finds the rest */
    struct thread_pool *pool;
    pthread_t caller;
    sem_t helping, asked;
    atomic_bool submitted, begun, unfair;
};

static void run_begun(struct pool_job *job, unsigned thread)
{
    struct fair *fair = (struct fair *)job;

    (void)thread;
    fair->begun = true;
    sem_post(&fair->job.entered);
}

static void fair_piece(void *context, size_t i)
{
    struct fair *fair = context;

    (void)i;
    if (pthread_equal(pthread_self(), fair->caller)) {
        if (fair->submitted)
            return;
        bool helped = pool_wait_sem(&fair->helping);
        fair->submitted = thread_pool_submit(fair->pool, &fair->job.job);
        sem_post(&fair->asked);
        if (!helped || !fair->submitted || !pool_wait_sem(&fair->job.entered))
            fair->unfair = true;
        return;
    }
    if (fair->submitted && !fair->begun)
        fair->unfair = true;
    if (!fair->submitted) {
        sem_post(&fair->helping);
        pool_wait_sem(&fair->asked);
    }
}

static void test_jobs_before_pieces(void)
{
    struct thread_pool *pool = pool_fixture(1, 8);
    struct fair fair = {.pool = pool, .caller = pthread_self()};

    held_init(&fair.job);
    fair.job.job.run = run_begun;
    sem_init(&fair.helping, 0, 0);
    sem_init(&fair.asked, 0, 0);
    thread_pool_each(pool, NULL, PIECES, fair_piece, &fair);
    ok(fair.begun && !fair.unfair, "a thread leaves another's pieces for a job at once");
    thread_pool_stop(pool);
}

/* Pieces that are shared out themselves, from several threads and from jobs. */
struct nest {
    struct parallel parallel;
    atomic_int leaves;
};

static void leaf(void *context, size_t i)
{
    struct nest *nest = context;

    (void)i;
    nest->leaves++;
}

static void branch(void *context, size_t i)
{
    struct nest *nest = context;

    (void)i;
    parallel_each(&nest->parallel, 7, leaf, nest);
}

struct nest_job {
    struct pool_job job;
    struct nest *nest;
    sem_t done;
};

static void run_nest(struct pool_job *job, unsigned thread)
{
    struct nest_job *mine = (struct nest_job *)job;

    (void)thread;
    parallel_each(&mine->nest->parallel, 11, branch, mine->nest);
    sem_post(&mine->done);
}

static void *nest_outside(void *nest)
{
    for (int i = 0; i < 20; i++)
        parallel_each(&((struct nest *)nest)->parallel, 11, branch, nest);
    return NULL;
}

static void test_nested(void)
{
    enum { JOBS = 40, OUTSIDE = 3 };
    struct thread_pool *pool = pool_fixture(3, JOBS);
    struct nest nest = {.parallel = {thread_pool_each, pool, NULL}};
    struct nest_job jobs[JOBS];
    pthread_t threads[OUTSIDE];
    int done = 0;

    for (int i = 0; i < OUTSIDE; i++)
        pthread_create(&threads[i], NULL, nest_outside, &nest);
    for (int i = 0; i < JOBS; i++) {
        jobs[i] = (struct nest_job){.job.run = run_nest, .nest = &nest};
        sem_init(&jobs[i].done, 0, 0);
        if (!thread_pool_submit(pool, &jobs[i].job))
            ok(false, "there is room for %d jobs", JOBS);
    }
    for (int i = 0; i < JOBS; i++)
        done += pool_wait_sem(&jobs[i].done);
    for (int i = 0; i < OUTSIDE; i++)
        pthread_join(threads[i], NULL);
    ok(done == JOBS, "work within work, from inside and outside, comes to its end");
    ok(nest.leaves == (JOBS + OUTSIDE * 20) * 11 * 7, "with every piece done: %d", nest.leaves);
    thread_pool_stop(pool);
}

int main(void)
{
    test_helpers_stay();
    test_stop_runs_what_waits();
    test_wait();
    test_each();
    test_each_waits();
    test_each_is_parallel();
    test_jobs_before_pieces();
    test_nested();
    return tap_done();
}
