#include "http/reply.h"

#include "base/err.h"
#include "base/mem.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

void reply_init(struct reply *reply)
{
    *reply = (struct reply){.status = 200};
    buf_init(&reply->body, REPLY_BODY_MAX);
}

void reply_free(struct reply *reply)
{
    buf_free(&reply->body);
    for (size_t i = 0; i < reply->n_headers; i++)
        free(reply->headers[i].value);
    reply->n_headers = 0;
}

/* Format into allocated memory; usually there is nothing to format, or the text is short. */
PRINTF_LIKE(1, 0) static char *print(const char *fmt, va_list ap)
{
    enum { USUAL = 256 };
    char usual[USUAL];
    va_list again;

    if (!strchr(fmt, '%'))
        return mem_text(fmt);
    va_copy(again, ap);
    int length = vsnprintf(usual, sizeof(usual), fmt, ap);
    size_t size = length > 0 ? (size_t)length + 1 : 1;
    char *text = mem_alloc(size);
    if (size <= sizeof(usual))
        memcpy(text, usual, size);
    else
        vsnprintf(text, size, fmt, again);
    va_end(again);
    return text;
}

/* CR and LF in a header value become spaces (no header injection). */
void reply_header(struct reply *reply, const char *name, const char *fmt, ...)
{
    va_list ap;

    assert(reply->n_headers < REPLY_HEADERS_MAX);
    va_start(ap, fmt);
    char *value = print(fmt, ap);
    va_end(ap);
    for (char *p = value; *p; p++)
        if ((unsigned char)*p < 0x20 || *p == 0x7f)
            *p = ' ';
    reply->headers[reply->n_headers++] = (struct header){name, value};
}

/* Index of the header with that name, or the number of headers if there is none. */
static size_t find(const struct reply *reply, const char *name)
{
    size_t i = 0;

    while (i < reply->n_headers && strcasecmp(reply->headers[i].name, name) != 0)
        i++;
    return i;
}

const char *reply_get_header(const struct reply *reply, const char *name)
{
    size_t i = find(reply, name);

    return i < reply->n_headers ? reply->headers[i].value : NULL;
}

/* True if one entry of an If-None-Match list is the tag, or the tag of its compressed body. */
static bool tag_matches(const char *entry, size_t n, const char *tag)
{
    size_t length = strlen(tag);

    if (n == length && memcmp(entry, tag, n) == 0)
        return true;
    return n == length + 3 && memcmp(entry, tag, length - 1) == 0 &&
           memcmp(entry + length - 1, "-gz\"", 4) == 0;
}

/* The list entry that matches the tag, and its length; NULL if none does. */
static const char *find_tag(const char *list, const char *tag, size_t *n)
{
    for (const char *p = list + strspn(list, ", \t"); *p; p += strspn(p, ", \t")) {
        if (p[0] == 'W' && p[1] == '/')
            p += 2;
        const char *close = p[0] == '"' ? strchr(p + 1, '"') : NULL;
        *n = close ? (size_t)(close - p) + 1 : strcspn(p, ", \t");
        if ((*n == 1 && *p == '*') || tag_matches(p, *n, tag))
            return p;
        p += *n;
    }
    return NULL;
}

/* The 304 names the representation that the client has, compressed or not, so that a cache with
 * both knows which one to keep (RFC 9111, 4.3.4). */
bool reply_not_modified(const struct request *request, struct reply *reply)
{
    size_t n, i = find(reply, "ETag");

    if (i == reply->n_headers || reply->status != 200 ||
        (request->method != METHOD_GET && request->method != METHOD_HEAD))
        return false;
    const char *known = find_tag(request->if_none_match, reply->headers[i].value, &n);
    if (!known)
        return false;
    if (known[0] == '"') {
        char *tag = mem_alloc(n + 1);
        memcpy(tag, known, n);
        free(reply->headers[i].value);
        reply->headers[i].value = tag;
    }
    reply->status = 304;
    reply->lasting = reply->lasting_gzip = NULL;
    buf_free(&reply->body);
    return true;
}

/* The problem type for a status; without one the status is sufficient (RFC 9457, 4.2.1). */
static void write_type(struct buf *out, int status)
{
    static const enum err_code codes[] = {ERR_NOT_FOUND,    ERR_METHOD,     ERR_TOO_LARGE,
                                          ERR_URI_TOO_LONG, ERR_MEDIA_TYPE, ERR_RATE_LIMITED,
                                          ERR_INTERNAL,     ERR_BUSY};

    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
        if (err_status(codes[i]) == status) {
            buf_print(out, "\"type\": \"/problems/%s\", \"title\": \"%s\"", err_slug(codes[i]),
                      err_title(codes[i]));
            return;
        }
    buf_text(out, "\"type\": \"about:blank\", \"title\": \"Bad Request\"");
}

void reply_refuse(struct reply *reply, int status, const char *detail)
{
    const char *route = reply->route;

    reply_free(reply);
    reply_init(reply);
    reply->route = route;
    reply->status = status;
    reply->content_type = "application/problem+json";
    reply_header(reply, "Cache-Control", "no-store");
    buf_text(&reply->body, "{");
    write_type(&reply->body, status);
    buf_print(&reply->body, ", \"status\": %d, \"detail\": \"%s\"}\n", status, detail);
}
