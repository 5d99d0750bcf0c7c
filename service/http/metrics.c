#include "http/metrics.h"

#include <string.h>

const double server_bucket_seconds[SERVER_BUCKETS] = {0.0001, 0.0003, 0.001, 0.003, 0.01,
                                                      0.03,   0.1,    1,     10};

void counters_init(struct counters *counters)
{
    pthread_mutex_init(&counters->lock, NULL);
}

void counters_fini(struct counters *counters)
{
    pthread_mutex_destroy(&counters->lock);
}

static void add_count(struct server_stats *stats, const struct server_count *count)
{
    for (size_t i = 0; i < stats->n_counts; i++) {
        struct server_count *known = &stats->counts[i];
        if (known->status == count->status && strcmp(known->route, count->route) == 0 &&
            strcmp(known->format, count->format) == 0) {
            known->requests += count->requests;
            return;
        }
    }
    if (stats->n_counts < SERVER_COUNTS_MAX)
        stats->counts[stats->n_counts++] = *count;
}

/* The texts are static, so that nearly always it is enough to compare where they are. */
static void count_one(struct server_stats *stats, const struct server_count *count)
{
    for (size_t i = 0; i < stats->n_counts; i++) {
        struct server_count *known = &stats->counts[i];
        if (known->route == count->route && known->format == count->format &&
            known->status == count->status) {
            known->requests++;
            return;
        }
    }
    add_count(stats, count);
}

void counters_add(struct counters *counters, const char *route, const char *format, int status,
                  double seconds)
{
    struct server_stats *stats = &counters->stats;
    struct server_count count = {route ? route : "other", format ? format : "", status, 1};

    pthread_mutex_lock(&counters->lock);
    count_one(stats, &count);
    for (int i = 0; i < SERVER_BUCKETS; i++)
        stats->buckets[i] += seconds <= server_bucket_seconds[i];
    stats->requests++;
    stats->seconds += seconds;
    pthread_mutex_unlock(&counters->lock);
}

void counters_sum(struct counters *counters, struct server_stats *sum)
{
    pthread_mutex_lock(&counters->lock);
    for (size_t i = 0; i < counters->stats.n_counts; i++)
        add_count(sum, &counters->stats.counts[i]);
    for (int i = 0; i < SERVER_BUCKETS; i++)
        sum->buckets[i] += counters->stats.buckets[i];
    sum->requests += counters->stats.requests;
    sum->seconds += counters->stats.seconds;
    pthread_mutex_unlock(&counters->lock);
}
