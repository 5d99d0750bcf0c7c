#include "http/pool_queue.h"

#include <string.h>

/* A queue has at most a few hundred jobs; a linear scan takes microseconds. */
void pool_queue_add(struct pool_queue *queue, struct pool_job *job)
{
    struct pool_job **at = &queue->first;

    job->round = queue->round + 1;
    for (const struct pool_job *other = queue->first; other; other = other->next)
        if (memcmp(&other->client, &job->client, sizeof(job->client)) == 0)
            job->round = other->round + 1;
    while (*at && (*at)->round <= job->round)
        at = &(*at)->next;
    job->next = *at;
    *at = job;
    queue->n++;
}

struct pool_job *pool_queue_take(struct pool_queue *queue)
{
    struct pool_job *job = queue->first;

    queue->first = job->next;
    queue->round = job->round;
    queue->n--;
    return job;
}

bool pool_queue_remove(struct pool_queue *queue, const struct pool_job *job)
{
    struct pool_job **at = &queue->first;

    while (*at && *at != job)
        at = &(*at)->next;
    if (!*at)
        return false;
    *at = job->next;
    queue->n--;
    return true;
}
