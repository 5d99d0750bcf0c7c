#include "http/exchange.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "http/suspended.h"
#include "http/connections.h"
#include "http/reply.h"
#include "http/send.h"
#include "http/head_syntax.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    BODY_MAX = 64 * 1024,
    BODY_IGNORED_MAX = 8 * 1024 * 1024, /* read and dropped; past it the connection is cut */
    TARGET_MAX = 8 * 1024,
    ANSWER_SMALL = BODY_MAX, /* not counted as unread: it takes the space of the request body */
};

/* Headers we use; on repeats the first wins where repeats are legal. */
enum header_name {
    HEADER_CONTENT_TYPE,
    HEADER_ACCEPT,
    HEADER_IF_NONE_MATCH,
    HEADER_AUTHORIZATION,
    HEADER_IDEMPOTENCY_KEY,
    HEADER_TRACEPARENT,
    HEADER_CONTENT_ENCODING,
    HEADER_ACCEPT_ENCODING,
    HEADER_ORIGIN,
    HEADER_FORWARDED_FOR, /* the last counts: it is the nearest proxy's */
    HEADER_FORWARDED_PROTO,
    HEADER_EXPECT,
    HEADER_ONCE, /* the headers from here on may occur only once */
    HEADER_HOST = HEADER_ONCE,
    HEADER_CONTENT_LENGTH,
    HEADER_TRANSFER_ENCODING,
    HEADER_COUNT
};

struct exchange {
    bool headers_seen;
    int refused;        /* the status to refuse with, 0: none */
    const char *reason; /* and why */
    struct buf body;
    size_t body_seen;
    const char *headers[HEADER_COUNT]; /* owned by libmicrohttpd, valid until the end */
    struct suspended *suspended;       /* NULL if answered immediately */
    size_t target_length;
    struct client from;
    char client[CLIENT_TEXT_SIZE]; /* the same as text */
    char via[CLIENT_TEXT_SIZE];    /* the peer if it is a proxy, else "" */
    size_t held;                   /* amount granted by client_limits_hold() for the answer */
    bool asks;                     /* the reply may come from, or go into, the cache */
    struct question question;      /* the cache key, if so */
    char target[]; /* path and query verbatim, up to the limit; then room to decode them */
};

void *exchange_begin(void *cls, const char *target, struct MHD_Connection *connection)
{
    struct open_connection *conn = connection_of(connection);
    size_t length = strnlen(target, TARGET_MAX + 1);
    struct exchange *exchange = mem_alloc(sizeof(*exchange) + 2 * (length + 1));

    memcpy(exchange->target, target, length);
    exchange->target_length = strlen(target);
    head_syntax_hide_query(target);
    buf_init(&exchange->body, BODY_MAX + 1);
    if (conn) {
        exchange_abandon(cls, conn);
        conn->exchange = exchange;
        conn->busy = true;
    }
    return exchange;
}

static void end(const struct worker *worker, struct exchange *exchange)
{
    client_limits_release(worker->server->clients, &exchange->from, exchange->held);
    suspended_free(exchange->suspended);
    buf_free(&exchange->body);
    free(exchange);
}

void exchange_abandon(struct worker *worker, struct open_connection *conn)
{
    if (conn->exchange)
        end(worker, conn->exchange);
    conn->exchange = NULL;
}

void exchange_end(void *cls, struct MHD_Connection *connection, void **con_cls,
                  enum MHD_RequestTerminationCode code)
{
    struct worker *worker = cls;
    struct exchange *exchange = *con_cls;
    struct open_connection *conn = connection_of(connection);

    (void)code;
    if (conn) {
        conn->busy = false;
        conn->exchange = NULL;
        connection_waits(worker, conn);
    }
    if (exchange)
        end(worker, exchange);
    *con_cls = NULL;
}

static void refuse(struct exchange *exchange, int status, const char *reason)
{
    if (exchange->refused)
        return;
    exchange->refused = status;
    exchange->reason = reason;
}

static enum MHD_Result take_header(void *cls, enum MHD_ValueKind kind, const char *name,
                                   const char *value)
{
    static const char *const names[HEADER_COUNT] = {
        [HEADER_CONTENT_TYPE] = "Content-Type",
        [HEADER_ACCEPT] = "Accept",
        [HEADER_IF_NONE_MATCH] = "If-None-Match",
        [HEADER_AUTHORIZATION] = "Authorization",
        [HEADER_IDEMPOTENCY_KEY] = "Idempotency-Key",
        [HEADER_TRACEPARENT] = "traceparent",
        [HEADER_CONTENT_ENCODING] = "Content-Encoding",
        [HEADER_ACCEPT_ENCODING] = "Accept-Encoding",
        [HEADER_ORIGIN] = "Origin",
        [HEADER_FORWARDED_FOR] = "X-Forwarded-For",
        [HEADER_FORWARDED_PROTO] = "X-Forwarded-Proto",
        [HEADER_EXPECT] = "Expect",
        [HEADER_HOST] = "Host",
        [HEADER_CONTENT_LENGTH] = "Content-Length",
        [HEADER_TRANSFER_ENCODING] = "Transfer-Encoding",
    };
    struct exchange *exchange = cls;

    (void)kind;
    for (size_t i = 0; value && i < HEADER_COUNT; i++) {
        if (((names[i][0] ^ name[0]) & ~0x20) || strcasecmp(names[i], name) != 0)
            continue;
        if (exchange->headers[i] && i >= HEADER_ONCE)
            refuse(exchange, 400, "Host, Content-Length and Transfer-Encoding may occur only once");
        if (!exchange->headers[i] || i == HEADER_FORWARDED_FOR)
            exchange->headers[i] = value;
    }
    return MHD_YES;
}

/* If the end of the body is ambiguous, what follows could be another client's request (request
 * smuggling), so the connection is closed. A client still sending its body would see a broken
 * connection instead of our answer, so a slightly oversized body is read to its end, unless the
 * client asked first (Expect). */
static void check_length(struct exchange *exchange, const char *version)
{
    const char *length = exchange->headers[HEADER_CONTENT_LENGTH];
    const char *encoding = exchange->headers[HEADER_TRANSFER_ENCODING];

    if (length && encoding)
        refuse(exchange, 400, "Content-Length and Transfer-Encoding contradict each other");
    if (encoding && strcasecmp(encoding, "chunked") != 0)
        refuse(exchange, 400, "the only transfer encoding supported is chunked");
    if (encoding && strcmp(version, "HTTP/1.0") == 0)
        refuse(exchange, 400, "HTTP/1.0 has no transfer encodings");
    if (length &&
        strtod(length, NULL) > (exchange->headers[HEADER_EXPECT] ? BODY_MAX : BODY_IGNORED_MAX))
        refuse(exchange, 413, "a body may have at most 65536 bytes");
}

/* Refusals that the head alone decides. Returns true if the request is refused without reading its
 * body, and the connection closed. */
static bool refuse_by_head(struct exchange *exchange, struct MHD_Connection *connection,
                           const char *method, const char *version)
{
    struct head_line line = {method, version, exchange->target, exchange->target_length};
    const char *wrong = head_syntax_check(connection, &line);

    if (wrong)
        refuse(exchange, 400, wrong);
    MHD_get_connection_values(connection, MHD_HEADER_KIND, take_header, exchange);
    const char *host = exchange->headers[HEADER_HOST];
    if (!host && strcmp(version, "HTTP/1.0") != 0)
        refuse(exchange, 400, "a request needs a Host");
    if (host && !head_syntax_is_host(host))
        refuse(exchange, 400, "the Host must be a name or an address, and a port");
    check_length(exchange, version);
    const char *coding = exchange->headers[HEADER_CONTENT_ENCODING];
    if (coding && strcasecmp(coding, "identity") != 0)
        refuse(exchange, 415, "send the body as it is, without a Content-Encoding");
    if (exchange->refused)
        return true;
    if (strlen(exchange->target) > TARGET_MAX)
        refuse(exchange, 414, "an address may have at most 8192 bytes");
    return false;
}

/* libmicrohttpd cannot answer while a body arrives: the excess is counted and discarded. */
static enum MHD_Result take_body(struct exchange *exchange, const char *data, size_t *size)
{
    exchange->body_seen += *size;
    buf_add(&exchange->body, data, *size);
    *size = 0;
    if (exchange->body_seen > BODY_MAX)
        refuse(exchange, 413, "a body may have at most 65536 bytes");
    return exchange->body_seen > BODY_IGNORED_MAX ? MHD_NO : MHD_YES;
}

static enum method method_of(const char *name)
{
    static const char *const names[] = {
        [METHOD_GET] = "GET", [METHOD_HEAD] = "HEAD",     [METHOD_POST] = "POST",
        [METHOD_PUT] = "PUT", [METHOD_DELETE] = "DELETE", [METHOD_OPTIONS] = "OPTIONS",
    };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(names[i], name) == 0)
            return (enum method)i;
    return METHOD_OTHER;
}

/* The path of a target in absolute form, http://host/path (RFC 9112, 3.2.2). */
static char *skip_authority(char *target)
{
    size_t scheme = strncasecmp(target, "http://", 7) == 0    ? 7
                    : strncasecmp(target, "https://", 8) == 0 ? 8
                                                              : 0;

    return scheme ? target + scheme + strcspn(target + scheme, "/?") : target;
}

static const char *header(const struct exchange *exchange, enum header_name name)
{
    return exchange->headers[name] ? exchange->headers[name] : "";
}

static void fill_request(struct request *request, struct exchange *exchange)
{
    size_t length = strlen(exchange->target);
    char *path =
        skip_authority(memcpy(exchange->target + length + 1, exchange->target, length + 1));
    char *query = strchr(path, '?');

    if (query)
        *query++ = '\0';
    if (!text_decode_percent(path, false))
        refuse(exchange, 400, "the path has a broken percent escape");
    if (path[0] != '/')
        refuse(exchange, 400, "the address must start with a slash");
    request->path = path;
    request->query = query ? query : "";
    request->host = header(exchange, HEADER_HOST);
    request->encrypted =
        exchange->via[0] && strcasecmp(header(exchange, HEADER_FORWARDED_PROTO), "https") == 0;
    request->content_type = header(exchange, HEADER_CONTENT_TYPE);
    request->accept = header(exchange, HEADER_ACCEPT);
    request->if_none_match = header(exchange, HEADER_IF_NONE_MATCH);
    request->authorization = header(exchange, HEADER_AUTHORIZATION);
    request->idempotency_key = header(exchange, HEADER_IDEMPOTENCY_KEY);
    request->body = buf_data(&exchange->body);
    request->body_length = exchange->body.length;
}

/* SplitMix64: ids must be unique, but may be predictable. */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15U;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

/* The trace id of a W3C traceparent, 00-<32 digits>-<16 digits>-<2 digits>, or a new one. */
static void make_id(struct worker *worker, const char *trace, char id[REQUEST_ID_SIZE])
{
    static const char digits[] = "0123456789abcdef";
    bool traced = strlen(trace) == 55 && strncmp(trace, "00-", 3) == 0 &&
                  strspn(trace + 3, digits) == 32 && trace[35] == '-' &&
                  strspn(trace + 36, digits) == 16 && trace[52] == '-' &&
                  strspn(trace + 53, digits) == 2 && strspn(trace + 3, "0") < 32;

    id[REQUEST_ID_SIZE - 1] = '\0';
    if (traced) {
        memcpy(id, trace + 3, REQUEST_ID_SIZE - 1);
    } else {
        text_print_hex(next_random(&worker->random), id);
        text_print_hex(next_random(&worker->random), id + TEXT_HEX_SIZE - 1);
    }
}

static void note(struct worker *worker, const struct request *request, int status,
                 const char *route, const char *format, double start)
{
    double seconds = clock_monotonic() - start;

    metrics_add(&worker->metrics, route, format, status, seconds);
    if (status == 500)
        log_write(LOG_ERROR, "a fault of ours", "id=%s route=%s", request->id,
                  route ? route : "other");
    log_write(LOG_DEBUG, "request", "id=%s method=%s status=%d route=%s seconds=%.6f", request->id,
              request->method == METHOD_OTHER ? "other" : request->method_name, status,
              route ? route : "other", seconds);
}

static void refuse_to_hold(struct reply *reply, enum client_hold why)
{
    if (why == CLIENT_HOLD_TOO_LONG) {
        reply_refuse(reply, 503,
                     "the answer is larger than allowed per client: ask for fewer rows, by pages "
                     "with limit and cursor, or accept gzip");
        return;
    }
    if (why == CLIENT_HOLD_SHARE_FULL)
        reply_refuse(reply, 429,
                     "answers you have not read yet use all the memory allowed per client: read "
                     "them or close their connections, then try again");
    else
        reply_refuse(reply, 503, "too many answers are waiting to be read: try again in a moment");
    reply_header(reply, "Retry-After", "1");
}

/* Unread answers share a bounded amount of memory, of which each client has a part. An answer read
 * by several clients counts for each, as the cache may drop it first. Returns false if there is no
 * room and the reply was replaced by a refusal. */
static bool hold_answer(const struct server *server, struct exchange *exchange, size_t bytes,
                        struct reply *reply)
{
    if (bytes <= ANSWER_SMALL)
        return true;
    enum client_hold hold = client_limits_hold(server->clients, &exchange->from, bytes);
    if (hold != CLIENT_HOLD_GRANTED) {
        refuse_to_hold(reply, hold);
        return false;
    }
    exchange->held = bytes;
    return true;
}

/* The library parses chunks leniently, so a proxy may see a different end of the body: close the
 * connection, so that nothing after it is taken for a request. */
static enum MHD_Result finish(struct worker *worker, struct MHD_Connection *connection,
                              struct exchange *exchange, const struct request *request,
                              struct reply *reply, struct buf *packed, double start)
{
    if (exchange->headers[HEADER_TRANSFER_ENCODING])
        reply_header(reply, "Connection", "close");
    if (reply->body.full)
        reply_refuse(reply, 500, "the answer is too long to send");
    bool zipped = send_pack(worker, connection, reply, packed);
    if (!hold_answer(worker->server, exchange, reply->body.room, reply))
        zipped = false;
    connection_waits(worker, connection_of(connection));
    note(worker, request, reply->status, reply->route, reply->format, start);
    enum MHD_Result sent = send_reply(worker, connection, request, reply, zipped,
                                      exchange->asks ? &exchange->question : NULL);
    buf_free(&exchange->body); /* its memory is used for the answer */
    return sent;
}

static enum MHD_Result finish_cached(struct worker *worker, struct MHD_Connection *connection,
                                     struct exchange *exchange, const struct request *request,
                                     const struct cached_reply *cached, double start)
{
    buf_free(&exchange->body);
    connection_waits(worker, connection_of(connection));
    note(worker, request, cached->status, cached->route, cached->format, start);
    return send_cached(connection, cached, request->id);
}

/* No reply if the server is stopping or the client has disconnected. */
static enum MHD_Result finish_suspended(struct worker *worker, struct MHD_Connection *connection,
                                        struct exchange *exchange)
{
    struct suspended *suspended = exchange->suspended;

    if (worker->server->stopping || suspended->gone)
        return MHD_NO;
    return finish(worker, connection, exchange, &suspended->request, &suspended->reply,
                  &suspended->packed, suspended->start);
}

/* Rate limit; the 429 carries Retry-After. */
static bool is_too_fast(struct server *server, const struct client *client, double now,
                        struct reply *reply)
{
    double wait = client_limits_wait(server->clients, client, now);

    if (wait <= 0)
        return false;
    reply_refuse(reply, 429,
                 "too many requests from your address: try again after the number of seconds in "
                 "Retry-After");
    reply_header(reply, "Retry-After", "%g", ceil(wait));
    return true;
}

/* The cached reply to the same request. A reply that depends on its reader, or ends the
 * connection, is never shared. */
static const struct cached_reply *find_cached(const struct worker *worker,
                                              struct exchange *exchange, enum method method)
{
    const struct server *server = worker->server;
    bool others = strcmp(server->cors_origin, "*") != 0 && exchange->headers[HEADER_ORIGIN];

    if (!worker->cache || exchange->refused || others || server->draining ||
        exchange->headers[HEADER_TRANSFER_ENCODING] ||
        (method != METHOD_GET && method != METHOD_HEAD && method != METHOD_POST))
        return NULL;
    exchange->asks = true;
    exchange->question = (struct question){
        .target = exchange->target,
        .accept = header(exchange, HEADER_ACCEPT),
        .if_none_match = header(exchange, HEADER_IF_NONE_MATCH),
        .content_type = header(exchange, HEADER_CONTENT_TYPE),
        .body = buf_data(&exchange->body),
        .body_length = exchange->body.length,
        .posted = method == METHOD_POST,
        .takes_gzip = gzip_accepted(header(exchange, HEADER_ACCEPT_ENCODING)),
        .state = server->state(server->context),
    };
    return response_cache_find(worker->cache, &exchange->question);
}

/* The whole request has arrived, or as much of it as we accept. */
static enum MHD_Result answer(struct worker *worker, struct MHD_Connection *connection,
                              const char *method, struct exchange *exchange)
{
    double start = clock_monotonic();
    struct server *server = worker->server;
    struct request request = {.worker = worker->number,
                              .can_defer = server->pools[DEFER_COMPUTE] != NULL,
                              .method = method_of(method)};
    struct reply reply;
    char id[REQUEST_ID_SIZE];
    struct open_connection *conn = connection_of(connection);
    const struct client *client = &exchange->from;

    exchange->from = client_limits_behind(server->clients, &conn->client,
                                          header(exchange, HEADER_FORWARDED_FOR));
    connection_computes(conn);
    make_id(worker, header(exchange, HEADER_TRACEPARENT), id);
    request.id = id;
    request.method_name = method;
    reply_init(&reply);
    const struct cached_reply *cached = find_cached(worker, exchange, request.method);
    if (cached && !is_too_fast(server, client, start, &reply) &&
        hold_answer(server, exchange, cached->bytes, &reply))
        return finish_cached(worker, connection, exchange, &request, cached, start);
    client_limits_text(client, exchange->client);
    request.client = exchange->client;
    if (memcmp(client, &conn->client, sizeof(*client)) != 0)
        client_limits_text(&conn->client, exchange->via);
    request.via = exchange->via;
    bool early = exchange->refused && exchange->refused != 414;
    fill_request(&request, exchange);
    if (request.method == METHOD_OPTIONS && !early)
        reply.status = 204; /* on every path, because spreadsheets give up on any other status */
    else if (exchange->refused)
        reply_refuse(&reply, exchange->refused, exchange->reason);
    else if (!cached && !is_too_fast(server, client, start, &reply))
        server->handle(server->context, &request, &reply);
    if (reply.deferred)
        exchange->suspended = suspended_begin(worker, connection, client, &request, &reply, start);
    return exchange->suspended
               ? MHD_YES
               : finish(worker, connection, exchange, &request, &reply, NULL, start);
}

/* Called once with the headers, then for each piece of the body, then for the answer, and again if
 * that was suspended. Answering on the first call closes the connection, which is right only if the
 * body is not wanted. */
enum MHD_Result exchange_go_on(void *cls, struct MHD_Connection *connection, const char *url,
                               const char *method, const char *version, const char *data,
                               size_t *size, void **con_cls)
{
    struct exchange *exchange = *con_cls;

    (void)url;
    if (!exchange->headers_seen) {
        exchange->headers_seen = true;
        return refuse_by_head(exchange, connection, method, version)
                   ? answer(cls, connection, method, exchange)
                   : MHD_YES;
    }
    if (exchange->suspended)
        return finish_suspended(cls, connection, exchange);
    return *size ? take_body(exchange, data, size) : answer(cls, connection, method, exchange);
}
