/* request.h - the request as a handler sees it, and its reply; independent of the HTTP library.
 *
 * The server (http/server.h) fills a struct request, calls the handler from a worker thread (twice
 * for deferred replies), and sends the struct reply. It adds Content-Length, Date, Server,
 * X-Request-Id and CORS headers, compresses, and answers HEAD without the body.
 */
#ifndef HTTP_REQUEST_H
#define HTTP_REQUEST_H

#include "base/attr.h"
#include "base/buf.h"
#include "base/cancel.h"

enum method {
    METHOD_GET,
    METHOD_HEAD,
    METHOD_POST,
    METHOD_PUT,
    METHOD_DELETE,
    METHOD_OPTIONS,
    METHOD_OTHER
};

/* Pointers are valid during the call and never NULL; "" if the client sent nothing. */
struct request {
    enum method method;
    const char *method_name;
    const char *path;  /* percent-decoded, starts with / */
    const char *query; /* the part after the ?, still percent-encoded */
    const char *host, *content_type, *accept, *if_none_match;
    bool encrypted;            /* the client used https, according to a trusted proxy */
    const char *authorization; /* must never be logged */
    const char *idempotency_key;
    const char *body;
    size_t body_length;
    const char *client; /* address it came from */
    const char *via;    /* address of the proxy that reported it, or "" */
    const char *id;     /* request id, echoed as X-Request-Id */
    unsigned worker;    /* thread number for live_enter(): workers from 0, then pool threads */
    bool can_defer;     /* see handler_fn */
    const struct cancel *cancel; /* polled by long calculations; NULL if not cancellable */
};

/* Which other thread answers: one of the compute pool, or the writer. */
enum defer { DEFER_NOT, DEFER_COMPUTE, DEFER_WRITE, DEFER_COUNT };

enum { REPLY_HEADERS_MAX = 16, REPLY_BODY_MAX = 64 * 1024 * 1024 };

/* Initialised by reply_init(): 200, no type, empty body. */
struct reply {
    enum defer deferred; /* if not DEFER_NOT, the reply is still to be made: see handler_fn */
    bool is_long;        /* for a deferred reply: short ones may overtake it */
    int status;
    const char *content_type; /* static text */
    struct buf body;
    /* Used instead of body: text that outlives the server, and its compressed form; NULL if
     * none. */
    const struct buf *lasting, *lasting_gzip;
    /* True if the reply depends only on the request and server_options.state and has no side
     * effects, so that it may be cached; status 200 or 304. */
    bool keep;
    const char *route;  /* the path's template, for the metrics; static text or NULL */
    const char *format; /* format of the answer, such as json; static text or NULL */
    size_t n_headers;
    struct header {
        const char *name; /* static text */
        char *value;      /* owned */
    } headers[REPLY_HEADERS_MAX];
};

void reply_init(struct reply *reply);
void reply_free(struct reply *reply);
/* Add a header. An ETag is given for the uncompressed body; the server marks the compressed one.
 */
void reply_header(struct reply *reply, const char *name, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* The value of a header set earlier, or NULL. */
const char *reply_get_header(const struct reply *reply, const char *name);

/* If the request's If-None-Match (a list; weak or marked as compressed) matches the reply's ETag,
 * turns the reply into a 304 without a body and returns true. */
bool reply_not_modified(const struct request *request, struct reply *reply);

/* Answers one request. Runs on a worker thread, so it must not block or take more than about a
 * millisecond. For a longer answer, if request->can_defer is set, it sets reply->deferred and
 * returns. It is then called again from a pool thread (http/thread_pool.h), with the same request
 * except for can_defer and worker, and may take its time. The first reply is discarded. */
typedef void (*handler_fn)(void *context, const struct request *request, struct reply *reply);

#endif
