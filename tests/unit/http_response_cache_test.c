/* http_response_cache_test.c - replies that are kept: to whom they are sent again, and until when.
 */
#include "http/response_cache.h"
#include "http/server.h"

#include "http_client.h"
#include "tap.h"

#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

static struct client_reply reply;
static atomic_int calls;
static _Atomic uint64_t state = 1;

static uint64_t state_now(void *context)
{
    (void)context;
    return state;
}

/* Says what it was asked, and how often it has been; /long has a body of a quarter of what may be
 * kept at most, /huge of more. */
static void handle(void *context, const struct request *request, struct reply *out)
{
    int call = ++calls;

    (void)context;
    out->content_type = "text/plain; charset=utf-8";
    out->route = "/test";
    out->keep = strcmp(request->path, "/other") != 0;
    out->status = strcmp(request->path, "/missing") == 0 ? 404 : 200;
    reply_header(out, "ETag", "\"%d\"", (int)state);
    if (reply_not_modified(request, out))
        return;
    buf_print(&out->body, "call=%d method=%s path=%s query=%s accept=%s body=%.*s", call,
              request->method_name, request->path, request->query, request->accept,
              (int)request->body_length, request->body);
    size_t more = strcmp(request->path, "/long") == 0   ? CACHE_BYTES_MAX / 8
                  : strcmp(request->path, "/huge") == 0 ? CACHE_BYTES_MAX / 4
                                                        : 0;
    while (out->body.length < more)
        buf_print(&out->body, "%1000d", call);
}

static struct server *start(const char *cors_origin, double rate)
{
    struct server_options options = {.listen = "127.0.0.1:0",
                                     .workers = 1,
                                     .connections = 100,
                                     .cors_origin = cors_origin,
                                     .name = "gpuplan/test",
                                     .clients = {.rate = rate},
                                     .state = state_now};

    return client_server(&options, handle);
}

/* Send once; whether the handler was called for it. */
static bool post(const struct server *server, const char *line, const char *headers,
                 const char *body)
{
    char request[1024];
    int before = calls;

    snprintf(request, sizeof(request), "%s HTTP/1.1\r\nHost: h\r\n%sConnection: close\r\n\r\n%s",
             line, headers, body);
    client_ask(server_port(server), request, &reply);
    return calls != before;
}

static bool ask(const struct server *server, const char *line, const char *headers)
{
    return post(server, line, headers, "");
}

/* Ask for the first time, and the second, after which the reply is kept; whether the handler was
 * called for it both times. */
static bool ask_twice(const struct server *server, const char *line, const char *headers)
{
    return ask(server, line, headers) && ask(server, line, headers);
}

static void test_same(const struct server *server)
{
    char first[64];

    ok(ask_twice(server, "GET /a?x=1", "") && reply.status == 200,
       "what is new is asked for, and what was asked for once");
    snprintf(first, sizeof(first), "%.60s", reply.body);
    ok(!ask(server, "GET /a?x=1", ""), "from then on it is not");
    is_str(reply.body, first, "and has the same answer");
    is_str(client_header(&reply, "ETag"), "\"1\"", "with its headers");
    is_str(client_header(&reply, "Content-Type"), "text/plain; charset=utf-8", "and its type");
    ok(client_header(&reply, "Date")[0], "and a date");
    ok(!ask(server, "HEAD /a?x=1", "") && reply.status == 200, "a HEAD has the same head");
    ok(!ask(server, "GET /a?x=1", "Origin: https://a.example\r\n"), "whose page asks is all one");
    is_str(client_header(&reply, "Access-Control-Allow-Origin"), "*", "where any may");
}

static void test_others(const struct server *server)
{
    ok(ask(server, "GET /a?x=2", ""), "another query is another question");
    ok(ask(server, "GET /A?x=1", ""), "and another path");
    ok(ask(server, "GET /a%3Fx=1", ""), "however it reads decoded");
    ok(ask(server, "GET /a?x=1", "Accept: text/csv\r\n"), "and another Accept");
    ok(strstr(reply.body, "accept=text/csv") != NULL, "which the handler sees");
    ok(ask(server, "GET /a?x=1", "If-None-Match: \"0\"\r\n") && reply.status == 200,
       "and another If-None-Match");
    ok(ask_twice(server, "GET /a?x=1", "If-None-Match: \"1\"\r\n") && reply.status == 304,
       "even where it matches");
    ok(!ask(server, "GET /a?x=1", "If-None-Match: \"1\"\r\n") && reply.status == 304,
       "a 304 is kept too");
    is_str(client_header(&reply, "ETag"), "\"1\"", "with its tag");
    int before = calls;
    client_ask(server_port(server),
               "GET /a?x=1 HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
               &reply);
    ok(calls == before + 1 && reply.status == 200, "and a request in chunks");
    ok(ask_twice(server, "GET /other", "") && ask(server, "GET /other", ""),
       "and what is not worth keeping");
    ok(ask_twice(server, "GET /missing", "") && ask(server, "GET /missing", ""),
       "and what is not there");
}

static void test_posts(const struct server *server)
{
    static const char line[] = "POST /a?x=1", one[] = "Content-Length: 1\r\n";

    ok(ask_twice(server, line, "Content-Length: 0\r\n"), "a POST is another question");
    ok(!ask(server, line, "Content-Length: 0\r\n"), "that is kept too");
    ok(strstr(reply.body, "method=POST") != NULL, "for itself");
    ok(post(server, line, one, "1") && post(server, line, one, "1"), "and another body");
    ok(!post(server, line, one, "1") && strstr(reply.body, "body=1") != NULL, "likewise");
    ok(post(server, line, one, "2"), "each its own");
    ok(post(server, line, "Content-Length: 1\r\nContent-Type: a/b\r\n", "1"),
       "read by the type it has");
    ok(ask_twice(server, "POST /other", "Content-Length: 0\r\n") &&
           ask(server, "POST /other", "Content-Length: 0\r\n"),
       "and what changes something is done each time");
}

static void test_gzip(const struct server *server)
{
    ok(ask(server, "GET /long", ""), "a long answer");
    ok(ask_twice(server, "GET /long", "Accept-Encoding: gzip\r\n"), "is another one compressed");
    is_str(client_header(&reply, "Content-Encoding"), "gzip", "as its head says");
    ok(!ask(server, "GET /long", "Accept-Encoding: br, gzip;q=0.5\r\n"), "for all who take that");
    is_str(client_header(&reply, "ETag"), "\"1-gz\"", "with a tag of its own");
    ok(ask(server, "GET /long", "Accept-Encoding: gzip;q=0\r\n"), "others get it plain");
    is_str(client_header(&reply, "Content-Encoding"), "", "as it is");
}

static void test_state(const struct server *server)
{
    state = 2;
    ok(ask(server, "GET /a?x=1", ""), "in another state all is asked again");
    is_str(client_header(&reply, "ETag"), "\"2\"", "and answered anew");
    ok(!ask(server, "GET /a?x=1", ""), "then kept");
    state = 1;
    ok(ask(server, "GET /a?x=1", ""), "what was forgotten does not come back");
}

/* Far more than may be kept: whatever is forgotten meanwhile, every answer is to its question. */
static void test_bound(const struct server *server)
{
    char line[64], want[64];
    size_t right = 0, n = 0;

    ok(ask_twice(server, "GET /huge", "") && ask(server, "GET /huge", ""),
       "what is too large is not kept");
    for (int i = 0; i < 6000; i++, n++) {
        int who = i * 7 % 1500;
        snprintf(line, sizeof(line), "GET /%s?q=%d", i % 100 ? "b" : "long", who);
        snprintf(want, sizeof(want), "query=q=%d ", who);
        ask(server, line, "");
        right += reply.status == 200 && strstr(reply.body, want) != NULL;
    }
    ok(right == n, "%zu of %zu answers are to their question", right, n);
}

/* Every reply has the id of its own request, though they are sent from one response: those of one
 * connection all at once, and of two in turn, one of which has not taken its answer yet. */
static void test_ids(const struct server *server)
{
    static const char trace[] = "GET %s HTTP/1.1\r\nHost: h\r\ntraceparent: "
                                "00-%032d-00f067aa0ba902b7-01\r\n\r\n";
    int slow = client_connect(server_port(server)), quick = client_connect(server_port(server));
    char want[33];
    size_t right = 0;

    client_print(slow, trace, "/long", 1);
    client_read(slow, false, &reply);
    for (int i = 1; i <= 20; i++)
        client_print(slow, trace, "/long", i);
    for (int i = 21; i <= 40; i++) {
        client_print(quick, trace, "/long", i);
        client_read(quick, false, &reply);
        snprintf(want, sizeof(want), "%032d", i);
        right += strcmp(client_header(&reply, "X-Request-Id"), want) == 0;
    }
    for (int i = 1; i <= 20; i++) {
        client_read(slow, false, &reply);
        snprintf(want, sizeof(want), "%032d", i);
        right += strcmp(client_header(&reply, "X-Request-Id"), want) == 0;
    }
    ok(right == 40, "%zu of 40 replies have the id of their request", right);
    close(slow);
    close(quick);
}

/* Who may read an answer is said to each page by itself. */
static void test_origins(void)
{
    struct server *server = start("https://a.example", 0);

    ok(ask(server, "GET /a", "Origin: https://a.example\r\n"), "a page asks");
    is_str(client_header(&reply, "Access-Control-Allow-Origin"), "https://a.example", "it may");
    ask(server, "GET /a", "Origin: https://b.example\r\n");
    is_str(client_header(&reply, "Access-Control-Allow-Origin"), "", "another may not");
    ok(ask_twice(server, "GET /a", "") && !ask(server, "GET /a", ""), "no page: it is kept");
    is_str(client_header(&reply, "Vary"), "Origin", "and says whom it is for");
    server_stop(server);
}

/* What costs little is a request all the same. */
static void test_rate(void)
{
    struct server *server = start("*", 1);
    int refused = 0;

    for (int i = 0; i < 3 * CLIENT_LIMITS_BURST_S; i++) {
        ask(server, "GET /a", "");
        refused += reply.status == 429;
    }
    ok(refused > CLIENT_LIMITS_BURST_S, "%d of %d quick requests are too many", refused,
       3 * CLIENT_LIMITS_BURST_S);
    server_stop(server);
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    struct server *server = start("*", 0);

    test_same(server);
    test_others(server);
    test_posts(server);
    test_gzip(server);
    test_ids(server);
    test_state(server);
    test_bound(server);
    server_stop(server);
    test_origins();
    test_rate();
    return tap_done();
}
