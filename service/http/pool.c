#include "http/pool.h"

#include "base/clock.h"
#include "base/mem.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* How far these threads stand back where cores are short: those that answer at once have three
 * times their share, and on two busy cores were measured to answer twice as much, for 5 % less of
 * this. */
enum { NICE = 5 };

/* The pieces of one pool_each(), on its caller's stack. */
struct batch {
    piece_fn work;
    void *context;
    size_t n;
    atomic_size_t taken; /* pieces begun; goes past n */
    unsigned helpers;    /* threads inside, beside the caller's */
    struct batch *next;
};

struct pool_thread {
    struct pool *pool;
    unsigned number;
    pthread_t thread;
};

/* The lock is for all but what is constant or atomic. */
struct pool {
    pthread_mutex_t lock;
    pthread_cond_t come; /* a job, a batch or the end */
    pthread_cond_t left; /* the last helper of a batch has */
    struct pool_job *first, **last;
    struct batch *batches; /* oldest first */
    size_t queue;
    atomic_size_t queued;
    bool stopping;
    size_t running;
    uint64_t done, refused;
    double seconds;
    unsigned n_threads;
    struct pool_thread threads[];
};

static struct pool_job *take_job(struct pool *pool)
{
    struct pool_job *job = pool->first;

    if (!job)
        return NULL;
    pool->first = job->next;
    if (!pool->first)
        pool->last = &pool->first;
    pool->queued--;
    return job;
}

/* The oldest batch with a piece that nobody has begun. */
static struct batch *find_batch(const struct pool *pool)
{
    struct batch *batch = pool->batches;

    while (batch && batch->taken >= batch->n)
        batch = batch->next;
    return batch;
}

/* Do pieces until there are no more or, `for_jobs`, until a job waits. */
static void do_pieces(const struct pool *pool, struct batch *batch, bool for_jobs)
{
    while (!for_jobs || !pool->queued) {
        size_t i = batch->taken++;
        if (i >= batch->n)
            return;
        batch->work(batch->context, i);
    }
}

static void help(struct pool *pool, struct batch *batch)
{
    double start = clock_monotonic();

    batch->helpers++;
    pthread_mutex_unlock(&pool->lock);
    do_pieces(pool, batch, true);
    pthread_mutex_lock(&pool->lock);
    pool->seconds += clock_monotonic() - start;
    if (--batch->helpers == 0)
        pthread_cond_broadcast(&pool->left);
}

static void run(struct pool *pool, struct pool_job *job, unsigned thread)
{
    double start = clock_monotonic();

    pool->running++;
    pthread_mutex_unlock(&pool->lock);
    job->run(job, thread);
    pthread_mutex_lock(&pool->lock);
    pool->running--;
    pool->done++;
    pool->seconds += clock_monotonic() - start;
}

static void *work(void *cls)
{
    struct pool_thread *thread = cls;
    struct pool *pool = thread->pool;
    struct pool_job *job;
    struct batch *batch;

    (void)setpriority(PRIO_PROCESS, (id_t)gettid(), NICE); /* Linux: of this thread; may fail */
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        if ((job = take_job(pool)) != NULL)
            run(pool, job, thread->number);
        else if ((batch = find_batch(pool)) != NULL)
            help(pool, batch);
        else if (pool->stopping)
            break;
        else
            pthread_cond_wait(&pool->come, &pool->lock);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

struct pool *pool_start(unsigned threads, size_t queue, struct err *err)
{
    struct pool *pool = mem_alloc(sizeof(*pool) + threads * sizeof(pool->threads[0]));

    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->come, NULL);
    pthread_cond_init(&pool->left, NULL);
    pool->last = &pool->first;
    pool->queue = queue;
    for (; pool->n_threads < threads; pool->n_threads++) {
        struct pool_thread *thread = &pool->threads[pool->n_threads];
        thread->pool = pool;
        thread->number = pool->n_threads;
        errno = pthread_create(&thread->thread, NULL, work, thread);
        if (errno) {
            err_set(err, ERR_UNAVAILABLE, "cannot start a compute thread: %s", strerror(errno));
            pool_stop(pool);
            return NULL;
        }
    }
    return pool;
}

void pool_stop(struct pool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->stopping = true;
    pthread_cond_broadcast(&pool->come);
    pthread_mutex_unlock(&pool->lock);
    for (unsigned i = 0; i < pool->n_threads; i++)
        pthread_join(pool->threads[i].thread, NULL);
    pthread_cond_destroy(&pool->left);
    pthread_cond_destroy(&pool->come);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

unsigned pool_threads(const struct pool *pool)
{
    return pool->n_threads;
}

bool pool_submit(struct pool *pool, struct pool_job *job)
{
    pthread_mutex_lock(&pool->lock);
    bool room = pool->queued < pool->queue;
    if (room) {
        job->next = NULL;
        *pool->last = job;
        pool->last = &job->next;
        pool->queued++;
        pthread_cond_signal(&pool->come);
    } else {
        pool->refused++;
    }
    pthread_mutex_unlock(&pool->lock);
    return room;
}

static void open_batch(struct pool *pool, struct batch *batch)
{
    struct batch **last = &pool->batches;

    pthread_mutex_lock(&pool->lock);
    while (*last)
        last = &(*last)->next;
    *last = batch;
    pthread_cond_broadcast(&pool->come);
    pthread_mutex_unlock(&pool->lock);
}

/* Let nobody in any more and wait for those inside. */
static void close_batch(struct pool *pool, const struct batch *batch)
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

void pool_each(void *cls, size_t n, piece_fn piece, void *context)
{
    struct pool *pool = cls;
    struct batch batch = {.work = piece, .context = context, .n = n};

    if (n > 1)
        open_batch(pool, &batch);
    do_pieces(pool, &batch, false);
    if (n > 1)
        close_batch(pool, &batch);
}

void pool_get_stats(struct pool *pool, struct pool_stats *stats)
{
    pthread_mutex_lock(&pool->lock);
    *stats = (struct pool_stats){pool->n_threads, pool->queued,  pool->running,
                                 pool->done,      pool->refused, pool->seconds};
    pthread_mutex_unlock(&pool->lock);
}

double pool_wait(const struct pool_stats *stats)
{
    double each = stats->done ? stats->seconds / (double)stats->done : 0;

    return each * (double)stats->queued / stats->threads;
}
