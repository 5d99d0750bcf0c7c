/* request.h - what a handler sees of an HTTP request and what it gives back; no library's types.
 *
 * The server (http/server.h) fills a struct request, calls the handler from a worker thread, once
 * but for deferred replies, and sends the struct reply: it adds Content-Length, Date, Server,
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

/* Every pointer is borrowed for the call and never NULL; "" where the client sent nothing. */
struct request {
    enum method method;
    const char *method_name;
    const char *path;  /* percent-decoded, starts with / */
    const char *query; /* raw, what follows the ?, still percent-encoded */
    const char *host, *content_type, *accept, *if_none_match;
    bool encrypted;            /* the client asked a trusted proxy by https */
    const char *authorization; /* never to be logged */
    const char *idempotency_key;
    const char *body;
    size_t body_length;
    const char *client; /* address it came from */
    const char *via;    /* of the proxy that says so, "" where none does */
    const char *id;     /* request id, echoed as X-Request-Id */
    unsigned worker;    /* thread, for live_enter(): 0 to workers - 1, then those of the pool */
    bool can_defer;     /* see handler_fn */
    const struct cancel *cancel; /* polled by long calculations; NULL: cannot be cancelled */
};

/* Whether another thread answers: one of the compute pool, or the writer. */
enum defer { DEFER_NOT, DEFER_COMPUTE, DEFER_WRITE, DEFER_COUNT };

enum { REPLY_HEADERS_MAX = 16, REPLY_BODY_MAX = 64 * 1024 * 1024 };

/* Starts as reply_init() makes it: 200, no type, empty body. */
struct reply {
    enum defer deferred; /* unless DEFER_NOT, this is not the reply: see handler_fn */
    bool is_long;        /* of what is deferred: short ones may pass it */
    int status;
    const char *content_type; /* static text */
    struct buf body;
    /* Instead of body: text that outlives the server, and the same compressed; NULL where none. */
    const struct buf *lasting, *lasting_gzip;
    /* Whether it depends on the request and server_options.state alone and changes nothing, so that
     * the response cache may send it again; status 200 or 304. */
    bool keep;
    const char *route;  /* the path's template, for the metrics; static text or NULL */
    const char *format; /* of the answer, as json; static text or NULL */
    size_t n_headers;
    struct header {
        const char *name; /* static text */
        char *value;      /* owned */
    } headers[REPLY_HEADERS_MAX];
};

void reply_init(struct reply *reply);
void reply_free(struct reply *reply);
/* Add a header; an ETag is given for the uncompressed body (the server marks the compressed one).
 */
void reply_header(struct reply *reply, const char *name, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* The value of a header set earlier, NULL if there is none. */
const char *reply_get_header(const struct reply *reply, const char *name);

/* Whether the client already has what the reply's ETag names (If-None-Match, a list, weak or marked
 * as compressed); then the reply becomes a 304 without a body. */
bool reply_not_modified(const struct request *request, struct reply *reply);

/* Answers one request; runs on a worker thread, where it may not block, nor take over about a
 * millisecond: others wait. Where the answer takes longer and request->can_defer is set, it sets
 * reply->deferred and returns. Then it is called again, with the same request but can_defer and
 * worker, from a thread of the pool for such answers (http/thread_pool.h), where it may take its
 * time. Nothing it put into the first reply is kept. */
typedef void (*handler_fn)(void *context, const struct request *request, struct reply *reply);

#endif
