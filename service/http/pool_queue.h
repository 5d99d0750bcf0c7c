/* pool_queue.h - what waits for a thread of the pool, in the order of its turns: fair queueing by
 * rounds, each client one job a round. For the holder of the pool's lock. */
#ifndef HTTP_POOL_QUEUE_H
#define HTTP_POOL_QUEUE_H

#include "http/thread_pool.h"

/* The jobs of a kind, by round; within a round in the order of coming. */
struct pool_queue {
    struct pool_job *first;
    size_t n;
    uint64_t round; /* of the job taken last */
};

/* In the round after the client's last one, and after the current one: a client waits at most
 * for one job of each other client before its first, however many arrive. */
void pool_queue_add(struct pool_queue *queue, struct pool_job *job);
/* The first, which must be there. */
struct pool_job *pool_queue_take(struct pool_queue *queue);
/* False where the job is not in the queue. */
bool pool_queue_remove(struct pool_queue *queue, const struct pool_job *job);

#endif
