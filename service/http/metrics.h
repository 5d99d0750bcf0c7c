/* metrics.h - what a worker counts of its requests, read by the metrics. */
#ifndef HTTP_METRICS_H
#define HTTP_METRICS_H

#include "http/server.h"

#include <pthread.h>

/* A worker's own, so that its lock is contended only while the metrics are read. */
struct counters {
    pthread_mutex_t lock;
    struct server_stats stats;
};

void counters_init(struct counters *counters);
void counters_fini(struct counters *counters);
/* The texts are static, or NULL. */
void counters_add(struct counters *counters, const char *route, const char *format, int status,
                  double seconds);
/* Add this worker's counts to `sum`. */
void counters_sum(struct counters *counters, struct server_stats *sum);

#endif
