#include "api/resource/pinned.h"

#include "api/resource/version.h"
#include "base/sha256.h"
#include "base/sort.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

enum { LINK_MAX = 64 * 1024 };

bool pinned_is_earlier(const char *version)
{
    return version && text_in_list(MODEL_VERSIONS_BEFORE, version);
}

bool pinned_refuse(const char *version, struct err *err)
{
    return err_set(err, ERR_GONE,
                   "this was answered by formulas %s, which are no longer available; today's "
                   "are " MODEL_VERSION
                   "; archived replies exist only for links (GET) that a daemon has answered",
                   version);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct param *)a)->name, ((const struct param *)b)->name);
}

static void add_pair(struct buf *out, const char *name, const char *value)
{
    if (out->length)
        buf_char(out, '&');
    buf_encoded(out, name);
    buf_char(out, '=');
    buf_encoded(out, value);
}

/* All parameters that affect the answer, sorted by name, so that a link keeps its key when the
 * field tables change. The format is a separate part of the key. */
static const char *sorted_query(const struct params *params, struct arena *arena)
{
    struct params sorted = *params;
    struct buf out;

    sort_items(sorted.at, sorted.n, sizeof(sorted.at[0]), by_name);
    buf_init(&out, LINK_MAX);
    for (size_t i = 0; i < sorted.n; i++)
        if (sorted.at[i].value[0] && !text_in_list("format,nocache", sorted.at[i].name))
            add_pair(&out, sorted.at[i].name, sorted.at[i].value);
    const char *query = arena_text(arena, buf_data(&out));
    buf_free(&out);
    return query;
}

/* Hash of path, query and format, all but the last including their NUL, so that the parts cannot
 * run into one another.
 */
static void make_key(const char *const parts[3], char key[ARCHIVE_KEY_SIZE])
{
    struct buf out;
    uint8_t digest[SHA256_SIZE];

    buf_init(&out, LINK_MAX);
    for (size_t i = 0; i < 3; i++)
        buf_add(&out, parts[i], strlen(parts[i]) + (i < 2));
    sha256(out.data, out.length, digest);
    buf_free(&out);
    for (size_t i = 0; i < SHA256_SIZE; i++) {
        key[2 * i] = "0123456789abcdef"[digest[i] >> 4];
        key[2 * i + 1] = "0123456789abcdef"[digest[i] & 15];
    }
    key[ARCHIVE_KEY_SIZE - 1] = '\0';
}

void pinned_keep(const struct archive *archive, const struct pinned *pinned,
                 struct request_context *context, const struct reply *reply)
{
    char key[ARCHIVE_KEY_SIZE];

    if (!archive || !archive->keep || context->request->method != METHOD_GET ||
        reply->status != 200 || reply->body.full || !context->common.model_version ||
        !params_find(pinned->params, "as_of"))
        return;
    const char *query = sorted_query(pinned->params, context->arena);
    const char *format = answer_format_suffix(pinned->format);
    make_key((const char *const[]){pinned->path, query, format}, key);
    archive->keep(archive->context,
                  &(struct archive_entry){
                      .key = key,
                      .question = arena_join(context->arena, pinned->path, "?", query),
                      .format = format,
                      .model_version = MODEL_VERSION,
                      .catalog_version = context->catalog->version,
                      .client = context->request->client,
                      .body = buf_data(&reply->body),
                      .length = reply->body.length,
                  });
}

static void add_headers(const struct pinned *pinned, const char *at, struct reply *reply)
{
    char hex[TEXT_HEX_SIZE];

    text_print_hex(text_hash(TEXT_HASH, reply->body.data, reply->body.length), hex);
    reply->content_type = answer_format_type(pinned->format);
    reply->keep = true;
    reply_header(reply, "ETag", "\"archived-%s-%s\"", hex, answer_format_suffix(pinned->format));
    reply_header(reply, "Gpuplan-Archived", "%s", at);
    reply_header(reply, "Cache-Control", "public, max-age=31536000, immutable");
    reply_header(reply, "Vary", "Accept, Accept-Encoding");
}

bool pinned_answer(const struct archive *archive, const struct pinned *pinned,
                   struct request_context *context, struct reply *reply, struct err *err)
{
    const char *version = params_find(pinned->params, "model_version");
    char key[ARCHIVE_KEY_SIZE], at[ARCHIVE_TIME_SIZE];

    if (!archive)
        return pinned_refuse(version, err);
    if (context->request->can_defer) {
        reply->deferred = DEFER_WRITE;
        return true;
    }
    make_key((const char *const[]){pinned->path, sorted_query(pinned->params, context->arena),
                                   answer_format_suffix(pinned->format)},
             key);
    if (!archive->find(archive->context, key, &reply->body, at, err))
        return false;
    if (!at[0])
        return err_set(err, ERR_GONE,
                       "this link was answered by formulas %s, which are no longer available; "
                       "today's are " MODEL_VERSION
                       ", and its reply was never archived and is lost; today's formulas may "
                       "give other figures for the same question",
                       version);
    add_headers(pinned, at, reply);
    reply_not_modified(context->request, reply);
    return true;
}

const char *pinned_current(const struct params *params, struct arena *arena)
{
    struct buf out;

    if (!pinned_is_earlier(params_find(params, "model_version")))
        return NULL;
    buf_init(&out, LINK_MAX);
    for (size_t i = 0; i < params->n; i++)
        if (strcmp(params->at[i].name, "model_version") != 0)
            add_pair(&out, params->at[i].name, params->at[i].value);
    add_pair(&out, "model_version", MODEL_VERSION);
    const char *query = arena_text(arena, buf_data(&out));
    buf_free(&out);
    return query;
}
