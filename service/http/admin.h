/* admin.h - endpoints for operations: liveness, readiness, and metrics in Prometheus text. */
#ifndef HTTP_ADMIN_H
#define HTTP_ADMIN_H

#include "http/request.h"
#include "http/server.h"

enum { ADMIN_OUTCOMES_MAX = 8 };

/* State of the daemon for /ready and /metrics; main.c and the server fill it in. */
struct admin_status {
    bool ready;               /* a catalogue is loaded, no calculation is stuck, and the daemon is
                               * not shutting down */
    size_t stuck;             /* calculations that do not respond to cancellation */
    bool database_up;         /* the refresher is connected */
    bool database_listening;  /* and receives notifications of changes */
    double catalog_loaded_at; /* seconds since 1970; 0 before the first load */
    size_t offers, offers_read, gpus, models;
    uint64_t reloads_ok, reloads_failed, reloads_older;
    char failure[400];  /* why the last reload failed; "" if it did not */
    char lacking[8192]; /* assumptions missing from it, as key or key:scope, comma-separated */
    const char *version, *model_version;
    struct admin_count {
        const char *outcome;
        uint64_t n;
    } quote_writes[ADMIN_OUTCOMES_MAX], archived[ADMIN_OUTCOMES_MAX];
    size_t n_quote_writes, n_archived;
};

struct admin {
    void (*get_status)(void *context, struct admin_status *status);
    void *context;
    struct server *server; /* the server that the metrics describe */
};

/* A handler_fn whose context is a struct admin. */
void admin_handle(void *context, const struct request *request, struct reply *reply);

#endif
