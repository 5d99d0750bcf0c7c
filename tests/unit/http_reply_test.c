/* http_reply_test.c - replies, entity tags and compression, without a socket. */
#include "base/mem.h"
#include "http/gzip.h"
#include "http/reply.h"
#include "tap.h"

#include <stdlib.h>
#include <zlib.h>

static const struct {
    const char *sent, *tag;
    int status;
    const char *want;
} tags[] = {
    {"", "\"a-json\"", 200, "\"a-json\""},
    {"\"a-json\"", "\"a-json\"", 304, "\"a-json\""},
    {"W/\"a-json\"", "\"a-json\"", 304, "\"a-json\""},
    {"\"a-json-gz\"", "\"a-json\"", 304, "\"a-json-gz\""},
    {"W/\"a-json-gz\"", "\"a-json\"", 304, "\"a-json-gz\""},
    {"\"x\", \"a-json\"", "\"a-json\"", 304, "\"a-json\""},
    {"\"x\",\t\"y\",W/\"a-json-gz\" ", "\"a-json\"", 304, "\"a-json-gz\""},
    {"*", "\"a-json\"", 304, "\"a-json\""},
    {"\"a-jso\"", "\"a-json\"", 200, "\"a-json\""},
    {"\"a-json-g\"", "\"a-json\"", 200, "\"a-json\""},
    {"\"a-json-gz-gz\"", "\"a-json\"", 200, "\"a-json\""},
    {"a-json", "\"a-json\"", 200, "\"a-json\""},
    {"\"x, \"a-json\"", "\"a-json\"", 200, "\"a-json\""}, /* the first quote ends inside */
    {"\"", "\"a-json\"", 200, "\"a-json\""},
    {"W/", "\"a-json\"", 200, "\"a-json\""},
    {",,, ,", "\"a-json\"", 200, "\"a-json\""},
};

static void test_tags(void)
{
    for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
        struct request request = {.method = METHOD_GET, .if_none_match = tags[i].sent};
        struct reply reply;
        reply_init(&reply);
        buf_text(&reply.body, "body");
        reply_header(&reply, "ETag", "%s", tags[i].tag);
        bool same = reply_not_modified(&request, &reply);
        ok(same == (tags[i].status == 304) && reply.status == tags[i].status,
           "If-None-Match: %s gives %d", tags[i].sent, tags[i].status);
        ok((reply.body.length == 0) == same, "and a body only where it is not known");
        is_str(reply_get_header(&reply, "etag"), tags[i].want, "under the tag the client has");
        reply_free(&reply);
    }
}

static void test_tags_not_asked(void)
{
    struct request post = {.method = METHOD_POST, .if_none_match = "*"};
    struct request get = {.method = METHOD_GET, .if_none_match = "*"};
    struct reply reply;

    reply_init(&reply);
    ok(!reply_not_modified(&get, &reply), "a reply without a tag is always new");
    reply_header(&reply, "ETag", "\"t\"");
    ok(!reply_not_modified(&post, &reply), "so is the reply to a POST");
    reply.status = 404;
    ok(!reply_not_modified(&get, &reply), "and an error");
    reply_free(&reply);
}

static void test_headers(void)
{
    struct reply reply;
    char *value = mem_alloc(5001);

    reply_init(&reply);
    reply_header(&reply, "X-A", "%s", "one\r\nSet-Cookie: two\t\x7f");
    is_str(reply_get_header(&reply, "x-a"), "one  Set-Cookie: two  ",
           "a value cannot end its line");
    memset(value, 'v', 5000);
    reply_header(&reply, "Link", "%s", value);
    ok(strlen(reply_get_header(&reply, "Link")) == 5000, "a long value stays whole");
    ok(!reply_get_header(&reply, "X-B"), "no header is NULL");
    free(value);
    reply_free(&reply);
}

static void test_refusal(void)
{
    struct reply reply;

    reply_init(&reply);
    reply.route = "/r";
    reply_header(&reply, "ETag", "\"t\"");
    buf_text(&reply.body, "half an ans");
    reply_refuse(&reply, 413, "a body may have 65536 bytes");
    is_str(buf_data(&reply.body),
           "{\"type\": \"/problems/too-large\", \"title\": \"The request body is too large\", "
           "\"status\": 413, \"detail\": \"a body may have 65536 bytes\"}\n",
           "a refusal is a problem");
    ok(!reply_get_header(&reply, "ETag") && reply.status == 413, "and nothing of the answer");
    is_str(reply_get_header(&reply, "Cache-Control"), "no-store", "nobody keeps it");
    is_str(reply.route, "/r", "the metrics know where");
    reply_refuse(&reply, 400, "no");
    ok(strstr(buf_data(&reply.body), "about:blank"), "one that is not ours refers to HTTP");
    reply_free(&reply);
}

static const struct {
    const char *header;
    bool want;
} accepted[] = {
    {"", false},
    {"gzip", true},
    {"GZIP", true},
    {"x-gzip", true},
    {"deflate, gzip, br, zstd", true},
    {"gzip;q=0.5", true},
    {"gzip; q=0.001", true},
    {"gzip;q=0", false},
    {"gzip; q=0.000, br", false},
    {"*", true},
    {"br, *;q=0.1", true},
    {"*;q=0", false},
    {"gzip;q=0, *", false},
    {"*;q=0, gzip", true},
    {"identity", false},
    {"gzipped", false},
    {"agzip", false},
};

static void test_accepted(void)
{
    for (size_t i = 0; i < sizeof(accepted) / sizeof(accepted[0]); i++)
        ok(gzip_accepted(accepted[i].header) == accepted[i].want, "Accept-Encoding: %s: %s",
           accepted[i].header, accepted[i].want ? "gzip" : "plain");
}

static bool unpacks_to(const struct buf *packed, const char *want, size_t n)
{
    z_stream stream = {.next_in = (Bytef *)packed->data, .avail_in = (uInt)packed->length};
    char *out = mem_alloc(n + 1);

    stream.next_out = (Bytef *)out;
    stream.avail_out = (uInt)n + 1;
    bool good =
        inflateInit2(&stream, 15 + 16) == Z_OK && inflate(&stream, Z_FINISH) == Z_STREAM_END;
    good = good && stream.total_out == n && memcmp(out, want, n) == 0;
    inflateEnd(&stream);
    free(out);
    return good;
}

static void test_gzip(void)
{
    struct gzip *gzip = gzip_new(GZIP_QUICK);
    struct buf out;
    size_t n = 3000000;
    char *text = mem_alloc(n);

    for (size_t i = 0; i < n; i++)
        text[i] = "{\"price\": 12.5}"[i * i % 15];
    for (int again = 0; again < 3; again++) {
        bool packed = gzip_pack(gzip, text, n, &out);
        ok(packed && out.length < n / 4, "%zu bytes get %zu", n, out.length);
        ok(unpacks_to(&out, text, n), "and come back the same");
        buf_free(&out);
    }
    ok(!gzip_pack(gzip, "x", 1, &out) && !out.length, "what would grow stays");
    unsigned state = 1;
    for (size_t i = 0; i < 100000; i++)
        text[i] = (char)((state = state * 1664525U + 1013904223U) >> 24);
    ok(!gzip_pack(gzip, text, 100000, &out), "so does noise");
    ok(gzip_pack(gzip, text + 200000, 2000, &out) && unpacks_to(&out, text + 200000, 2000),
       "and the next text is packed all the same");
    buf_free(&out);
    free(text);
    gzip_free(gzip);
    ok(gzip_helps("application/problem+json") && gzip_helps("text/csv; charset=utf-8") &&
           gzip_helps("image/svg+xml") && !gzip_helps("image/png") && !gzip_helps(NULL),
       "only texts are packed");
}

int main(void)
{
    test_tags();
    test_tags_not_asked();
    test_headers();
    test_refusal();
    test_accepted();
    test_gzip();
    return tap_done();
}
