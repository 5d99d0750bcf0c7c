/* http_pool_order_test.c - whose turn it is in the compute pool's queue, and what ends a job: its
 * deadline, or that nobody wants it any more. */
#include "pool_fixture.h"
#include "tap.h"

#include <poll.h>

static void test_queue(void)
{
    struct thread_pool *pool = pool_fixture(1, 2);
    struct pool_stats stats;
    struct held jobs[4];

    for (int i = 0; i < 4; i++)
        held_init(&jobs[i]);
    pool_turns = 0;
    ok(thread_pool_submit(pool, &jobs[0].job) && pool_wait_sem(&jobs[0].entered), "a job runs");
    ok(thread_pool_submit(pool, &jobs[1].job) && thread_pool_submit(pool, &jobs[2].job),
       "two more may wait");
    ok(!thread_pool_submit(pool, &jobs[3].job), "a third is refused");
    thread_pool_get_stats(pool, &stats);
    ok(stats.threads == 1 && stats.running == 1 && stats.queued == 2 && stats.refused == 1 &&
           stats.done == 0,
       "and all that is counted");
    for (int i = 0; i < 4; i++)
        sem_post(&jobs[i].leave);
    ok(pool_wait_sem(&jobs[1].entered) && pool_wait_sem(&jobs[2].entered), "who waits has a turn");
    thread_pool_stop(pool);
    ok(jobs[0].turn == 1 && jobs[1].turn == 2 && jobs[2].turn == 3, "in the order of coming");
    ok(jobs[3].turn == 0, "who was refused has none");
}

static const struct client ada = {{1}}, bob = {{2}}, eve = {{3}};

/* Jobs that wait behind one that is held, and in which order they had their turn. */
enum { LINE_MAX = 80 };
struct line {
    struct thread_pool *pool;
    struct held first, jobs[LINE_MAX];
    size_t n;
};

static void sensitivity_threshold(struct pool_job *job, unsigned thread)
{
    (void)thread;
    ((struct held *)job)->turn = ++pool_turns;
}

static void line_begin(struct line *line)
{
    *line = (struct line){.pool = pool_fixture(1, LINE_MAX)};
    pool_turns = 0;
    held_init(&line->first);
    if (!thread_pool_submit(line->pool, &line->first.job) || !pool_wait_sem(&line->first.entered))
        ok(false, "the first job runs");
}

static size_t line_add(struct line *line, struct client client, enum pool_kind kind)
{
    struct held *held = &line->jobs[line->n];

    held->job = (struct pool_job){.run = sensitivity_threshold, .client = client, .kind = kind};
    if (!thread_pool_submit(line->pool, &held->job))
        ok(false, "there is room for %d", LINE_MAX);
    return line->n++;
}

static void line_end(struct line *line)
{
    sem_post(&line->first.leave);
    thread_pool_stop(line->pool);
}

static void test_round_by_client(void)
{
    static struct line line;
    size_t crowd[20];

    line_begin(&line);
    for (int i = 0; i < 20; i++)
        crowd[i] = line_add(&line, ada, POOL_SHORT);
    size_t second = line_add(&line, bob, POOL_SHORT), third = line_add(&line, eve, POOL_SHORT);
    size_t fourth = line_add(&line, bob, POOL_SHORT);
    line_end(&line);
    ok(line.jobs[crowd[0]].turn == 2 && line.jobs[second].turn == 3 && line.jobs[third].turn == 4,
       "who comes after another's 20 jobs waits for one of them");
    ok(line.jobs[crowd[1]].turn == 5 && line.jobs[fourth].turn == 6, "round after round");
    ok(line.jobs[crowd[2]].turn == 7 && line.jobs[crowd[19]].turn == 24,
       "and the rest go in the order of coming");
}

/* Asking one thing at a time, the next as soon as the last is answered. */
struct chain {
    struct held job; /* first: its run() finds the rest */
    struct line *line;
    struct held next;
};

static void run_chain(struct pool_job *job, unsigned thread)
{
    struct chain *chain = (struct chain *)job;

    sensitivity_threshold(job, thread);
    chain->next.job =
        (struct pool_job){.run = sensitivity_threshold, .client = chain->job.job.client};
    if (!thread_pool_submit(chain->line->pool, &chain->next.job))
        ok(false, "there is room for the next");
}

static void test_one_at_a_time(void)
{
    static struct line line;
    struct chain chain = {.line = &line};

    line_begin(&line);
    for (int i = 0; i < 4; i++)
        line_add(&line, ada, POOL_SHORT);
    chain.job.job = (struct pool_job){.run = run_chain, .client = bob};
    ok(thread_pool_submit(line.pool, &chain.job.job), "one who asks one thing at a time");
    line_end(&line);
    ok(chain.job.turn == 3 && line.jobs[1].turn == 4 && chain.next.turn == 5,
       "has his turn once a round like everybody");
}

static void test_short_before_long(void)
{
    static struct line line;

    line_begin(&line);
    size_t slow = line_add(&line, ada, POOL_LONG), slower = line_add(&line, ada, POOL_LONG);
    size_t quick = line_add(&line, bob, POOL_SHORT), own = line_add(&line, ada, POOL_SHORT);
    line_end(&line);
    ok(line.jobs[quick].turn == 2 && line.jobs[own].turn == 3, "short jobs pass long ones");
    ok(line.jobs[slow].turn == 4 && line.jobs[slower].turn == 5, "which come then");
}

static void test_long_is_not_starved(void)
{
    static struct line line;

    line_begin(&line);
    size_t slow = line_add(&line, ada, POOL_LONG);
    for (int i = 0; i < 70; i++)
        line_add(&line, bob, POOL_SHORT);
    line_end(&line);
    ok(line.jobs[slow].turn == 1 + 64 + 1, "but not for ever: its turn is %d",
       line.jobs[slow].turn);
}

static void test_long_leaves_a_thread(void)
{
    struct thread_pool *pool = pool_fixture(3, 8);
    struct held longs[3], quick;
    struct pool_stats stats;

    for (int i = 0; i < 3; i++) {
        held_init(&longs[i]);
        longs[i].job.kind = POOL_LONG;
        ok(thread_pool_submit(pool, &longs[i].job), "a long job");
    }
    ok(pool_wait_sem(&longs[0].entered) && pool_wait_sem(&longs[1].entered), "two of three run");
    held_init(&quick);
    ok(thread_pool_submit(pool, &quick.job) && pool_wait_sem(&quick.entered),
       "the third thread is for others");
    thread_pool_get_stats(pool, &stats);
    ok(stats.running == 3 && stats.kinds[POOL_LONG].queued == 1 &&
           stats.kinds[POOL_LONG].threads == 2 && stats.kinds[POOL_SHORT].threads == 3,
       "though a long one waits");
    sem_post(&longs[0].leave);
    ok(pool_wait_sem(&longs[2].entered), "until one of its kind is done");
    for (int i = 1; i < 3; i++)
        sem_post(&longs[i].leave);
    sem_post(&quick.leave);
    thread_pool_stop(pool);
}

static void test_dropped(void)
{
    static struct line line;
    struct pool_stats stats;

    line_begin(&line);
    size_t gone = line_add(&line, ada, POOL_SHORT), stays = line_add(&line, ada, POOL_SHORT);
    ok(thread_pool_cancel(line.pool, &line.jobs[gone].job, CANCEL_GONE),
       "a job that waits is dropped");
    ok(!thread_pool_cancel(line.pool, &line.jobs[gone].job, CANCEL_GONE), "once");
    thread_pool_get_stats(line.pool, &stats);
    ok(stats.queued == 1 && stats.cancelled[CANCEL_GONE] == 1, "which is counted");
    line_end(&line);
    ok(line.jobs[gone].turn == 0 && line.jobs[stays].turn == 2, "it is never run, the next is");
}

/* A job that runs until it is told to end. */
struct looking {
    struct pool_job job;
    sem_t entered;
    enum cancel_reason saw;
};

static void run_looking(struct pool_job *job, unsigned thread)
{
    struct looking *looking = (struct looking *)job;

    (void)thread;
    sem_post(&looking->entered);
    for (int i = 0; i < 10000 && !cancelled(job->cancel); i++)
        poll(NULL, 0, 1);
    looking->saw = cancel_reason(job->cancel);
}

static void look(struct looking *looking)
{
    *looking = (struct looking){.job.run = run_looking};
    sem_init(&looking->entered, 0, 0);
}

static void test_cancelled(void)
{
    struct thread_pool *pool = pool_fixture(1, 8);
    struct looking job, after;
    struct pool_stats stats;

    look(&job);
    look(&after);
    ok(thread_pool_submit(pool, &job.job) && pool_wait_sem(&job.entered), "a job runs");
    ok(!thread_pool_cancel(pool, &job.job, CANCEL_GONE), "too late to drop it");
    ok(!thread_pool_cancel(pool, &job.job, CANCEL_DEADLINE), "whatever for");
    ok(thread_pool_submit(pool, &after.job) && pool_wait_sem(&after.entered),
       "it ends, and another begins");
    ok(job.saw == CANCEL_GONE, "because it was told to: for the first reason given");
    thread_pool_get_stats(pool, &stats);
    ok(stats.done == 0 && stats.cancelled[CANCEL_GONE] == 1 &&
           stats.cancelled[CANCEL_DEADLINE] == 0,
       "it is not counted among those done");
    thread_pool_cancel(pool, &after.job, CANCEL_DEADLINE);
    thread_pool_stop(pool);
    ok(after.saw == CANCEL_DEADLINE, "its token was not the other's");
}

static void test_deadline(void)
{
    struct thread_pool *pool = pool_fixture_limited(2, 8, 0.05);
    struct looking jobs[5];
    struct pool_stats stats;
    int late = 0;

    for (int i = 0; i < 5; i++) {
        look(&jobs[i]);
        if (!thread_pool_submit(pool, &jobs[i].job))
            ok(false, "there is room for five");
    }
    for (int i = 0; i < 5; i++)
        ok(pool_wait_sem(&jobs[i].entered), "each of five that would not end has its turn");
    do
        thread_pool_get_stats(pool, &stats);
    while (stats.running && poll(NULL, 0, 1) == 0);
    for (int i = 0; i < 5; i++)
        late += jobs[i].saw == CANCEL_DEADLINE;
    ok(late == 5 && stats.cancelled[CANCEL_DEADLINE] == 5 && stats.done == 0,
       "and is told that its time is up");
    struct held quick;
    held_init(&quick);
    sem_post(&quick.leave);
    ok(thread_pool_submit(pool, &quick.job) && pool_wait_sem(&quick.entered),
       "the next is served as ever");
    thread_pool_stop(pool);
}

/* Each piece cancels what it belongs to. */
struct cancelling {
    struct cancel cancel;
    atomic_int pieces;
};

static void cancel_piece(void *context, size_t i)
{
    struct cancelling *cancelling = context;

    (void)i;
    cancelling->pieces++;
    cancel_set(&cancelling->cancel, CANCEL_GONE);
}

static void test_pieces_cancelled(void)
{
    struct thread_pool *pool = pool_fixture(3, 8);
    struct cancelling cancelling = {.pieces = 0};

    thread_pool_each(pool, &cancelling.cancel, 1000, cancel_piece, &cancelling);
    ok(cancelling.pieces >= 1 && cancelling.pieces <= 4,
       "of 1000 pieces those are done that were under way: %d", cancelling.pieces);
    thread_pool_stop(pool);
}

static void test_cancel_all(void)
{
    struct thread_pool *pool = pool_fixture(1, 8);
    struct looking running, waiting;

    look(&running);
    look(&waiting);
    ok(thread_pool_submit(pool, &running.job) && pool_wait_sem(&running.entered) &&
           thread_pool_submit(pool, &waiting.job),
       "a job runs, one waits");
    thread_pool_cancel_all(pool);
    thread_pool_stop(pool);
    ok(running.saw == CANCEL_STOPPING && waiting.saw == CANCEL_STOPPING,
       "both end, the second as soon as it begins");
}

/* The job does not look: it counts as stuck some seconds after its deadline, until it ends. */
static void test_stuck(void)
{
    struct thread_pool *pool = pool_fixture_limited(1, 8, 0.01);
    struct pool_stats stats;
    struct held job;

    held_init(&job);
    ok(thread_pool_submit(pool, &job.job) && pool_wait_sem(&job.entered),
       "a job runs that does not look");
    thread_pool_get_stats(pool, &stats);
    ok(stats.stuck == 0, "it is not stuck at once");
    do
        thread_pool_get_stats(pool, &stats);
    while (!stats.stuck && stats.oldest < 60 && poll(NULL, 0, 10) == 0);
    ok(stats.stuck == 1 && stats.oldest > STUCK_SECONDS, "but after %g s", stats.oldest);
    sem_post(&job.leave);
    do
        thread_pool_get_stats(pool, &stats);
    while (stats.running && poll(NULL, 0, 1) == 0);
    ok(stats.stuck == 0 && stats.oldest == 0, "until it ends");
    thread_pool_stop(pool);
}

int main(void)
{
    test_queue();
    test_round_by_client();
    test_one_at_a_time();
    test_short_before_long();
    test_long_is_not_starved();
    test_long_leaves_a_thread();
    test_dropped();
    test_cancelled();
    test_deadline();
    test_pieces_cancelled();
    test_cancel_all();
    test_stuck();
    return tap_done();
}
