#include "http/admin.h"

#include "base/mem.h"
#include "http/reply.h"

#include <stdlib.h>
#include <string.h>

static void metric(struct buf *out, const char *name, const char *type, const char *help)
{
    buf_print(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void gauge(struct buf *out, const char *name, const char *help, double value)
{
    metric(out, name, "gauge", help);
    buf_print(out, "%s %.17g\n", name, value);
}

static void write_requests(struct buf *out, const struct server_stats *stats)
{
    metric(out, "gpuplan_http_requests_total", "counter", "Requests answered.");
    for (size_t i = 0; i < stats->n_counts; i++)
        buf_print(out, "gpuplan_http_requests_total{route=\"%s\",code=\"%d\",format=\"%s\"} %llu\n",
                  stats->counts[i].route, stats->counts[i].status, stats->counts[i].format,
                  (unsigned long long)stats->counts[i].requests);
    metric(out, "gpuplan_http_request_duration_seconds", "histogram",
           "From the end of a request to its reply being queued.");
    for (int i = 0; i < SERVER_BUCKETS; i++)
        buf_print(out, "gpuplan_http_request_duration_seconds_bucket{le=\"%g\"} %llu\n",
                  metrics_bucket_seconds[i], (unsigned long long)stats->buckets[i]);
    buf_print(out,
              "gpuplan_http_request_duration_seconds_bucket{le=\"+Inf\"} %llu\n"
              "gpuplan_http_request_duration_seconds_sum %.9g\n"
              "gpuplan_http_request_duration_seconds_count %llu\n",
              (unsigned long long)stats->requests, stats->seconds,
              (unsigned long long)stats->requests);
    gauge(out, "gpuplan_http_connections", "Connections open now.", stats->connections);
}

static void counter(struct buf *out, const char *name, const char *help, double value)
{
    metric(out, name, "counter", help);
    buf_print(out, "%s %.17g\n", name, value);
}

static void write_pool(struct buf *out, const struct pool_stats *pool)
{
    static const char *const reasons[] = {
        [CANCEL_DEADLINE] = "deadline", [CANCEL_GONE] = "gone", [CANCEL_STOPPING] = "stopping"};

    gauge(out, "gpuplan_compute_threads", "Threads for long calculations.", pool->threads);
    gauge(out, "gpuplan_compute_queue_length", "Long calculations that wait for a thread.",
          (double)pool->queued);
    gauge(out, "gpuplan_compute_running", "Long calculations that have one.",
          (double)pool->running);
    gauge(out, "gpuplan_compute_oldest_seconds", "How long the oldest of these has run.",
          pool->oldest);
    gauge(out, "gpuplan_compute_stuck",
          "Long calculations that go on past their deadline: only a restart ends them.",
          (double)pool->stuck);
    counter(out, "gpuplan_compute_done_total", "Long calculations done.", (double)pool->done);
    metric(out, "gpuplan_compute_cancelled_total", "counter",
           "Long calculations that were ended, or dropped before they began, by why.");
    for (int i = CANCEL_NOT + 1; i < CANCEL_REASONS; i++)
        buf_print(out, "gpuplan_compute_cancelled_total{reason=\"%s\"} %llu\n", reasons[i],
                  (unsigned long long)pool->cancelled[i]);
    counter(out, "gpuplan_compute_refused_total", "Long calculations refused: the queue was full.",
            (double)pool->refused);
    counter(out, "gpuplan_compute_seconds_total", "Seconds those threads have worked, in all.",
            pool->seconds);
}

/* One sample per missing assumption; no metric if none is missing. */
static void write_lacking(struct buf *out, const char *lacking)
{
    if (!lacking[0])
        return;
    metric(out, "gpuplan_catalog_lacking", "gauge",
           "Assumptions for want of which the database's catalogue is refused.");
    for (const char *p = lacking; *p;) {
        int n = (int)strcspn(p, ","), key = (int)strcspn(p, ":,");
        const char *scope = p[key] == ':' ? p + key + 1 : "";
        buf_print(out, "gpuplan_catalog_lacking{key=\"%.*s\",scope=\"%.*s\"} 1\n", key, p,
                  (int)strcspn(scope, ","), scope);
        p += n + (p[n] == ',');
    }
}

static void write_catalog(struct buf *out, const struct admin_status *status)
{
    gauge(out, "gpuplan_ready", "Whether /ready says so.", status->ready);
    gauge(out, "gpuplan_catalog_offers", "Rental offers in the catalogue.", (double)status->offers);
    gauge(out, "gpuplan_catalog_offers_read", "Of them, those the last load had to read.",
          (double)status->offers_read);
    gauge(out, "gpuplan_catalog_gpus", "Accelerators in the catalogue.", (double)status->gpus);
    gauge(out, "gpuplan_catalog_models", "Models in the catalogue.", (double)status->models);
    gauge(out, "gpuplan_catalog_as_of_timestamp_seconds",
          "When the catalogue was read or found unchanged.", status->catalog_loaded_at);
    metric(out, "gpuplan_catalog_reloads_total", "counter", "Times the catalogue was read.");
    buf_print(out,
              "gpuplan_catalog_reloads_total{status=\"ok\"} %llu\n"
              "gpuplan_catalog_reloads_total{status=\"failed\"} %llu\n",
              (unsigned long long)status->reloads_ok, (unsigned long long)status->reloads_failed);
    counter(
        out, "gpuplan_catalog_older_total",
        "Times the database had an older catalogue than the one served; a replica's is refused.",
        (double)status->reloads_older);
    write_lacking(out, status->lacking);
    gauge(out, "gpuplan_db_up", "Whether the database is connected.", status->database_up);
    gauge(out, "gpuplan_db_listening",
          "Whether it says at once what changed; a standby cannot and is asked every 10 seconds.",
          status->database_listening);
    metric(out, "gpuplan_build_info", "gauge", "What runs here.");
    buf_print(out, "gpuplan_build_info{version=\"%s\",model_version=\"%s\"} 1\n", status->version,
              status->model_version);
}

static void write_outcomes(struct buf *out, const char *name, const char *help,
                           const struct admin_count *counts, size_t n)
{
    metric(out, name, "counter", help);
    for (size_t i = 0; i < n; i++)
        buf_print(out, "%s{outcome=\"%s\"} %llu\n", name, counts[i].outcome,
                  (unsigned long long)counts[i].n);
}

static void write_metrics(const struct admin *admin, const struct admin_status *status,
                          struct reply *reply)
{
    struct server_stats *stats = mem_alloc(sizeof(*stats));

    reply->content_type = "text/plain; version=0.0.4; charset=utf-8";
    server_get_stats(admin->server, stats);
    write_requests(&reply->body, stats);
    if (stats->pool.threads)
        write_pool(&reply->body, &stats->pool);
    write_catalog(&reply->body, status);
    write_outcomes(&reply->body, "gpuplan_quote_writes_total",
                   "Changes of quotes handed to the database, by what came of them.",
                   status->quote_writes, status->n_quote_writes);
    write_outcomes(&reply->body, "gpuplan_archived_replies_total",
                   "Replies to pinned links handed to the archive, by what came of them.",
                   status->archived, status->n_archived);
    free(stats);
}

/* A probe needs the status, a person the reason. */
static void say_ready(const struct admin_status *status, struct reply *reply)
{
    reply->status = status->ready ? 200 : 503;
    reply->content_type = "text/plain; charset=utf-8";
    buf_print(&reply->body, "%s\n", status->ready ? "ready" : "not ready");
    if (status->stuck)
        buf_print(
            &reply->body,
            "%zu of the threads for long calculations went on past the deadline and cannot be "
            "ended: restart this process\n",
            status->stuck);
    if (status->failure[0])
        buf_print(&reply->body, "the last reading of the catalogue failed: %s\n", status->failure);
}

void admin_handle(void *context, const struct request *request, struct reply *reply)
{
    const struct admin *admin = context;
    struct admin_status status = {0};
    const char *path = request->path;

    admin->get_status(admin->context, &status);
    if (request->method != METHOD_GET && request->method != METHOD_HEAD) {
        reply_refuse(reply, 405, "GET and HEAD only");
        reply_header(reply, "Allow", "GET, HEAD, OPTIONS");
        return;
    }
    if (strcmp(path, "/metrics") == 0)
        write_metrics(admin, &status, reply);
    else if (strcmp(path, "/ready") == 0)
        say_ready(&status, reply);
    else if (strcmp(path, "/live") != 0) {
        reply_refuse(reply, 404, "here are /live, /ready and /metrics");
        return;
    }
    reply_header(reply, "Cache-Control", "no-store");
}
