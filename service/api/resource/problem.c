#include "api/resource/problem.h"

#include "api/resource/context.h"
#include "answer/answer.h"
#include "answer/value.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void culprit(struct buf *out, const struct culprit *culprit)
{
    bool pointer = culprit->field[0] == '#';

    buf_print(out, "{\"%s\": ", pointer ? "pointer" : "parameter");
    value_json_text(out, culprit->field);
    buf_text(out, ", \"value\": ");
    value_json_text(out, culprit->value);
    buf_text(out, ", \"code\": ");
    value_json_text(out, culprit->rule);
    buf_text(out, ", \"detail\": ");
    value_json_text(out, culprit->text);
    if (isfinite(culprit->min))
        buf_print(out, ", \"minimum\": %.15g", culprit->min);
    if (isfinite(culprit->max))
        buf_print(out, ", \"maximum\": %.15g", culprit->max);
    buf_char(out, '}');
}

/* Set WWW-Authenticate: which token is needed, and what is wrong with the one sent (RFC 6750,
 * 3). */
static void challenge(const struct err *err, const struct request *request, struct reply *reply)
{
    static const char realm[] = "Bearer realm=\"gpuplan\"";

    if (request->authorization[0])
        reply_header(reply, "WWW-Authenticate",
                     "%s, error=\"invalid_token\", error_description=\"%s\"", realm, err->text);
    else
        reply_header(reply, "WWW-Authenticate", "%s", realm);
}

static void begin(const struct err *err, const struct request *request, const char *type,
                  struct reply *reply)
{
    reply->status = err_status(err->code);
    reply->content_type = type;
    reply_header(reply, "Cache-Control", "no-store");
    if (err->code == ERR_UNAUTHORIZED)
        challenge(err, request, reply);
    if (reply->status == 503 && err->code != ERR_TOO_LONG)
        reply_header(reply, "Retry-After", "5");
}

void problem_reply(const struct err *err, const struct request *request, const char *current,
                   struct reply *reply)
{
    struct buf *out = &reply->body;

    begin(err, request, "application/problem+json", reply);
    buf_print(out, "{\"type\": \"/problems/%s\", \"title\": ", err_slug(err->code));
    value_json_text(out, err_title(err->code));
    buf_print(out, ", \"status\": %d, \"detail\": ", reply->status);
    value_json_text(out, err->text);
    buf_text(out, ", \"instance\": ");
    value_json_text(out, request->path);
    if (current) {
        buf_text(out, ", \"links\": {\"current\": ");
        value_json_text(out, current);
        buf_char(out, '}');
    }
    if (err->n_culprits) {
        buf_text(out, ", \"errors\": [");
        for (size_t i = 0; i < err->n_culprits; i++) {
            buf_text(out, i ? ",\n  " : "\n  ");
            culprit(out, &err->culprits[i]);
        }
        buf_text(out, "\n]");
    }
    buf_text(out, "}\n");
}

void problem_reply_page(const struct err *err, const struct request *request, const char *form,
                        struct reply *reply)
{
    begin(err, request, answer_format_type(FORMAT_HTML), reply);
    answer_problem_page(err, form, &reply->body);
}

void problem_reply_text(const struct err *err, struct reply *reply)
{
    reply->status = 200;
    reply->content_type = "text/plain; charset=utf-8";
    reply_header(reply, "Cache-Control", "no-store");
    buf_print(&reply->body, "ERROR %s", err->text);
    for (size_t i = 0; err->n_culprits > 1 && i < err->n_culprits; i++)
        buf_print(&reply->body, " %s: %s%s", err->culprits[i].field, err->culprits[i].text,
                  i + 1 < err->n_culprits ? ";" : "");
}

static bool is_foreign(const struct err *err)
{
    if (err->code == ERR_MEDIA_TYPE || err->code == ERR_MALFORMED)
        return true;
    for (size_t i = 0; i < err->n_culprits; i++)
        if (strcmp(err->culprits[i].rule, "unknown_parameter") == 0 ||
            strcmp(err->culprits[i].rule, "wrong_type") == 0)
            return true;
    return false;
}

void problem_hint(struct err *err, const struct resource *resource)
{
    size_t n = strlen(err->text);

    if (!resource || !resource->body_hint || !is_foreign(err))
        return;
    snprintf(err->text + n, sizeof(err->text) - n, "%s %s", n && err->text[n - 1] == '.' ? "" : ".",
             resource->body_hint);
}

/* True if a POST's query, not its body, has the parameter. */
static bool in_query(const struct params *params, const char *name)
{
    for (size_t i = 0; i < params->n; i++)
        if (params->at[i].kind == PARAM_ANY && strcmp(params->at[i].name, name) == 0)
            return true;
    return false;
}

/* Convert a member name to a JSON pointer (RFC 6901), in which ~ and / are written ~0 and ~1. */
static void make_pointer(char *field, size_t size)
{
    char pointer[64] = "#/";
    size_t n = 2;

    for (const char *p = field; *p && n + 2 < sizeof(pointer); p++) {
        bool escaped = *p == '~' || *p == '/';
        pointer[n++] = escaped ? '~' : *p;
        if (escaped)
            pointer[n++] = *p == '~' ? '0' : '1';
    }
    pointer[n] = '\0';
    snprintf(field, size, "%s", pointer);
}

void problem_point_into_body(struct err *err, const struct params *params)
{
    for (size_t i = 0; i < err->n_culprits; i++) {
        char *field = err->culprits[i].field;
        if (field[0] != '#' && !in_query(params, field))
            make_pointer(field, sizeof(err->culprits[i].field));
    }
}
