/* metrics.h - request counters of one worker, summed for the metrics. */
#ifndef HTTP_METRICS_H
#define HTTP_METRICS_H

#include "http/server.h"

#include <pthread.h>

/* Per worker, so that its lock is contended only while metrics are read. */
struct metrics {
    pthread_mutex_t lock;
    struct server_stats stats;
};

void metrics_init(struct metrics *metrics);
void metrics_fini(struct metrics *metrics);
/* The strings are static, or NULL. */
void metrics_add(struct metrics *metrics, const char *route, const char *format, int status,
                 double seconds);
/* Add this worker's counts to `sum`. */
void metrics_sum(struct metrics *metrics, struct server_stats *sum);

#endif
