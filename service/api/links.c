#include "api/links.h"

#include "api/resource/decode.h"
#include "api/canonical_query.h"
#include "api/resource/version.h"

enum { QUERY_MAX = 256 * 1024 };

/* The question with list parameters, without `but`, on the day of this answer; `styled` adds the
 * parameters of the format. */
static const char *address(const struct request_context *context, const struct link_source *source,
                           const char *but, bool styled)
{
    struct buf query;

    buf_init(&query, QUERY_MAX);
    buf_text(&query, source->query);
    if (resource_is_list(context->resource))
        canonical_query_add(&query, list_fields, source->params, but);
    if (styled)
        canonical_query_add(&query, common_fields, source->params,
                            "nocache,as_of,currency,model_version,format");
    const char *text =
        arena_join(context->arena, buf_data(&query), query.length ? "&" : "",
                   "as_of=", context->answer.meta.as_of, "&model_version=", MODEL_VERSION);
    buf_free(&query);
    return text;
}

void links_add(struct request_context *context, const struct link_source *source)
{
    struct answer *answer = &context->answer;
    const char *mark = source->query[0] ? "?" : "";

    if (context->model_config)
        return;
    answer_link(answer, "self",
                arena_join(context->arena, source->path, "?", address(context, source, "", false)));
    if (answer->next_cursor)
        answer_link(
            answer, "next",
            arena_join(context->arena, source->path, ".", answer_format_suffix(source->format), "?",
                       address(context, source, "cursor", true), "&cursor=", answer->next_cursor));
    answer_link(answer, "csv",
                arena_join(context->arena, source->path, ".csv", mark, source->query));
    if (source->page)
        answer_link(answer, "page", arena_join(context->arena, source->page, mark, source->query));
}
