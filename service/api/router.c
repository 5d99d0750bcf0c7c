#include "api/router.h"

#include "api/accept.h"
#include "api/admit.h"
#include "api/resource/decode.h"
#include "api/api_docs.h"
#include "api/canonical_query.h"
#include "api/links.h"
#include "api/resource/list.h"
#include "api/resource/currency.h"
#include "api/resource/pinned.h"
#include "api/prices/price_metrics.h"
#include "api/resource/problem.h"
#include "api/resource/query.h"
#include "api/routes/routes.h"
#include "api/training/search_cache.h"
#include "api/resource/version.h"
#include "answer/json_fragments.h"
#include "base/clock.h"
#include "base/number.h"
#include "base/log.h"
#include "base/arena.h"
#include "api/analysis/risk_cache.h"
#include "base/mem.h"
#include "base/text.h"
#include "catalog/currency.h"
#include "json/body.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct api {
    struct api_options with;
    struct api_docs documents;
    struct json_fragments_all *fragments; /* one per thread */
    struct recents *searches, *simulations;
};

struct api *api_new(const struct api_options *options)
{
    struct api *api = mem_alloc(sizeof(*api));

    api->with = *options;
    api_docs_init(&api->documents);
    api->fragments = json_fragments_new(live_readers(options->live));
    api->searches = recent_new(live_readers(options->live), TRAINING_SEARCH_CACHE_ENTRIES);
    api->simulations = recent_new(live_readers(options->live), RISK_CACHE_ENTRIES);
    return api;
}

void api_free(struct api *api)
{
    if (api) {
        api_docs_fini(&api->documents);
        json_fragments_free(api->fragments);
        recent_free(api->searches);
        recent_free(api->simulations);
    }
    free(api);
}

/* A request being routed. */
struct visit {
    struct request_context context;
    struct parallel parallel; /* the context's, if there is one */
    const struct api *api;
    const struct route *route;
    struct params params;
    char *path;         /* without the format suffix */
    bool suffix;        /* the path names the format */
    enum format format; /* of the answer */
    const char *query;  /* canonical: the given inputs in table order */
};

static bool find_route(struct visit *visit, struct err *err)
{
    struct request_context *context = &visit->context;

    visit->route = route_find(visit->path, &context->path_name);
    if (context->path_name) /* skip it; the rest belongs to the route */
        context->path_name =
            arena_part(context->arena, context->path_name, strcspn(context->path_name, "/"));
    if (visit->route)
        return true;
    const char *nearest = route_nearest(visit->path);
    return err_set(err, ERR_NOT_FOUND, "nothing exists at this address%s%s; /v1 lists what does",
                   nearest ? "; did you mean " : "", nearest ? nearest : "");
}

static bool check_method(struct visit *visit, struct reply *reply, struct err *err)
{
    const struct request *request = visit->context.request;
    const struct resource *read = visit->route->resource;

    visit->context.resource = route_resource(visit->route, request->method);
    if (visit->context.resource)
        return true;
    reply_header(reply, "Allow", "GET, HEAD%s%s%s, OPTIONS", visit->route->post ? ", POST" : "",
                 read->put ? ", PUT" : "", read->remove ? ", DELETE" : "");
    return err_set(err, ERR_METHOD, "this path does not support %s", request->method_name);
}

/* Compares the media type, ignoring its parameters. */
static bool is_type(const char *content_type, const char *type)
{
    size_t n = strcspn(content_type, "; \t");

    return n == strlen(type) && strncasecmp(content_type, type, n) == 0;
}

static bool read_body(struct visit *visit, struct err *err)
{
    struct request_context *context = &visit->context;
    const struct request *request = context->request;

    if (request->method != METHOD_POST && request->method != METHOD_PUT)
        return true;
    if (is_type(request->content_type, "application/x-www-form-urlencoded"))
        return params_read_query(&visit->params, request->body, context->arena, err);
    if (!is_type(request->content_type, "application/json"))
        return err_set(err, ERR_MEDIA_TYPE, "send application/json or a form");
    if (context->resource->body_is_model)
        return json_read_model(request->body, request->body_length, context->arena,
                               &context->model_config, err);
    visit->params.from_body = true;
    if (!json_read_params(request->body, request->body_length, context->arena, &visit->params,
                          &context->model_config, err))
        return false;
    if (context->model_config && !context->resource->takes_model_config)
        return err_add(err, "#/model_config", "", "unknown_parameter", "unknown parameter");
    return true;
}

static bool choose_format(struct visit *visit, struct err *err)
{
    const char *name = visit->context.common.format;

    if (!name)
        return visit->suffix || accept_choose(visit->context.request->accept, &visit->format, err);
    enum format asked = visit->format;
    answer_format_find(name, strlen(name), &asked);
    if (visit->suffix && asked != visit->format)
        return err_add(err, "format", name, "contradiction",
                       "the path's suffix asks for a different format");
    visit->format = asked;
    return true;
}

/* Refuse an impossible chart before any change is made. */
static bool check_drawable(const struct visit *visit, struct err *err)
{
    return !visit->context.resource->writes || visit->format != FORMAT_SVG ||
           err_set(err, ERR_NOT_ACCEPTABLE, "this cannot be drawn");
}

enum { QUERY_MAX = 256 * 1024 };

/* The question: the given inputs, and the currency if it is not USD. */
static const char *question_query(struct visit *visit)
{
    const struct catalog *catalog = visit->context.catalog;
    struct buf out;

    buf_init(&out, QUERY_MAX);
    canonical_query_add(&out, visit->context.inputs.fields, &visit->params, "");
    const char *query = arena_text(visit->context.arena, buf_data(&out));
    buf_free(&out);
    return catalog->rate ? arena_join(visit->context.arena, query, query[0] ? "&" : "",
                                      "currency=", catalog_currency(catalog))
                         : query;
}

/* The NUL is hashed too, so that consecutive texts cannot run into one another. */
static uint64_t hash_text(uint64_t hash, const char *text)
{
    return text_hash(hash, text, strlen(text) + 1);
}

/* An ETag over everything the answer depends on, so that a 304 needs no calculation. */
static void tag(struct visit *visit, struct reply *reply)
{
    const struct request_context *context = &visit->context;
    struct buf style;

    buf_init(&style, QUERY_MAX);
    canonical_query_add(&style, common_fields, &visit->params, "nocache,as_of,format");
    if (resource_is_list(context->resource))
        canonical_query_add(&style, list_fields, &visit->params, "");
    uint64_t hash = hash_text(TEXT_HASH, visit->path);
    hash = hash_text(hash, visit->query);
    hash = hash_text(hash, buf_data(&style));
    buf_free(&style);
    static const char begin[] = "\"m" MODEL_VERSION "-c";
    char hex[TEXT_HEX_SIZE], as_of[NUMBER_SIZE];
    text_print_hex(hash, hex);
    number_fixed(as_of, context->as_of, 0);
    reply_header(reply, "ETag", "%s",
                 arena_join(context->arena, begin, context->catalog->version, "-",
                            context->catalog->birth, "-", as_of, "-", hex, "-",
                            answer_format_suffix(visit->format), "\""));
}

static void cache_headers(const struct visit *visit, struct reply *reply)
{
    if (visit->context.resource->writes) {
        reply_header(reply, "Cache-Control", "no-store");
        return;
    }
    /* Only a price observed on a past day can still change the answer, which is rare. */
    bool past = visit->context.as_of < visit->context.today;

    reply_header(reply, "Cache-Control",
                 past ? "public, max-age=86400, stale-while-revalidate=2592000, "
                        "stale-if-error=31536000"
                      : "public, max-age=300, stale-while-revalidate=3600, "
                        "stale-if-error=86400");
    reply_header(reply, "Vary", visit->suffix ? "Accept-Encoding" : "Accept, Accept-Encoding");
    reply_header(reply, "Link",
                 "</openapi.json>; rel=\"service-desc\", </docs>; rel=\"service-doc\"");
    char date[11];
    text_print_day(visit->context.as_of, date);
    reply_header(reply, "Content-Disposition", "%s",
                 arena_join(visit->context.arena,
                            visit->context.common.download == 1 ? "attachment" : "inline",
                            "; filename=\"", visit->context.resource->name, "-", date, ".",
                            answer_format_suffix(visit->format), "\""));
}

/* Keep only the table that a path such as /line-items asks for. */
static void project(struct visit *visit)
{
    struct answer *answer = &visit->context.answer;

    if (!visit->route->project)
        return;
    for (size_t i = 0; i < answer->n_tables; i++)
        if (strcmp(answer->tables[i].name, visit->route->project) == 0) {
            answer->tables[0] = answer->tables[i];
            answer->tables[0].value_field = NULL;
        }
    answer->n_tables = 1;
    answer->fields = (struct fields){0};
    answer->headline = route_headline(visit->route);
}

static bool write_reply(struct visit *visit, struct reply *reply, struct err *err)
{
    const struct common *common = &visit->context.common;
    struct style style = {
        .field = common->field,
        .width = (int)common->width,
        .fields = common->fields,
        .no_header = common->header == 0,
        .long_layout = strcmp(common->layout, "long") == 0,
        .dialect = csv_dialect(common->dialect),
        /* tables decoded again are not recognised by address */
        .fragments = common->fields
                         ? NULL
                         : json_fragments_of(visit->api->fragments, visit->context.request->worker),
    };

    reply->content_type = answer_format_type(visit->format);
    return answer_write(&visit->context.answer, visit->format, &style, &reply->body, err);
}

static bool compute(struct visit *visit, struct reply *reply, struct err *err)
{
    struct request_context *context = &visit->context;

    query_start(context);
    context->project = visit->route->project;
    context->drawn = visit->format == FORMAT_SVG;
    context->page_chosen =
        params_find(&visit->params, "limit") || params_find(&visit->params, "cursor");
    context->paged = visit->format == FORMAT_JSON || visit->format == FORMAT_XML ||
                     visit->format == FORMAT_HTML || params_find(&visit->params, "limit");
    bool answered = !cancelled(context->cancel) &&
                    context->resource->answer(context, context->inputs.values, err);
    if (cancelled(context->cancel))
        return context_refuse_cancelled(context, visit->api->with.calculation_s, err);
    if (!answered)
        return false;
    if (context->status)
        reply->status = context->status;
    if (context->location)
        reply_header(reply, "Location", "%s", context->location);
    if (reply->status == 204)
        return true;
    project(visit);
    if (resource_is_list(context->resource) && !list_apply(context, err))
        return false;
    currency_finish(context);
    context->answer.inputs = context->inputs;
    if (!context->resource->writes)
        links_add(context, &(struct link_source){visit->path, visit->query, visit->route->page,
                                                 &visit->params, visit->format});
    return list_pick(context, visit->format, err) && write_reply(visit, reply, err);
}

/* The other thread that answers, if any. */
static enum defer defer_to(const struct request_context *context)
{
    const struct resource *resource = context->resource;

    if (!context->request->can_defer)
        return DEFER_NOT;
    if (resource->writes)
        return DEFER_WRITE;
    return context_cost(context) == COST_NONE ? DEFER_NOT : DEFER_COMPUTE;
}

/* True if a link names a formula version that this daemon no longer has. */
static bool is_earlier(const struct visit *visit)
{
    enum method method = visit->context.request->method;

    return (method == METHOD_GET || method == METHOD_HEAD) &&
           pinned_is_earlier(params_find(&visit->params, "model_version"));
}

/* Decode only the format: the tables may no longer accept the question. */
static bool answer_earlier(struct visit *visit, struct reply *reply, struct err *err)
{
    visit->context.common.format = params_find(&visit->params, "format");
    if (!choose_format(visit, err))
        return false;
    reply->format = answer_format_suffix(visit->format);
    struct pinned pinned = {visit->path, &visit->params, visit->format};
    return pinned_answer(visit->api->with.archive, &pinned, &visit->context, reply, err);
}

static bool answer_visit(struct visit *visit, struct reply *reply, struct err *err)
{
    struct request_context *context = &visit->context;

    visit->suffix = route_take_suffix(visit->path, &visit->format);
    if (!find_route(visit, err) || !check_method(visit, reply, err))
        return false;
    reply->route = visit->route->path;
    if (!admit_request(context, visit->api->with.authorization, err))
        return false;
    if (!context->catalog)
        return err_set(err, ERR_UNAVAILABLE, "the catalogue is not loaded yet: try again shortly");
    if (!params_read_query(&visit->params, context->request->query, context->arena, err) ||
        !read_body(visit, err))
        return false;
    if (is_earlier(visit))
        return answer_earlier(visit, reply, err);
    if (!query_decode(context, &visit->params, err) || !query_check(context, err) ||
        !choose_format(visit, err) || !check_drawable(visit, err))
        return false;
    reply->format = answer_format_suffix(visit->format);
    visit->query = question_query(visit);
    cache_headers(visit, reply);
    reply->keep = !context->resource->writes;
    if (context->request->method == METHOD_GET || context->request->method == METHOD_HEAD) {
        tag(visit, reply);
        if (reply_not_modified(context->request, reply))
            return true;
    }
    reply->deferred = defer_to(context);
    reply->is_long = context_cost(context) == COST_LONG;
    if (reply->deferred)
        return true;
    if (!compute(visit, reply, err))
        return false;
    struct pinned pinned = {visit->path, &visit->params, visit->format};
    pinned_keep(visit->api->with.archive, &pinned, context, reply);
    return true;
}

/* True if a spreadsheet asked for a cell value instead of an error. */
static bool wants_text(const struct visit *visit)
{
    const char *on_error = params_find(&visit->params, "on_error");

    /* A failed change must not look like a successful one. */
    if (visit->context.resource && visit->context.resource->writes)
        return false;
    return on_error && strcmp(on_error, "text") == 0 &&
           (visit->format == FORMAT_TEXT || visit->format == FORMAT_CSV);
}

/* True if a page was requested, as far as the question could be read. */
static bool wants_page(const struct visit *visit)
{
    const char *name = params_find(&visit->params, "format");
    enum format format = visit->format;
    struct err refused;

    if (visit->suffix)
        return format == FORMAT_HTML;
    if (name)
        return answer_format_find(name, strlen(name), &format) && format == FORMAT_HTML;
    return accept_choose(visit->context.request->accept, &format, &refused) &&
           format == FORMAT_HTML;
}

/* The page's form with the same inputs, if the question has one. */
static const char *form_of(const struct visit *visit, const char *query)
{
    const struct request *request = visit->context.request;
    const char *page = visit->route ? visit->route->page : NULL;

    if (!page || request->method == METHOD_POST)
        return NULL;
    return arena_print(visit->context.arena, "%s?%s", page, query ? query : request->query);
}

static void reply_error(struct visit *visit, struct err *err, struct reply *reply)
{
    struct reply fresh;
    const char *allow = reply_get_header(reply, "Allow"),
               *query = pinned_current(&visit->params, visit->context.arena);

    reply_init(&fresh);
    fresh.route = reply->route;
    fresh.format = reply->format;
    if (allow)
        reply_header(&fresh, "Allow", "%s", allow);
    if (visit->params.from_body)
        problem_point_into_body(err, &visit->params);
    problem_hint(err, visit->context.resource);
    if (wants_text(visit))
        problem_reply_text(err, &fresh);
    else if (wants_page(visit))
        problem_reply_page(err, visit->context.request, form_of(visit, query), &fresh);
    else
        problem_reply(
            err, visit->context.request,
            query ? arena_join(visit->context.arena, visit->context.request->path, "?", query)
                  : NULL,
            &fresh);
    reply_free(reply);
    *reply = fresh;
}

/* The object of the change, in characters that are safe in a log. */
static const char *target_of(const struct request_context *context, const struct reply *reply)
{
    const char *location = reply_get_header(reply, "Location"), *name = context->path_name;

    if (location)
        return location;
    return name && name[0] && strspn(name, "0123456789abcdefown-") == strlen(name) ? name : "-";
}

/* Log author and outcome of an attempted change; the client address is the one given by its
 * proxy. */
static void audit(const struct visit *visit, const struct reply *reply)
{
    const struct request_context *context = &visit->context;
    const char *who = context->writer && context->writer[0] ? context->writer : "-";

    if (context->resource && context->resource->writes && !reply->deferred)
        log_write(LOG_AUDIT, "write",
                  "id=%s who=%s from=%s%s%s method=%s route=%s target=%.64s status=%d",
                  context->request->id, who, context->request->client,
                  context->request->via[0] ? " via=" : "", context->request->via,
                  context->request->method_name, visit->route->path, target_of(context, reply),
                  reply->status);
}

/* Everything a request needs is allocated in its arena; the catalogue is held until the reply is
 * written. A suspended request is decoded again, since the catalogue may have changed. */
void api_handle(void *context, const struct request *request, struct reply *reply)
{
    struct api *api = context;
    struct arena arena = {0};
    struct err err = {0};

    if (api_docs_answer(&api->documents, request, reply))
        return;
    struct visit *visit = arena_alloc(&arena, sizeof(*visit));
    size_t size = strlen(request->path) + 1;
    visit->path = memcpy(arena_alloc(&arena, size), request->path, size);
    visit->context.request = request;
    visit->context.arena = &arena;
    visit->api = api;
    visit->context.search_cache = recent_of(api->searches, request->worker);
    visit->context.risk_cache = recent_of(api->simulations, request->worker);
    if (api->with.parallel)
        visit->parallel = *api->with.parallel;
    visit->parallel.cancel = visit->context.cancel = request->cancel;
    visit->context.parallel = api->with.parallel ? &visit->parallel : NULL;
    visit->context.quotes = api->with.quotes;
    visit->context.measurements = api->with.measurements;
    visit->context.today = clock_today();
    visit->context.catalog = live_enter(api->with.live, request->worker);
    if (!price_metrics_answer(&visit->context, reply) && !answer_visit(visit, reply, &err))
        reply_error(visit, &err, reply);
    audit(visit, reply);
    live_exit(api->with.live, request->worker);
    arena_free(&arena);
}
