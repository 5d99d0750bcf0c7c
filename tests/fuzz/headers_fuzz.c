/* headers_fuzz.c - values of headers: three lines, an Accept-Encoding, an If-None-Match, and a
 * token. */
#include "fuzz.h"

#include "base/err.h"
#include "http/gzip.h"
#include "http/request.h"
#include "http/tokens.h"

#include <stdlib.h>
#include <string.h>

static char *cut(char **at)
{
    char *line = *at;

    *at += strcspn(line, "\n");
    if (**at)
        *(*at)++ = '\0';
    return line;
}

static void read_tags(const char *value)
{
    struct request request = {.method = METHOD_GET, .if_none_match = value};
    struct reply reply;

    reply_init(&reply);
    reply_header(&reply, "ETag", "\"m1-c2-json\"");
    buf_text(&reply.body, "body");
    bool same = reply_not_modified(&request, &reply);
    fuzz_need(same == (reply.status == 304), "304 says that it is the same");
    fuzz_need(!same || !reply.body.length, "a 304 has no body");
    reply_free(&reply);
    reply_init(&reply);
    reply_header(&reply, "X-Echo", "%s", value);
    for (const char *p = reply_get_header(&reply, "X-Echo"); *p; p++)
        fuzz_need((unsigned char)*p >= ' ' && *p != 0x7f, "a header holds no control character");
    reply_free(&reply);
}

static void check_token(const char *value)
{
    static struct tokens *tokens;
    struct err err = {0};
    char who[AUTHORIZATION_NAME_SIZE];

    if (!tokens)
        tokens = tokens_open("tests/fuzz/tokens", &err);
    fuzz_need(tokens != NULL, "the tokens are read");
    fuzz_need(tokens_check(tokens, value, AUTHORIZATION_QUOTES, who) != AUTHORIZATION_GRANTED,
              "no token is guessed");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size), *at = text;

    gzip_accepted(cut(&at));
    read_tags(cut(&at));
    check_token(cut(&at));
    free(text);
    return 0;
}
