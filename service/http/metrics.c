#include "http/metrics.h"

#include <string.h>

const double metrics_bucket_seconds[SERVER_BUCKETS] = {0.0001, 0.0003, 0.001, 0.003, 0.01,
                                                       0.03,   0.1,    1,     10};

void metrics_init(struct metrics *metrics)
{
    pthread_mutex_init(&metrics->lock, NULL);
}

void metrics_fini(struct metrics *metrics)
{
    pthread_mutex_destroy(&metrics->lock);
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

/* The strings are static, so comparing pointers nearly always suffices. */
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

void metrics_add(struct metrics *metrics, const char *route, const char *format, int status,
                 double seconds)
{
    struct server_stats *stats = &metrics->stats;
    struct server_count count = {route ? route : "other", format ? format : "", status, 1};

    pthread_mutex_lock(&metrics->lock);
    count_one(stats, &count);
    for (int i = 0; i < SERVER_BUCKETS; i++)
        stats->buckets[i] += seconds <= metrics_bucket_seconds[i];
    stats->requests++;
    stats->seconds += seconds;
    pthread_mutex_unlock(&metrics->lock);
}

void metrics_sum(struct metrics *metrics, struct server_stats *sum)
{
    pthread_mutex_lock(&metrics->lock);
    for (size_t i = 0; i < metrics->stats.n_counts; i++)
        add_count(sum, &metrics->stats.counts[i]);
    for (int i = 0; i < SERVER_BUCKETS; i++)
        sum->buckets[i] += metrics->stats.buckets[i];
    sum->requests += metrics->stats.requests;
    sum->seconds += metrics->stats.seconds;
    pthread_mutex_unlock(&metrics->lock);
}
