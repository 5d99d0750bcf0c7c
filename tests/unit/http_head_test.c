/* http_head_test.c - heads of requests that two readers could read as different requests: each is
 * refused, and the connection closed, so that nothing hidden behind it is ever answered. */
#include "http/server.h"
#include "http/head_syntax.h"
#include "http_client.h"
#include "tap.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

static struct client_reply reply;

static void handle(void *context, const struct request *request, struct reply *out)
{
    (void)context;
    out->content_type = "text/plain; charset=utf-8";
    buf_print(&out->body, "%s %s body=%zu", request->method_name, request->path,
              request->body_length);
}

static struct server *start(void)
{
    struct server_options options = {.listen = "127.0.0.1:0",
                                     .workers = 1,
                                     .connections = 100,
                                     .cors_origin = "*",
                                     .name = "gpuplan/test"};

    return client_server(&options, handle);
}

#define HIDDEN "GET /hidden HTTP/1.1\r\nHost: h\r\n\r\n"

struct attack {
    const char *name, *request;
    size_t length;
};

#define ATTACK(name, request)                  \
    {                                          \
        (name), (request), sizeof(request) - 1 \
    }

/* Our own words for it: a problem. */
static const struct attack refused[] = {
    ATTACK("a blank in the Host", "GET /x HTTP/1.1\r\nHost: a b\r\n\r\n" HIDDEN),
    ATTACK("a path in the Host", "GET /x HTTP/1.1\r\nHost: a/<>\r\n\r\n" HIDDEN),
    ATTACK("a user in the Host", "GET /x HTTP/1.1\r\nHost: a@b\r\n\r\n" HIDDEN),
    ATTACK("one length twice", "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n"
                               "Content-Length: 33\r\n\r\n" HIDDEN),
    ATTACK("the same length twice", "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n"
                                    "Content-Length: 0\r\n\r\n" HIDDEN),
    ATTACK("one encoding twice", "POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n"
                                 "Transfer-Encoding: identity\r\n\r\n0\r\n\r\n" HIDDEN),
    ATTACK("chunks in HTTP/1.0",
           "POST /x HTTP/1.0\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" HIDDEN),
    ATTACK("a quote in a name", "GET /x HTTP/1.1\r\nHost: h\r\n\"X\": 1\r\n\r\n" HIDDEN),
    ATTACK("an escape character in a value",
           "GET /x HTTP/1.1\r\nHost: h\r\nX: \x1b[0m\r\n\r\n" HIDDEN),
    ATTACK("a method of other characters", "G\"ET /x HTTP/1.1\r\nHost: h\r\n\r\n" HIDDEN),
    ATTACK("two Hosts", "GET /x HTTP/1.1\r\nHost: h\r\nHost: i\r\n\r\n" HIDDEN),
};

/* Our own words before libmicrohttpd 1.0, from then on the library's. */
static const struct attack refused_by_either[] = {
    ATTACK("both lengths", "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n"
                           "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" HIDDEN),
    ATTACK("both lengths, the other way round",
           "POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: "
           "chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n" HIDDEN),
    ATTACK("an encoding that is not chunked",
           "POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n" HIDDEN),
    ATTACK("chunked behind another", "POST /x HTTP/1.1\r\nHost: h\r\n"
                                     "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n" HIDDEN),
    ATTACK("a blank before the colon",
           "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length : 33\r\n\r\n" HIDDEN),
    ATTACK("a tab before the colon",
           "POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding\t: chunked\r\n\r\n0\r\n\r\n" HIDDEN),
    ATTACK("no name", "GET /x HTTP/1.1\r\nHost: h\r\n: chunked\r\n\r\n" HIDDEN),
    ATTACK("a folded value", "POST /x HTTP/1.1\r\nHost: h\r\nX: 1\r\n 2\r\n\r\n" HIDDEN),
    ATTACK("a name put together by folding",
           "POST /x HTTP/1.1\r\nHost: h\r\nTransfer-:          x\r\n"
           " Encoding\r\n\r\n" HIDDEN),
    ATTACK("the last value folded", "POST /x HTTP/1.1\r\nHost: h\r\n\tx\r\n\r\n" HIDDEN),
    ATTACK("a folded line of blanks", "GET /x HTTP/1.1\r\nHost: h\r\n \r\nX: 1\r\n\r\n" HIDDEN),
    ATTACK("LF alone after the request line", "GET /x HTTP/1.1\nHost: h\r\n\r\n" HIDDEN),
    ATTACK("LF alone after a header", "GET /x HTTP/1.1\r\nHost: h\nX: 1\r\n\r\n" HIDDEN),
    ATTACK("LF alone after the last header", "GET /x HTTP/1.1\r\nHost: h\n\r\n" HIDDEN),
    ATTACK("LF alone at the end of the head", "GET /x HTTP/1.1\r\nHost: h\r\n\n" HIDDEN),
    ATTACK("LF alone everywhere", "GET /x HTTP/1.1\nHost: h\n\n" HIDDEN),
    ATTACK("a folded line as long as the CRs left out",
           "GET /x HTTP/1.1\r\nHost: h\nX: 1\nZ: 2\r\n y\n\r\n" HIDDEN),
    ATTACK("CR alone in a value",
           "GET /x HTTP/1.1\r\nHost: h\r\nX: 1\rContent-Length: 33\r\n\r\n" HIDDEN),
    ATTACK("CR alone in a name", "GET /x HTTP/1.1\r\nHost: h\r\nX\r: 1\r\n\r\n" HIDDEN),
    ATTACK("a NUL that ends a value early",
           "GET /x HTTP/1.1\r\nHost: h\r\nX: 1\0Content-Length: 33\r\n\r\n" HIDDEN),
    ATTACK("a NUL that ends the head early",
           "GET /x HTTP/1.1\r\nHost: h\r\n\0: 1\r\nContent-Length: 33\r\n\r\n" HIDDEN),
    ATTACK("two blanks before the address", "GET  /x HTTP/1.1\r\nHost: h\r\n\r\n" HIDDEN),
    ATTACK("two blanks after the address", "GET /x  HTTP/1.1\r\nHost: h\r\n\r\n" HIDDEN),
    ATTACK("a blank in the address", "GET /x y HTTP/1.1\r\nHost: h\r\n\r\n" HIDDEN),
    ATTACK("another request in the address",
           "GET /x HTTP/1.1 /hidden HTTP/1.1\r\nHost: h\r\n\r\n" HIDDEN),
    ATTACK("no Host", "GET /x HTTP/1.1\r\n\r\n" HIDDEN),
};

/* The same, but libmicrohttpd 1.0 ends the connection without a reply. */
static const struct attack unanswered[] = {
    ATTACK("a NUL in the address", "GET /x\0y HTTP/1.1\r\nHost: h\r\n\r\n" HIDDEN),
    ATTACK("a vertical tab in the address", "GET /x\vy HTTP/1.1\r\nHost: h\r\n\r\n" HIDDEN),
    ATTACK("a form feed after the method", "GET\f/x HTTP/1.1\r\nHost: h\r\n\r\n" HIDDEN),
};

/* What libmicrohttpd leaves no trace of before 1.0. */
static const struct attack unseen[] = {
    ATTACK("a line that begins with NUL before the request line",
           "\0GET /y HTTP/1.1\r\nGET /x HTTP/1.1\r\nHost: h\r\n\r\n" HIDDEN),
    ATTACK("a line of NUL that ends the head", "GET /x HTTP/1.1\r\nHost: h\r\n\0\r\n" HIDDEN),
    ATTACK("a line of a colon that ends the head", "GET /x HTTP/1.1\nHost: h\n:\n" HIDDEN),
};

/* Libmicrohttpd's words for it, before it asks us: the status is the same, the body is HTML. */
static const struct attack refused_before[] = {
    ATTACK("a length with a sign",
           "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: +33\r\n\r\n" HIDDEN),
    ATTACK("a negative length", "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n" HIDDEN),
    ATTACK("a length in hex", "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 0x21\r\n\r\n" HIDDEN),
    ATTACK("a list of lengths",
           "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 0, 33\r\n\r\n" HIDDEN),
    ATTACK("no length", "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: \r\n\r\n" HIDDEN),
    ATTACK("a line without a colon", "GET /x HTTP/1.1\r\nHost: h\r\nchunked\r\n\r\n" HIDDEN),
    ATTACK("HTTP/0.9", "GET /x\r\n\r\n" HIDDEN),
    ATTACK("a version that is none", "GET /x HTTP/1.1x\r\nHost: h\r\n\r\n" HIDDEN),
    ATTACK("no chunk size", "POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
                            "\r\n0\r\n\r\n" HIDDEN),
    ATTACK("a chunk size with a sign",
           "POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
           "+1\r\na\r\n0\r\n\r\n" HIDDEN),
    ATTACK("a chunk size with 0x",
           "POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
           "0x1\r\na\r\n0\r\n\r\n" HIDDEN),
    ATTACK("a chunk longer than its size",
           "POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
           "1\r\nabc\r\n0\r\n\r\n" HIDDEN),
};

/* Whether the connection ends, with nothing more on it that answers a request. Libmicrohttpd sends
 * some of its own refusals' headers twice. */
static bool ends(int fd)
{
    static char rest[4096];
    struct pollfd on = {.fd = fd, .events = POLLIN};
    size_t length = 0;
    ssize_t n = 1;

    while (n > 0 && length < sizeof(rest) - 1 && poll(&on, 1, 5000) > 0) {
        n = recv(fd, rest + length, sizeof(rest) - 1 - length, 0);
        length += n > 0 ? (size_t)n : 0;
    }
    rest[length] = '\0';
    return n <= 0 && !strstr(rest, " 200 OK");
}

/* Send it; the connection has to end after its refusal. */
static void send_attack(unsigned port, const struct attack *attack)
{
    int fd = client_connect(port);

    client_send(fd, attack->request, attack->length);
    ok(client_read(fd, false, &reply) && reply.status == 400, "%s: 400, is %d", attack->name,
       reply.status);
    ok(ends(fd), "%s: and the connection ends", attack->name);
    close(fd);
}

static void is_problem(const struct attack *attack)
{
    is_str(client_header(&reply, "Content-Type"), "application/problem+json", "%s: a problem",
           attack->name);
}

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* The same, where libmicrohttpd 1.0 may end the connection without a reply. */
static void send_unanswered(unsigned port, const struct attack *attack)
{
    int fd = client_connect(port);

    client_send(fd, attack->request, attack->length);
    ok(client_read(fd, false, &reply) ? reply.status == 400 : head_syntax_strictness(),
       "%s: refused", attack->name);
    ok(ends(fd), "%s: and the connection ends", attack->name);
    close(fd);
}

static void test_refused(unsigned port)
{
    for (size_t i = 0; i < COUNT(refused); i++) {
        send_attack(port, &refused[i]);
        is_problem(&refused[i]);
    }
    for (size_t i = 0; i < COUNT(refused_by_either); i++) {
        send_attack(port, &refused_by_either[i]);
        if (!head_syntax_strictness())
            is_problem(&refused_by_either[i]);
    }
    for (size_t i = 0; i < COUNT(refused_before); i++)
        send_attack(port, &refused_before[i]);
    for (size_t i = 0; i < COUNT(unanswered); i++)
        send_unanswered(port, &unanswered[i]);
    for (size_t i = 0; head_syntax_strictness() && i < COUNT(unseen); i++)
        send_unanswered(port, &unseen[i]);
}

/* They are no part of the value (RFC 9110, 5.5), so a reader may leave them out of it or refuse
 * them: libmicrohttpd does the first from 1.0 on. */
static void test_blanks_after_a_value(unsigned port)
{
    int fd = client_connect(port);

    client_print(fd, "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 33 \r\n\r\n" HIDDEN
                     "GET /next HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
    bool answered = client_read(fd, false, &reply);
    ok(answered && (reply.status == 400 || strstr(reply.body, "POST /x body=33")),
       "a length with a blank after it is that length, or refused");
    if (answered && reply.status == 200)
        ok(client_read(fd, false, &reply) && strstr(reply.body, "GET /next body=0"),
           "and the next request begins behind it");
    else
        ok(ends(fd), "and the connection ends");
    close(fd);

    fd = client_connect(port);
    client_print(fd, "POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\t\r\n\r\n"
                     "0\r\n\r\n" HIDDEN);
    answered = client_read(fd, false, &reply);
    ok(answered && (reply.status == 400 || strstr(reply.body, "POST /x body=0")),
       "chunked with a tab after it is chunked, or refused");
    ok(ends(fd), "and the connection ends");
    close(fd);
}

/* What is unusual, but means one thing only. */
static void test_taken(unsigned port)
{
    static const struct attack taken[] = {
        ATTACK("no blank after the colon", "GET /x HTTP/1.1\r\nHost:h\r\n\r\n"),
        ATTACK("many, and no value", "GET /x HTTP/1.1\r\nHost: \t  h\r\nX:\r\nY: \r\n\r\n"),
        ATTACK("blanks after a value", "GET /x HTTP/1.1\r\nHost: h \t \r\nX: 1 \r\n\r\n"),
        ATTACK("bytes beyond ASCII", "GET /x HTTP/1.1\r\nHost: h\r\nX: caf\xe9 \xff\r\n\r\n"),
        ATTACK("colons in a value, a name twice",
               "GET /x HTTP/1.1\r\nHost: h\r\nX: a:b: c\r\nX: again\r\n\r\n"),
        ATTACK("an empty line before it", "\r\nGET /x HTTP/1.1\r\nHost: h\r\n\r\n"),
        ATTACK("HTTP/1.0 without a Host", "GET /x HTTP/1.0\r\n\r\n"),
        ATTACK("an absolute address", "GET http://h/x HTTP/1.1\r\nHost: h\r\n\r\n"),
        ATTACK("an escaped blank", "GET /x%20y?z=%20 HTTP/1.1\r\nHost: h\r\n\r\n"),
        ATTACK("a length of 0", "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n"),
        ATTACK("a length with zeros",
               "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 002\r\n\r\nab"),
    };

    for (size_t i = 0; i < COUNT(taken); i++)
        ok(client_ask(port, taken[i].request, &reply) && reply.status == 200, "%s: taken",
           taken[i].name);
}

/* However the bytes arrive, the head is the same; and a long one grows the library's buffer. */
static void test_pieces(unsigned port)
{
    static char request[30000];
    size_t n = (size_t)snprintf(request, sizeof(request), "GET /x HTTP/1.1\r\nHost: h\r\n");
    int fd = client_connect(port);

    for (int i = 0; i < 150; i++)
        n += (size_t)snprintf(request + n, sizeof(request) - n, "X-%d: %050d\r\n", i, i);
    n += (size_t)snprintf(request + n, sizeof(request) - n, "\r\n");
    for (size_t at = 0; at < n; at += 7)
        client_send(fd, request + at, n - at < 7 ? n - at : 7);
    ok(client_read(fd, false, &reply) && reply.status == 200, "150 headers in pieces of 7 bytes");
    client_send(fd, request, n);
    ok(client_read(fd, false, &reply) && reply.status == 200, "and again on the same connection");
    close(fd);
}

static void test_targets(unsigned port)
{
    static const char *const targets[] = {"CONNECT h:80", "GET h:80", "GET *", "GET x"};
    char request[100];

    for (size_t i = 0; i < COUNT(targets); i++) {
        snprintf(request, sizeof(request), "%s HTTP/1.1\r\nHost: h\r\n\r\n", targets[i]);
        ok(client_ask(port, request, &reply) && reply.status == 400, "%s is a 400", targets[i]);
    }
    ok(client_ask(port, "GET /x HTTP/2.0\r\nHost: h\r\n\r\n", &reply) && reply.status == 505,
       "another version is a 505");
}

static void send_chunks(unsigned port, const char *chunks)
{
    int fd = client_connect(port);

    client_print(fd, "POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n%s" HIDDEN,
                 chunks);
    if (!client_read(fd, false, &reply))
        reply.status = 0;
    ok(ends(fd), "nothing behind chunks is a request");
    close(fd);
}

/* What the library forgives inside of chunks cannot be seen from here. From 1.0 on it does not take
 * LF alone, and 1.0.1 counts an extension wrongly and then finds the chunk malformed. */
static void test_chunks_end_the_connection(unsigned port)
{
    static const char *const forgiven[] = {"2\nab\n0\r\n\r\n", "2;a=b\r\nab\r\n0\r\n\r\n"};

    send_chunks(port, "2\r\nab\r\n0\r\n\r\n");
    ok(reply.status == 200 && strstr(reply.body, "body=2"), "chunks are read");
    is_str(client_header(&reply, "Connection"), "close", "but they end the connection");
    for (size_t i = 0; i < COUNT(forgiven); i++) {
        send_chunks(port, forgiven[i]);
        ok(strstr(reply.body, "body=2") || (head_syntax_strictness() && reply.status == 400),
           "forgiven, or refused by a strict library: %d", reply.status);
    }
}

static void test_coded_bodies(unsigned port)
{
    int fd = client_connect(port);

    client_print(fd, "POST /x HTTP/1.1\r\nHost: h\r\nContent-Encoding: gzip\r\n"
                     "Content-Length: 20\r\n\r\n");
    ok(client_read(fd, false, &reply) && reply.status == 415,
       "a compressed body is refused, before it is sent");
    ok(ends(fd), "and the connection ends");
    close(fd);
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    struct server *server = start();
    unsigned port = server_port(server);
    test_refused(port);
    test_blanks_after_a_value(port);
    test_taken(port);
    test_pieces(port);
    test_targets(port);
    test_chunks_end_the_connection(port);
    test_coded_bodies(port);
    server_stop(server);
    return tap_done();
}
