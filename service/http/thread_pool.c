#include "http/thread_pool.h"

#include "base/clock.h"
#include "base/mem.h"
#include "http/pool_queue.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* Nice value of these threads. Workers, which answer immediately, get three times their CPU share;
 * on two busy cores that doubled their replies at the cost of 5 % fewer calculations. */
enum { NICE = 5 };

/* Short jobs that may overtake a waiting long job that could run. */
enum { PASSES_MAX = 64 };

/* The pieces of one thread_pool_each(), on its caller's stack. */
struct batch {
    const struct cancel *cancel;
    piece_fn work;
    void *context;
    size_t n;
    atomic_size_t taken; /* next piece to start; runs past n */
    unsigned helpers;    /* threads inside, besides the caller's */
    struct batch *next;
};

struct pool_thread {
    struct thread_pool *pool;
    unsigned number;
    pthread_t thread;
    const struct pool_job *job; /* its run() is in progress, so the job may already be freed; NULL
                                 * if none */
    double since;               /* start time */
    struct cancel cancel;       /* its token */
};

/* Guards every member except the constant and atomic ones. */
struct thread_pool {
    pthread_mutex_t lock;
    pthread_cond_t come;   /* signals a job, a batch or shutdown */
    pthread_cond_t left;   /* signals that the last helper has left a batch */
    pthread_cond_t ending; /* for the watchdog, on CLOCK_MONOTONIC */
    struct pool_queue queues[POOL_KINDS];
    struct batch *batches; /* oldest first */
    size_t queue;
    double seconds_max;
    atomic_bool takeable; /* a job is queued that a thread could run */
    bool stopping;
    bool cancels_all; /* a job is cancelled as it starts */
    size_t running[POOL_KINDS];
    unsigned passed;          /* number of times in a row that short jobs have overtaken the first
                               * long one */
    struct pool_stats counts; /* counters since the start; the other members are filled in on
                               * request */
    bool watched;
    pthread_t watch;
    unsigned n_threads;
    struct pool_thread threads[];
};

/* Maximum number of jobs of a kind that run at once. */
static unsigned most_of(const struct thread_pool *pool, enum pool_kind kind)
{
    return kind == POOL_LONG && pool->n_threads > 1 ? pool->n_threads - 1 : pool->n_threads;
}

static bool may_take(const struct thread_pool *pool, enum pool_kind kind)
{
    return pool->queues[kind].n && pool->running[kind] < most_of(pool, kind);
}

static void note_takeable(struct thread_pool *pool)
{
    pool->takeable = may_take(pool, POOL_SHORT) || may_take(pool, POOL_LONG);
}

static struct pool_job *take_job(struct thread_pool *pool)
{
    bool is_short = may_take(pool, POOL_SHORT), is_long = may_take(pool, POOL_LONG);

    if (!is_short && !is_long)
        return NULL;
    if (is_short && is_long && pool->passed < PASSES_MAX) {
        pool->passed++;
        is_long = false;
    } else if (is_long) {
        pool->passed = 0;
    }
    return pool_queue_take(&pool->queues[is_long ? POOL_LONG : POOL_SHORT]);
}

/* The oldest batch with an unstarted piece and a waiting caller. */
static struct batch *find_batch(const struct thread_pool *pool)
{
    struct batch *batch = pool->batches;

    while (batch && (batch->taken >= batch->n || cancelled(batch->cancel)))
        batch = batch->next;
    return batch;
}

/* Run pieces until none is left, the calculation is cancelled or, with `for_jobs`, a job is
 * queued. */
static void do_pieces(const struct thread_pool *pool, struct batch *batch, bool for_jobs)
{
    while (!cancelled(batch->cancel) && (!for_jobs || !pool->takeable)) {
        size_t i = batch->taken++;
        if (i >= batch->n)
            return;
        batch->work(batch->context, i);
    }
}

static void help(struct thread_pool *pool, struct batch *batch)
{
    double start = clock_monotonic();

    batch->helpers++;
    pthread_mutex_unlock(&pool->lock);
    do_pieces(pool, batch, true);
    pthread_mutex_lock(&pool->lock);
    pool->counts.seconds += clock_monotonic() - start;
    if (--batch->helpers == 0)
        pthread_cond_broadcast(&pool->left);
}

static void cancel(struct thread_pool *pool, struct pool_thread *thread, enum cancel_reason reason)
{
    pool->counts.cancelled[reason] += cancel_set(&thread->cancel, reason);
}

static void run(struct thread_pool *pool, struct pool_job *job, struct pool_thread *thread)
{
    enum pool_kind kind = job->kind;
    struct pool_kind_stats *counts = &pool->counts.kinds[kind];

    thread->job = job;
    thread->since = clock_monotonic();
    thread->cancel.reason = CANCEL_NOT;
    job->cancel = &thread->cancel;
    if (pool->cancels_all)
        cancel(pool, thread, CANCEL_STOPPING);
    pool->running[kind]++;
    note_takeable(pool);
    pthread_mutex_unlock(&pool->lock);
    job->run(job, thread->number);
    pthread_mutex_lock(&pool->lock);
    double seconds = clock_monotonic() - thread->since;
    thread->job = NULL;
    pool->running[kind]--;
    note_takeable(pool);
    pool->counts.done += !cancelled(&thread->cancel);
    pool->counts.seconds += seconds;
    counts->ended++;
    counts->seconds += seconds;
}

static void *work(void *cls)
{
    struct pool_thread *thread = cls;
    struct thread_pool *pool = thread->pool;

    (void)setpriority(PRIO_PROCESS, (id_t)gettid(), NICE); /* on Linux for this thread only; may
                                                            * fail */
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        struct pool_job *job = take_job(pool);
        struct batch *batch = job ? NULL : find_batch(pool);

        if (job)
            run(pool, job, thread);
        else if (batch)
            help(pool, batch);
        else if (pool->stopping)
            break;
        else
            pthread_cond_wait(&pool->come, &pool->lock);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

/* Cancel calculations past their deadline; returns the time of the next check. A job started later
 * expires no sooner than `seconds_max` from now, so the watchdog need not be woken for it. */
static double cancel_late(struct thread_pool *pool)
{
    double now = clock_monotonic(), next = now + pool->seconds_max;

    for (unsigned i = 0; i < pool->n_threads; i++) {
        struct pool_thread *thread = &pool->threads[i];
        double due = thread->since + pool->seconds_max;
        if (!thread->job || cancelled(&thread->cancel))
            continue;
        if (due <= now)
            cancel(pool, thread, CANCEL_DEADLINE);
        else if (due < next)
            next = due;
    }
    return next;
}

static void *watch(void *cls)
{
    struct thread_pool *pool = cls;

    pthread_mutex_lock(&pool->lock);
    while (!pool->stopping) {
        double next = cancel_late(pool);
        struct timespec until = {.tv_sec = (time_t)next,
                                 .tv_nsec = (long)((next - floor(next)) * 1e9)};
        pthread_cond_timedwait(&pool->ending, &pool->lock, &until);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

static void init(struct thread_pool *pool, const struct pool_options *options)
{
    pthread_condattr_t monotonic;

    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->come, NULL);
    pthread_cond_init(&pool->left, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&pool->ending, &monotonic);
    pthread_condattr_destroy(&monotonic);
    pool->queue = options->queue;
    pool->seconds_max = options->seconds_max;
}

/* Holds the lock, so that nobody sees a thread that has not started. */
static bool start_threads(struct thread_pool *pool, unsigned threads)
{
    int failed = 0;

    pthread_mutex_lock(&pool->lock);
    while (pool->n_threads < threads && !failed) {
        struct pool_thread *thread = &pool->threads[pool->n_threads];
        thread->pool = pool;
        thread->number = pool->n_threads;
        failed = pthread_create(&thread->thread, NULL, work, thread);
        pool->n_threads += failed == 0;
    }
    if (!failed && pool->seconds_max > 0) {
        failed = pthread_create(&pool->watch, NULL, watch, pool);
        pool->watched = failed == 0;
    }
    pthread_mutex_unlock(&pool->lock);
    errno = failed;
    return failed == 0;
}

struct thread_pool *thread_pool_start(const struct pool_options *options, struct err *err)
{
    struct thread_pool *pool =
        mem_alloc(sizeof(*pool) + options->threads * sizeof(pool->threads[0]));

    init(pool, options);
    if (start_threads(pool, options->threads))
        return pool;
    err_set(err, ERR_UNAVAILABLE, "cannot start a compute thread: %s", strerror(errno));
    thread_pool_stop(pool);
    return NULL;
}

void thread_pool_stop(struct thread_pool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->stopping = true;
    pthread_cond_broadcast(&pool->come);
    pthread_cond_signal(&pool->ending);
    pthread_mutex_unlock(&pool->lock);
    if (pool->watched)
        pthread_join(pool->watch, NULL);
    for (unsigned i = 0; i < pool->n_threads; i++)
        pthread_join(pool->threads[i].thread, NULL);
    pthread_cond_destroy(&pool->ending);
    pthread_cond_destroy(&pool->left);
    pthread_cond_destroy(&pool->come);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

unsigned thread_pool_threads(const struct thread_pool *pool)
{
    return pool->n_threads;
}

static size_t count_queued(const struct thread_pool *pool)
{
    return pool->queues[POOL_SHORT].n + pool->queues[POOL_LONG].n;
}

bool thread_pool_submit(struct thread_pool *pool, struct pool_job *job)
{
    pthread_mutex_lock(&pool->lock);
    bool room = count_queued(pool) < pool->queue;
    if (room) {
        pool_queue_add(&pool->queues[job->kind], job);
        note_takeable(pool);
        pthread_cond_signal(&pool->come);
    } else {
        pool->counts.refused++;
    }
    pthread_mutex_unlock(&pool->lock);
    return room;
}

/* A finished job may have been freed and its address reused; a token set on the new job is then set
 * too late to be noticed. */
bool thread_pool_cancel(struct thread_pool *pool, const struct pool_job *job,
                        enum cancel_reason reason)
{
    bool waited = false;

    pthread_mutex_lock(&pool->lock);
    for (int i = 0; i < POOL_KINDS && !waited; i++)
        waited = pool_queue_remove(&pool->queues[i], job);
    if (waited) {
        pool->counts.cancelled[reason]++;
        note_takeable(pool);
    }
    for (unsigned i = 0; i < pool->n_threads && !waited; i++)
        if (pool->threads[i].job == job)
            cancel(pool, &pool->threads[i], reason);
    pthread_mutex_unlock(&pool->lock);
    return waited;
}

void thread_pool_cancel_all(struct thread_pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    pool->cancels_all = true;
    for (unsigned i = 0; i < pool->n_threads; i++)
        if (pool->threads[i].job)
            cancel(pool, &pool->threads[i], CANCEL_STOPPING);
    pthread_mutex_unlock(&pool->lock);
}

static void open_batch(struct thread_pool *pool, struct batch *batch)
{
    struct batch **last = &pool->batches;

    pthread_mutex_lock(&pool->lock);
    while (*last)
        last = &(*last)->next;
    *last = batch;
    pthread_cond_broadcast(&pool->come);
    pthread_mutex_unlock(&pool->lock);
}

/* Admit no more jobs and wait for running ones. */
static void close_batch(struct thread_pool *pool, const struct batch *batch)
{
    struct batch **from = &pool->batches;

    pthread_mutex_lock(&pool->lock);
    while (*from != batch)
        from = &(*from)->next;
    *from = batch->next;
    while (batch->helpers)
        pthread_cond_wait(&pool->left, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}

void thread_pool_each(void *cls, const struct cancel *cancel, size_t n, piece_fn piece,
                      void *context)
{
    struct thread_pool *pool = cls;
    struct batch batch = {.cancel = cancel, .work = piece, .context = context, .n = n};

    if (n > 1)
        open_batch(pool, &batch);
    do_pieces(pool, &batch, false);
    if (n > 1)
        close_batch(pool, &batch);
}

/* The caller holds the lock. */
static void add_running(const struct thread_pool *pool, struct pool_stats *stats)
{
    double now = clock_monotonic();

    for (unsigned i = 0; i < pool->n_threads; i++) {
        double seconds = now - pool->threads[i].since;
        if (!pool->threads[i].job)
            continue;
        stats->oldest = fmax(stats->oldest, seconds);
        stats->stuck += pool->watched && seconds > pool->seconds_max + STUCK_SECONDS;
    }
}

void thread_pool_get_stats(struct thread_pool *pool, struct pool_stats *stats)
{
    pthread_mutex_lock(&pool->lock);
    *stats = pool->counts;
    stats->threads = pool->n_threads;
    stats->queued = count_queued(pool);
    stats->running = pool->running[POOL_SHORT] + pool->running[POOL_LONG];
    for (int i = 0; i < POOL_KINDS; i++) {
        stats->kinds[i].queued = pool->queues[i].n;
        stats->kinds[i].threads = most_of(pool, (enum pool_kind)i);
    }
    add_running(pool, stats);
    pthread_mutex_unlock(&pool->lock);
}

double thread_pool_wait(const struct pool_stats *stats, enum pool_kind kind)
{
    const struct pool_kind_stats *of = &stats->kinds[kind];
    double each = of->ended ? of->seconds / (double)of->ended : 0;

    return each * (double)of->queued / of->threads;
}
