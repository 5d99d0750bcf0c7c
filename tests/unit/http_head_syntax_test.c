/* http_head_syntax_test.c - requests and replies byte by byte: limits, methods, headers,
 * compression. */
#include "http/server.h"
#include "http_client.h"
#include "tap.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

static struct client_reply reply;
static struct buf lasting;

static void answer_big(struct reply *out)
{
    reply_header(out, "ETag", "\"big\"");
    for (int i = 0; i < 1000; i++)
        buf_print(&out->body, "%d;", i);
}

static void handle(void *context, const struct request *request, struct reply *out)
{
    (void)context;
    out->content_type = "text/plain; charset=utf-8";
    out->route = "/test";
    if (strcmp(request->path, "/big") == 0) {
        answer_big(out);
        return;
    }
    if (strcmp(request->path, "/lasting") == 0) {
        out->lasting = &lasting;
        return;
    }
    if (strcmp(request->path, "/head") == 0)
        reply_header(out, "ETag", "\"tag\"");
    while (strcmp(request->path, "/endless") == 0 && !out->body.full)
        buf_text(&out->body, "and so on and so forth and so on and so forth and so on; ");
    buf_print(&out->body, "%s %s?%s body=%zu id=%s", request->method_name, request->path,
              request->query, request->body_length, request->id);
}

static struct server *start(const char *cors_origin)
{
    struct server_options options = {.listen = "127.0.0.1:0",
                                     .workers = 2,
                                     .connections = 100,
                                     .cors_origin = cors_origin,
                                     .name = "gpuplan/test"};

    return client_server(&options, handle);
}

static const char get[] = "GET /x HTTP/1.1\r\nHost: h\r\n\r\n";

static void test_bodies(unsigned port)
{
    int fd = client_connect(port);

    client_print(fd, "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 8388609\r\n\r\n");
    ok(client_read(fd, false, &reply) && reply.status == 413, "413 comes before a long body");
    is_str(client_header(&reply, "Content-Type"), "application/problem+json", "as a problem");
    ok(client_closed(fd, 5), "and the connection ends");
    close(fd);

    fd = client_connect(port);
    client_print(fd, "POST /x HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\n"
                     "Content-Length: 65537\r\n\r\n");
    ok(client_read(fd, false, &reply) && reply.status == 413, "413 instead of 100-continue");
    close(fd);

    static char body[65536];
    memset(body, 'a', sizeof(body));
    fd = client_connect(port);
    client_print(fd, "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 65536\r\n\r\n");
    client_send(fd, body, sizeof(body));
    ok(client_read(fd, false, &reply) && reply.status == 200 && strstr(reply.body, "body=65536"),
       "64 KiB are taken whole");
    client_send(fd, get, sizeof(get) - 1);
    ok(client_read(fd, false, &reply) && reply.status == 200, "and the connection lives on");
    close(fd);
}

static bool send_chunk(int fd, size_t n)
{
    static char chunk[8192];

    memset(chunk, 'a', sizeof(chunk));
    return client_print(fd, "%zx\r\n", n) && client_send(fd, chunk, n) && client_print(fd, "\r\n");
}

static void test_chunks(unsigned port)
{
    static const char head[] = "POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
    int fd = client_connect(port);

    client_print(fd, "%s", head);
    for (int i = 0; i < 8; i++)
        send_chunk(fd, 8192);
    client_print(fd, "0\r\n\r\n");
    ok(client_read(fd, false, &reply) && strstr(reply.body, "body=65536"),
       "64 KiB in chunks are taken whole");
    close(fd);

    fd = client_connect(port);
    client_print(fd, "%s", head);
    for (int i = 0; i < 8; i++)
        send_chunk(fd, 8192);
    send_chunk(fd, 1);
    client_print(fd, "0\r\n\r\n");
    ok(client_read(fd, false, &reply) && reply.status == 413, "a byte more is a 413 at the end");
    close(fd);

    fd = client_connect(port);
    client_print(fd, "%s", head);
    bool open = true;
    for (int i = 0; open && i < 4096; i++)
        open = send_chunk(fd, 8192);
    ok(!open, "an endless body is cut off");
    close(fd);
}

static void test_addresses(unsigned port)
{
    static char request[20000];
    static char path[9000];

    memset(path, 'a', sizeof(path) - 1);
    path[0] = '/';
    path[8192] = '\0';
    snprintf(request, sizeof(request), "GET %s HTTP/1.1\r\nHost: h\r\n\r\n", path);
    ok(client_ask(port, request, &reply) && reply.status == 200, "8192 bytes of address are taken");
    path[8192] = 'a';
    path[8193] = '\0';
    snprintf(request, sizeof(request), "GET %s HTTP/1.1\r\nHost: h\r\n\r\n", path);
    ok(client_ask(port, request, &reply) && reply.status == 414, "8193 are a 414");

    ok(client_ask(port, "GET /a%20b?c=%20d HTTP/1.1\r\nHost: h\r\n\r\n", &reply) &&
           strstr(reply.body, "GET /a b?c=%20d "),
       "the path is decoded, the query is not");
    ok(client_ask(port, "GET /a%00b HTTP/1.1\r\nHost: h\r\n\r\n", &reply) && reply.status == 400,
       "a NUL in the path is a 400");
    ok(client_ask(port, "GET /a%zz HTTP/1.1\r\nHost: h\r\n\r\n", &reply) && reply.status == 400,
       "a broken escape is a 400");
    ok(client_ask(port, "GET http://h/abs?q=1 HTTP/1.1\r\nHost: h\r\n\r\n", &reply) &&
           strstr(reply.body, "GET /abs?q=1 "),
       "an absolute address is taken, as RFC 9112 asks");
}

static void test_smuggling(unsigned port)
{
    ok(client_ask(port,
                  "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n"
                  "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                  &reply) &&
           reply.status == 400,
       "two kinds of length are a 400");
    ok(client_ask(port,
                  "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n"
                  "hello!",
                  &reply) &&
           reply.status == 400,
       "two lengths are a 400");
    ok(client_ask(port, "POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip\r\n\r\n0\r\n\r\n",
                  &reply) &&
           reply.status == 400,
       "an encoding that is not chunked is a 400");
    ok(client_ask(port, "GET /x HTTP/1.1\r\n\r\n", &reply) && reply.status == 400,
       "no Host is a 400");
}

static void test_methods(unsigned port)
{
    int fd = client_connect(port);

    client_print(fd, "GET /head HTTP/1.1\r\nHost: h\r\n\r\n");
    client_read(fd, false, &reply);
    client_print(fd, "HEAD /head HTTP/1.1\r\nHost: h\r\n\r\n");
    ok(client_read(fd, true, &reply) && reply.status == 200, "HEAD is answered");
    is_str(client_header(&reply, "ETag"), "\"tag\"", "with the headers of GET");
    ok(strtol(client_header(&reply, "Content-Length"), NULL, 10) > 0, "and its length");
    client_send(fd, get, sizeof(get) - 1);
    ok(client_read(fd, false, &reply) && reply.status == 200, "and no body follows");
    close(fd);

    static const char *const options[] = {"/x", "/no/such", "*", "/a%zz"};
    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
        char request[128];
        snprintf(request, sizeof(request), "OPTIONS %s HTTP/1.1\r\nHost: h\r\n\r\n", options[i]);
        ok(client_ask(port, request, &reply) && reply.status == 204, "OPTIONS %s: 204", options[i]);
        is_str(client_header(&reply, "Allow"), "GET, HEAD, POST, PUT, DELETE, OPTIONS",
               "with Allow");
        is_str(client_header(&reply, "Access-Control-Allow-Methods"),
               "GET, HEAD, POST, PUT, DELETE, OPTIONS", "and for browsers");
    }
    ok(client_ask(port, "BREW /x HTTP/1.1\r\nHost: h\r\n\r\n", &reply) &&
           strstr(reply.body, "BREW /x"),
       "an unknown method is the handler's");
}

static const char *const no_traces[] = {
    "00-\"x\"-y-01",
    "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
    "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
    "00-4bf92f3577b34da6a3ce929d0e0e4736x00f067aa0ba902b7-01",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902bg-01",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7x01",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0g",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-012",
};

static void test_headers(unsigned port)
{
    client_ask(port, get, &reply);
    is_str(client_header(&reply, "Access-Control-Allow-Origin"), "*", "any origin may read");
    is_str(client_header(&reply, "X-Content-Type-Options"), "nosniff", "types are not guessed");
    ok(strstr(client_header(&reply, "Access-Control-Expose-Headers"), "X-Request-Id"),
       "a browser may see the request id");
    ok(strncmp(client_header(&reply, "Server"), "gpuplan", 7) == 0, "the server says its name");
    ok(strlen(client_header(&reply, "X-Request-Id")) == 32, "a request gets an id");
    ok(client_ask(port,
                  "GET /x HTTP/1.1\r\nHost: h\r\ntraceparent: "
                  "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\r\n\r\n",
                  &reply),
       "a traced request is answered");
    is_str(client_header(&reply, "X-Request-Id"), "4bf92f3577b34da6a3ce929d0e0e4736",
           "and keeps its trace id");
    ok(strstr(reply.body, "id=4bf92f3577b34da6a3ce929d0e0e4736"), "which the handler sees");
    for (size_t i = 0; i < sizeof(no_traces) / sizeof(no_traces[0]); i++) {
        char request[200];
        snprintf(request, sizeof(request), "GET /x HTTP/1.1\r\nHost: h\r\ntraceparent: %s\r\n\r\n",
                 no_traces[i]);
        client_ask(port, request, &reply);
        const char *id = client_header(&reply, "X-Request-Id");
        ok(strlen(id) == 32 && !strstr(no_traces[i], id), "no trace: %s", no_traces[i]);
    }
}

static bool ask_big(unsigned port, const char *encodings)
{
    char request[200];

    snprintf(request, sizeof(request), "GET /big HTTP/1.1\r\nHost: h\r\n%s\r\n", encodings);
    return client_ask(port, request, &reply) && reply.status == 200;
}

static void test_compression(unsigned port)
{
    char plain[8000], text[8000];

    ok(ask_big(port, "") && !client_header(&reply, "Content-Encoding")[0], "unasked it is plain");
    is_str(client_header(&reply, "ETag"), "\"big\"", "under its own tag");
    is_str(client_header(&reply, "Vary"), "Accept-Encoding", "and caches know that it varies");
    memcpy(plain, reply.body, reply.body_length + 1);
    ok(ask_big(port, "Accept-Encoding: gzip\r\n"), "asked for");
    is_str(client_header(&reply, "Content-Encoding"), "gzip", "it is compressed");
    is_str(client_header(&reply, "ETag"), "\"big-gz\"", "under another tag");
    z_stream stream = {.next_in = (Bytef *)reply.body, .avail_in = (uInt)reply.body_length};
    stream.next_out = (Bytef *)text;
    stream.avail_out = sizeof(text) - 1;
    ok(inflateInit2(&stream, 15 + 16) == Z_OK && inflate(&stream, Z_FINISH) == Z_STREAM_END,
       "as a gzip file is");
    text[stream.total_out] = '\0';
    inflateEnd(&stream);
    is_str(text, plain, "and unpacks to the same");
    ok(client_ask(port, "GET /x HTTP/1.1\r\nHost: h\r\nAccept-Encoding: gzip\r\n\r\n", &reply) &&
           !client_header(&reply, "Content-Encoding")[0],
       "a short one is not worth it");
    client_ask(port, "HEAD /big HTTP/1.1\r\nHost: h\r\nAccept-Encoding: gzip\r\n\r\n", &reply);
    is_str(client_header(&reply, "ETag"), "\"big-gz\"", "HEAD says the same of it");
    ok(client_ask(port, "GET /lasting HTTP/1.1\r\nHost: h\r\n\r\n", &reply) &&
           strcmp(reply.body, "to stay") == 0,
       "a body may be lent");
}

static void test_answer_too_long(unsigned port)
{
    ok(client_ask(port, "GET /endless HTTP/1.1\r\nHost: h\r\n\r\n", &reply) &&
           reply.status == 500 && strstr(reply.body, "/problems/internal"),
       "an answer that does not fit is a 500, not half an answer");
}

static void test_origins(void)
{
    struct server *server = start("https://a.example,https://b.example");
    unsigned port = server_port(server);

    client_ask(port, "GET /x HTTP/1.1\r\nHost: h\r\nOrigin: https://b.example\r\n\r\n", &reply);
    is_str(client_header(&reply, "Access-Control-Allow-Origin"), "https://b.example",
           "an origin of the list may read");
    is_str(client_header(&reply, "Vary"), "Origin", "and caches know");
    client_ask(port, "GET /x HTTP/1.1\r\nHost: h\r\nOrigin: https://c.example\r\n\r\n", &reply);
    is_str(client_header(&reply, "Access-Control-Allow-Origin"), "", "another may not");
    client_ask(port, get, &reply);
    ok(reply.status == 200 && !client_header(&reply, "Access-Control-Allow-Origin")[0],
       "who is no page is answered anyway");
    server_stop(server);
}

static void test_pipeline(unsigned port)
{
    int fd = client_connect(port);
    int answered = 0;

    for (int i = 0; i < 20; i++)
        client_send(fd, get, sizeof(get) - 1);
    for (int i = 0; i < 20; i++)
        answered += client_read(fd, false, &reply) && reply.status == 200;
    ok(answered == 20, "20 requests in a row without waiting: %d answers", answered);
    close(fd);
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    buf_init(&lasting, 100);
    buf_text(&lasting, "to stay");
    struct server *server = start("*");
    unsigned port = server_port(server);
    test_bodies(port);
    test_chunks(port);
    test_addresses(port);
    test_smuggling(port);
    test_methods(port);
    test_headers(port);
    test_compression(port);
    test_answer_too_long(port);
    test_pipeline(port);
    server_stop(server);
    test_origins();
    buf_free(&lasting);
    return tap_done();
}
