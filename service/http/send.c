#include "http/send.h"

#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "http/response_cache.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { GZIP_MIN = 1024 };

static const char methods[] = "GET, HEAD, POST, PUT, DELETE, OPTIONS";

static const char *header(struct MHD_Connection *connection, const char *name)
{
    const char *value = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);

    return value ? value : "";
}

bool send_takes_gzip(struct MHD_Connection *connection)
{
    return gzip_accepted(header(connection, "Accept-Encoding"));
}

bool send_worth_gzip(const struct reply *reply)
{
    size_t n = reply->lasting ? reply->lasting->length : reply->body.length;

    return n > GZIP_MIN && gzip_helps(reply->content_type) &&
           !reply_get_header(reply, "Content-Encoding");
}

bool send_pack(struct worker *worker, struct MHD_Connection *connection, struct reply *reply,
               struct buf *packed)
{
    bool zip = send_worth_gzip(reply) && send_takes_gzip(connection);
    struct buf small = {0};

    if (reply->lasting)
        return zip && reply->lasting_gzip;
    if (zip && !packed) {
        gzip_pack(worker->gzip, reply->body.data, reply->body.length, &small);
        packed = &small;
    }
    zip = zip && packed->length;
    if (zip) {
        buf_free(&reply->body);
        reply->body = *packed;
        *packed = (struct buf){0};
    }
    buf_trim(&reply->body);
    return zip;
}

static struct MHD_Response *make_response(struct reply *reply, bool zipped)
{
    const struct buf *lasting = zipped ? reply->lasting_gzip : reply->lasting;

    if (reply->lasting)
        return MHD_create_response_from_buffer(lasting->length, lasting->data,
                                               MHD_RESPMEM_PERSISTENT);
    size_t n = reply->body.length;
    char *bytes = buf_steal(&reply->body); /* the response takes ownership of them */
    return MHD_create_response_from_buffer(n, bytes ? bytes : mem_alloc(1), MHD_RESPMEM_MUST_FREE);
}

static void add(struct MHD_Response *response, const char *name, const char *value)
{
    if (MHD_add_response_header(response, name, value) != MHD_YES)
        log_text(LOG_WARN, "a header was left out", "name", name);
}

/* The compressed body is a different representation with its own tag. */
static void add_tag(struct MHD_Response *response, const char *tag, bool zipped)
{
    struct buf marked;

    buf_init(&marked, strlen(tag) + 8);
    buf_add(&marked, tag, strlen(tag) - 1);
    buf_text(&marked, zipped ? "-gz\"" : "\"");
    add(response, "ETag", buf_data(&marked));
    buf_free(&marked);
}

static void add_own(struct MHD_Response *response, const struct reply *reply, bool worth,
                    bool zipped)
{
    for (size_t i = 0; i < reply->n_headers; i++) {
        const struct header *own_header = &reply->headers[i];
        if (strcasecmp(own_header->name, "ETag") == 0)
            add_tag(response, own_header->value, zipped);
        else
            add(response, own_header->name, own_header->value);
    }
    if (reply->content_type && reply->status != 304 && reply->status != 204)
        add(response, "Content-Type", reply->content_type);
    if (zipped)
        add(response, "Content-Encoding", "gzip");
    const char *vary = reply_get_header(reply, "Vary");
    if (worth && (!vary || !strcasestr(vary, "Accept-Encoding")))
        add(response, "Vary", "Accept-Encoding");
}

/* Add the origin whose pages may read the answer: any, or one of those listed. */
static void add_origin(struct MHD_Response *response, const char *allowed, const char *origin)
{
    if (strcmp(allowed, "*") == 0) {
        add(response, "Access-Control-Allow-Origin", "*");
        return;
    }
    add(response, "Vary", "Origin");
    if (origin[0] && text_in_list(allowed, origin))
        add(response, "Access-Control-Allow-Origin", origin);
}

static void add_common(struct MHD_Response *response, const struct server *server,
                       const char *origin)
{
    add(response, "Server", server->name);
    add(response, "X-Content-Type-Options", "nosniff");
    if (server->cors_origin[0]) {
        add_origin(response, server->cors_origin, origin);
        add(response, "Access-Control-Expose-Headers",
            "ETag, Last-Modified, Link, Location, Retry-After, RateLimit, RateLimit-Policy, "
            "Deprecation, "
            "Sunset, Server-Timing, X-Request-Id, Gpuplan-Archived");
    }
    if (server->draining)
        add(response, "Connection", "close");
}

static void add_options(struct MHD_Response *response)
{
    add(response, "Allow", methods);
    add(response, "Access-Control-Allow-Methods", methods);
    add(response, "Access-Control-Allow-Headers",
        "Authorization, Content-Type, If-None-Match, Idempotency-Key, traceparent");
    add(response, "Access-Control-Max-Age", "86400");
}

static struct MHD_Response *make(const struct worker *worker, struct MHD_Connection *connection,
                                 struct reply *reply, bool zipped)
{
    bool worth = zipped || send_worth_gzip(reply);
    struct MHD_Response *response = make_response(reply, zipped);

    if (response) {
        add_own(response, reply, worth, zipped);
        add_common(response, worker->server, header(connection, "Origin"));
    }
    return response;
}

/* The library writes the head before it handles another connection, so the next request can put its
 * own id into the same response. */
enum MHD_Result send_cached(struct MHD_Connection *connection, const struct cached_reply *cached,
                            const char *id)
{
    static const char name[] = "X-Request-Id";
    const char *before = MHD_get_response_header(cached->response, name);

    if (before)
        MHD_del_response_header(cached->response, name, before);
    add(cached->response, name, id);
    return MHD_queue_response(connection, (unsigned)cached->status, cached->response);
}

/* True if all clients get the same response to the same request. */
static bool may_keep(const struct server *server, const struct reply *reply)
{
    return reply->keep && !server->draining && (reply->status == 200 || reply->status == 304);
}

enum MHD_Result send_reply(struct worker *worker, struct MHD_Connection *connection,
                           const struct request *request, struct reply *reply, bool zipped,
                           const struct question *question)
{
    size_t bytes = reply->lasting ? 0 : reply->body.room;
    struct MHD_Response *response = make(worker, connection, reply, zipped);
    struct cached_reply made = {.response = response,
                                .status = reply->status,
                                .route = reply->route,
                                .format = reply->format,
                                .bytes = bytes};
    enum MHD_Result queued = MHD_NO;

    if (response && request->method == METHOD_OPTIONS && reply->status == 204)
        add_options(response);
    if (response) {
        bool cached = question && may_keep(worker->server, reply) &&
                      response_cache_add(worker->cache, question, &made);
        queued = send_cached(connection, &made, request->id);
        if (!cached)
            MHD_destroy_response(response);
    }
    reply_free(reply);
    return queued;
}
