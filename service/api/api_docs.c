#include "api/api_docs.h"

#include "api/openapi/openapi.h"
#include "base/err.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

enum { OPENAPI_MAX = 4 * 1024 * 1024 };

void api_docs_init(struct api_docs *documents)
{
    components_init(&documents->components);
    buf_init(&documents->openapi, OPENAPI_MAX);
    openapi_write(&documents->components, &documents->openapi);
    uint64_t hash = text_hash(TEXT_HASH, buf_data(&documents->openapi), documents->openapi.length);
    snprintf(documents->tag, sizeof(documents->tag), "\"%016llx\"", (unsigned long long)hash);
}

void api_docs_fini(struct api_docs *documents)
{
    buf_free(&documents->openapi);
    components_free(&documents->components);
}

/* The document of one path changes only if the whole does. */
static void describe_reply(const struct api_docs *documents, const char *route, struct reply *reply)
{
    reply->route = route;
    reply->keep = true;
    reply->content_type = "application/vnd.oai.openapi+json;version=3.1";
    reply_header(reply, "ETag", "%s", documents->tag);
    reply_header(reply, "Cache-Control", "public, max-age=300");
    reply_header(reply, "Vary", "Accept-Encoding");
}

static void answer_openapi(const struct api_docs *documents, const struct request *request,
                           struct reply *reply)
{
    describe_reply(documents, "/openapi.json", reply);
    if (!reply_not_modified(request, reply))
        buf_add(&reply->body, documents->openapi.data, documents->openapi.length);
}

/* /openapi/v1/gpus.json: the part that a page for one question needs, an eighth of the whole. */
static bool answer_openapi_of(const struct api_docs *documents, const struct request *request,
                              struct reply *reply)
{
    static const char before[] = "/openapi", after[] = ".json";
    const char *path = request->path + sizeof(before) - 1;
    size_t length = strlen(request->path), least = sizeof(before) + sizeof(after) - 2;

    if (length <= least || strncmp(request->path, before, sizeof(before) - 1) != 0 ||
        strcmp(request->path + length - sizeof(after) + 1, after) != 0 ||
        !openapi_write_path(&documents->components, path, length - least, &reply->body))
        return false;
    describe_reply(documents, "/openapi/{path}.json", reply);
    reply_not_modified(request, reply);
    return true;
}

/* RFC 9727. */
static void answer_catalog(struct reply *reply)
{
    reply->route = "/.well-known/api-catalog";
    reply->content_type = "application/linkset+json";
    buf_text(
        &reply->body,
        "{\"linkset\": [{\"anchor\": \"/v1\", \"service-desc\": [{\"href\": \"/openapi.json\"}], "
        "\"service-doc\": [{\"href\": \"/docs\"}]}]}\n");
}

/* The description of a problem type. */
static bool answer_problem(const char *slug, struct reply *reply)
{
    static const enum err_code codes[] = {
#define ERR(name, status, slug, title) ERR_##name,
#include "base/err.def"
#undef ERR
    };

    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
        if (strcmp(err_slug(codes[i]), slug) == 0) {
            reply->route = "/problems/{slug}";
            reply->content_type = "text/plain; charset=utf-8";
            buf_print(&reply->body, "%d %s: %s\n", err_status(codes[i]), slug, err_title(codes[i]));
            return true;
        }
    return false;
}

bool api_docs_answer(const struct api_docs *documents, const struct request *request,
                     struct reply *reply)
{
    static const char problems[] = "/problems/";

    if (request->method != METHOD_GET && request->method != METHOD_HEAD)
        return false;
    if (strcmp(request->path, "/openapi.json") == 0)
        answer_openapi(documents, request, reply);
    else if (answer_openapi_of(documents, request, reply))
        return true;
    else if (strcmp(request->path, "/.well-known/api-catalog") == 0)
        answer_catalog(reply);
    else if (strncmp(request->path, problems, sizeof(problems) - 1) != 0)
        return false;
    else
        return answer_problem(request->path + sizeof(problems) - 1, reply);
    return true;
}
