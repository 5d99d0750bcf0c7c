/* pool_queue.h - the queue of the thread pool: fair queueing by rounds, one job per client and
 * round. Callers hold the pool's lock. */
#ifndef HTTP_POOL_QUEUE_H
#define HTTP_POOL_QUEUE_H

#include "http/thread_pool.h"

/* The jobs of one kind, sorted by round, then by arrival. */
struct pool_queue {
    struct pool_job *first;
    size_t n;
    uint64_t round; /* round of the job last taken */
};

/* Put the job in the round after the client's last one and after the current one, so that a
 * client's first job waits for at most one job of each other client. */
void pool_queue_add(struct pool_queue *queue, struct pool_job *job);
/* Remove and return the first job; the queue must not be empty. */
struct pool_job *pool_queue_take(struct pool_queue *queue);
/* Returns false if the job is not in the queue. */
bool pool_queue_remove(struct pool_queue *queue, const struct pool_job *job);

#endif
