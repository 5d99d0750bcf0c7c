#include "fuzz.h"

#include "api/router.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/text.h"
#include "http/request.h"
#include "json/body.h"

#include "fixture.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

void fuzz_need(bool good, const char *promise)
{
    if (good)
        return;
    fprintf(stderr, "broken promise: %s\n", promise);
    abort();
}

char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = mem_alloc(size + 1);

    if (size)
        memcpy(text, data, size);
    return text;
}

static struct live *live;

static struct api *api(void)
{
    static struct api *made;

    if (made)
        return made;
    json_init();
    live = live_new(1);
    live_publish(live, fixture_catalog());
    made = api_new(&(struct api_options){.live = live});
    return made;
}

void fuzz_publish(struct catalog *catalog)
{
    (void)api();
    live_publish(live, catalog);
}

/* Cut a line off the text; "" at its end. */
static char *take_line(char **at)
{
    char *line = *at;
    size_t n = strcspn(line, "\n");

    *at += n + (line[n] == '\n');
    line[n] = '\0';
    n = strlen(line);
    if (n && line[n - 1] == '\r')
        line[n - 1] = '\0';
    return line;
}

static enum method method_of(const char *name)
{
    static const char *const names[] = {"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"};

    for (int i = 0; i < METHOD_OTHER; i++)
        if (strcmp(names[i], name) == 0)
            return (enum method)i;
    return METHOD_OTHER;
}

static void read_header(struct request *request, char *line)
{
    const struct {
        const char *name;
        const char **to;
    } known[] = {
        {"Host", &request->host},
        {"Content-Type", &request->content_type},
        {"Accept", &request->accept},
        {"If-None-Match", &request->if_none_match},
        {"Authorization", &request->authorization},
        {"Idempotency-Key", &request->idempotency_key},
    };
    char *value = line + strcspn(line, ":");

    if (*value)
        *value++ = '\0';
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strcasecmp(known[i].name, line) == 0)
            *known[i].to = value + strspn(value, " \t");
}

/* False where http/exchange.c lets no such request through. */
static bool read_request(struct request *request, char *text, const char *end)
{
    char *line = take_line(&text);
    char *path = line + strcspn(line, " ");

    if (*path)
        *path++ = '\0';
    path[strcspn(path, " ")] = '\0';
    char *query = path + strcspn(path, "?");
    if (*query)
        *query++ = '\0';
    *request = (struct request){.method = method_of(line),
                                .method_name = line,
                                .path = path,
                                .query = query,
                                .host = "",
                                .content_type = "",
                                .accept = "",
                                .if_none_match = "",
                                .authorization = "",
                                .idempotency_key = "",
                                .client = "192.0.2.1",
                                .via = "",
                                .id = "00000000000000000000000000000000",
                                .can_defer = true};
    while (*(line = take_line(&text)))
        read_header(request, line);
    request->body = text;
    request->body_length = (size_t)(end - text);
    return path[0] == '/' && text_decode_percent(path, false) && request->method != METHOD_OPTIONS;
}

static void check_headers(const struct reply *reply)
{
    for (size_t i = 0; i < reply->n_headers; i++)
        fuzz_need(!strpbrk(reply->headers[i].value, "\r\n"), "a header is one line");
}

static void check_body(const struct reply *reply)
{
    const struct buf *body = reply->lasting ? reply->lasting : &reply->body;
    const char *type = reply->content_type ? reply->content_type : "";

    fuzz_need(!body->full, "an answer fits");
    fuzz_need(!body->length || *type, "a body has a type");
    fuzz_need(strlen(buf_data(body)) == body->length, "a body has no NUL");
    fuzz_need(text_is_utf8(buf_data(body)), "a body is UTF-8");
    if (!body->length || !strstr(type, "json"))
        return;
    json_error_t why;
    json_t *tree =
        json_loadb(body->data, body->length,
                   JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL, &why);
    if (!tree)
        fprintf(stderr, "%s at %d\n", why.text, why.position);
    fuzz_need(tree != NULL, "JSON is JSON, without one name twice");
    json_decref(tree);
}

void fuzz_ask(const uint8_t *data, size_t size, bool long_ones)
{
    char *text = fuzz_text(data, size);
    struct request request;
    struct reply reply;

    reply_init(&reply);
    if (read_request(&request, text, text + size)) {
        api_handle(api(), &request, &reply);
        if (reply.deferred && long_ones) {
            reply_free(&reply);
            reply_init(&reply);
            request.can_defer = false;
            api_handle(api(), &request, &reply);
        }
        fuzz_need(reply.status != 500, "no question gets a fault of ours");
        check_headers(&reply);
        if (!reply.deferred)
            check_body(&reply);
    }
    reply_free(&reply);
    free(text);
}
