#include "api/router.h"

#include "api/accept.h"
#include "api/admit.h"
#include "api/resource/decode.h"
#include "api/api_docs.h"
#include "api/resource/canonical_query.h"
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
#include "base/text.h"
#include "catalog/currency.h"
#include "json/body.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct api {
    struct api_options with;
    struct api_docs documents;
    struct json_fragments_all *fragments; /* of each thread */
    struct training_search_caches *found;
};

struct api *api_new(const struct api_options *options)
{
    struct api *api = mem_alloc(sizeof(*api));

    api->with = *options;
    api_docs_init(&api->documents);
    api->fragments = json_fragments_new(live_readers(options->live));
    api->found = training_search_cache_new(live_readers(options->live));
    return api;
}

void api_free(struct api *api)
{
    if (api) {
        api_docs_fini(&api->documents);
        json_fragments_free(api->fragments);
        training_search_cache_free(api->found);
    }
    free(api);
}

/* A request on its way through the router. */
struct visit {
    struct call call;
    struct parallel parallel; /* the call's, where there is one */
    const struct api *api;
    const struct route *route;
    struct params params;
    char *path;         /* without the format suffix */
    bool suffix;        /* the path names the format */
    enum format format; /* of the answer */
    const char *query;  /* canonical: what was given, in the tables' order */
};

static bool find_route(struct visit *visit, struct err *err)
{
    struct call *call = &visit->call;

    visit->route = route_find(visit->path, &call->path_name);
    if (call->path_name) /* what follows it is the route's */
        call->path_name = arena_part(call->arena, call->path_name, strcspn(call->path_name, "/"));
    if (visit->route)
        return true;
    const char *nearest = route_nearest(visit->path);
    return err_set(err, ERR_NOT_FOUND, "there is nothing at this path%s%s; /v1 lists what there is",
                   nearest ? "; did you mean " : "", nearest ? nearest : "");
}

static bool check_method(struct visit *visit, struct reply *reply, struct err *err)
{
    const struct request *request = visit->call.request;
    const struct resource *read = visit->route->resource;

    visit->call.resource = route_resource(visit->route, request->method);
    if (visit->call.resource)
        return true;
    reply_header(reply, "Allow", "GET, HEAD%s%s%s, OPTIONS", visit->route->post ? ", POST" : "",
                 read->put ? ", PUT" : "", read->remove ? ", DELETE" : "");
    return err_set(err, ERR_METHOD, "%s is not for this path", request->method_name);
}

/* The media type, whatever parameters follow it. */
static bool is_type(const char *content_type, const char *type)
{
    size_t n = strcspn(content_type, "; \t");

    return n == strlen(type) && strncasecmp(content_type, type, n) == 0;
}

static bool read_body(struct visit *visit, struct err *err)
{
    struct call *call = &visit->call;
    const struct request *request = call->request;

    if (request->method != METHOD_POST && request->method != METHOD_PUT)
        return true;
    if (is_type(request->content_type, "application/x-www-form-urlencoded"))
        return params_read_query(&visit->params, request->body, call->arena, err);
    if (!is_type(request->content_type, "application/json"))
        return err_set(err, ERR_MEDIA_TYPE, "send application/json or a form");
    if (call->resource->body_is_model)
        return json_read_model(request->body, request->body_length, call->arena,
                               &call->model_config, err);
    visit->params.from_body = true;
    if (!json_read_params(request->body, request->body_length, call->arena, &visit->params,
                          &call->model_config, err))
        return false;
    if (call->model_config && !call->resource->takes_model_config)
        return err_add(err, "#/model_config", "", "unknown_parameter", "unknown parameter");
    return true;
}

static bool choose_format(struct visit *visit, struct err *err)
{
    const char *name = visit->call.common.format;

    if (!name)
        return visit->suffix || accept_choose(visit->call.request->accept, &visit->format, err);
    enum format asked = visit->format;
    format_find(name, strlen(name), &asked);
    if (visit->suffix && asked != visit->format)
        return err_add(err, "format", name, "contradiction",
                       "the path's suffix says another format");
    visit->format = asked;
    return true;
}

/* What cannot be drawn must be refused before anything is changed. */
static bool check_drawable(const struct visit *visit, struct err *err)
{
    return !visit->call.resource->writes || visit->format != FORMAT_SVG ||
           err_set(err, ERR_NOT_ACCEPTABLE, "what is written here cannot be drawn");
}

enum { QUERY_MAX = 256 * 1024 };

static const char *given(struct visit *visit, struct fields fields)
{
    struct buf out;

    buf_init(&out, QUERY_MAX);
    canonical_query_add(&out, fields, &visit->params, "");
    const char *query = arena_text(visit->call.arena, buf_data(&out));
    buf_free(&out);
    return query;
}

/* What was asked: the inputs given, and the currency where it is not USD. */
static const char *question_query(struct visit *visit)
{
    const char *query = given(visit, visit->call.inputs.fields);
    const struct catalog *catalog = visit->call.catalog;

    return catalog->rate ? arena_join(visit->call.arena, query, query[0] ? "&" : "",
                                      "currency=", catalog_currency(catalog))
                         : query;
}

/* With its NUL, so that two texts in a row cannot run into one. */
static uint64_t hash_text(uint64_t hash, const char *text)
{
    return text_hash(hash, text, strlen(text) + 1);
}

/* A tag of everything the answer depends on, so that 304 needs no computing. */
static void tag(struct visit *visit, struct reply *reply)
{
    const struct call *call = &visit->call;
    struct buf style;

    buf_init(&style, QUERY_MAX);
    canonical_query_add(&style, common_fields, &visit->params, "nocache,as_of,format");
    if (resource_is_list(call->resource))
        canonical_query_add(&style, list_fields, &visit->params, "");
    uint64_t hash = hash_text(TEXT_HASH, visit->path);
    hash = hash_text(hash, visit->query);
    hash = hash_text(hash, buf_data(&style));
    buf_free(&style);
    static const char begin[] = "\"m" MODEL_VERSION "-c";
    char hex[TEXT_HEX_SIZE], as_of[NUMBER_SIZE];
    text_print_hex(hash, hex);
    number_fixed(as_of, call->as_of, 0);
    reply_header(reply, "ETag", "%s",
                 arena_join(call->arena, begin, call->catalog->version, "-", call->catalog->birth,
                            "-", as_of, "-", hex, "-", format_suffix(visit->format), "\""));
}

static void cache_headers(const struct visit *visit, struct reply *reply)
{
    if (visit->call.resource->writes) {
        reply_header(reply, "Cache-Control", "no-store");
        return;
    }
    /* Only a price observed on a past day can still change its answers, which is rare. */
    bool past = visit->call.as_of < visit->call.today;

    reply_header(reply, "Cache-Control",
                 past ? "public, max-age=86400, stale-while-revalidate=2592000, "
                        "stale-if-error=31536000"
                      : "public, max-age=300, stale-while-revalidate=3600, "
                        "stale-if-error=86400");
    reply_header(reply, "Vary", visit->suffix ? "Accept-Encoding" : "Accept, Accept-Encoding");
    reply_header(reply, "Link",
                 "</openapi.json>; rel=\"service-desc\", </docs>; rel=\"service-doc\"");
    char date[11];
    text_print_day(visit->call.as_of, date);
    const char *name = visit->call.resource->name;
    reply_header(
        reply, "Content-Disposition", "%s",
        arena_join(visit->call.arena, visit->call.common.download == 1 ? "attachment" : "inline",
                   "; filename=\"", name, "-", date, ".", format_suffix(visit->format), "\""));
}

/* Keep only the table a path such as /line-items asks for. */
static void project(struct visit *visit)
{
    struct answer *answer = &visit->call.answer;

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
    const struct common *common = &visit->call.common;
    const char *dialect = common->dialect;
    struct style style = {
        .field = common->field,
        .fields = common->fields,
        .no_header = common->header == 0,
        .long_layout = strcmp(common->layout, "long") == 0,
        .dialect = strcmp(dialect, "excel-eu") == 0   ? DIALECT_EXCEL_EU
                   : strcmp(dialect, "excel-us") == 0 ? DIALECT_EXCEL_US
                                                      : DIALECT_RFC4180,
        /* tables that are picked anew are not known again by their address */
        .fragments = common->fields
                         ? NULL
                         : json_fragments_of(visit->api->fragments, visit->call.request->worker),
    };

    reply->content_type = format_type(visit->format);
    return answer_write(&visit->call.answer, visit->format, &style, &reply->body, err);
}

static bool compute(struct visit *visit, struct reply *reply, struct err *err)
{
    struct call *call = &visit->call;

    query_start(call);
    call->project = visit->route->project;
    call->drawn = visit->format == FORMAT_SVG;
    call->page_chosen =
        params_find(&visit->params, "limit") || params_find(&visit->params, "cursor");
    call->paged = visit->format == FORMAT_JSON || visit->format == FORMAT_XML ||
                  visit->format == FORMAT_HTML || params_find(&visit->params, "limit");
    bool answered =
        !cancelled(call->cancel) && call->resource->answer(call, call->inputs.values, err);
    if (cancelled(call->cancel))
        return call_refuse_cancelled(call, visit->api->with.calculation_s, err);
    if (!answered)
        return false;
    if (call->status)
        reply->status = call->status;
    if (call->location)
        reply_header(reply, "Location", "%s", call->location);
    if (reply->status == 204)
        return true;
    project(visit);
    if (resource_is_list(call->resource) && !list_apply(call, err))
        return false;
    currency_finish(call);
    call->answer.inputs = call->inputs;
    if (!call->resource->writes)
        links_add(call, &(struct link_source){visit->path, visit->query, visit->route->page,
                                              &visit->params, visit->format});
    return list_pick(call, visit->format, err) && write_reply(visit, reply, err);
}

/* Who answers in this thread's stead, if anybody. */
static enum defer defer_to(const struct call *call)
{
    const struct resource *resource = call->resource;

    if (!call->request->can_defer)
        return DEFER_NOT;
    if (resource->writes)
        return DEFER_WRITE;
    return call_cost(call) == COST_NONE ? DEFER_NOT : DEFER_COMPUTE;
}

/* Whether a link was answered by formulas that are no longer here. */
static bool is_earlier(const struct visit *visit)
{
    enum method method = visit->call.request->method;

    return (method == METHOD_GET || method == METHOD_HEAD) &&
           pinned_is_earlier(params_find(&visit->params, "model_version"));
}

/* Nothing but the format is decoded: the tables may no longer take what was asked. */
static bool answer_earlier(struct visit *visit, struct reply *reply, struct err *err)
{
    visit->call.common.format = params_find(&visit->params, "format");
    if (!choose_format(visit, err))
        return false;
    reply->format = format_suffix(visit->format);
    struct pinned pinned = {visit->path, &visit->params, visit->format};
    return pinned_answer(visit->api->with.archive, &pinned, &visit->call, reply, err);
}

static bool answer_visit(struct visit *visit, struct reply *reply, struct err *err)
{
    struct call *call = &visit->call;

    visit->suffix = route_take_suffix(visit->path, &visit->format);
    if (!find_route(visit, err) || !check_method(visit, reply, err))
        return false;
    reply->route = visit->route->path;
    if (!admit_call(call, visit->api->with.access, err))
        return false;
    if (!call->catalog)
        return err_set(err, ERR_UNAVAILABLE, "the catalogue is not loaded yet: try again shortly");
    if (!params_read_query(&visit->params, call->request->query, call->arena, err) ||
        !read_body(visit, err))
        return false;
    if (is_earlier(visit))
        return answer_earlier(visit, reply, err);
    if (!query_decode(call, &visit->params, err) || !query_check(call, err) ||
        !choose_format(visit, err) || !check_drawable(visit, err))
        return false;
    reply->format = format_suffix(visit->format);
    visit->query = question_query(visit);
    cache_headers(visit, reply);
    reply->keep = !call->resource->writes;
    if (call->request->method == METHOD_GET || call->request->method == METHOD_HEAD) {
        tag(visit, reply);
        if (reply_not_modified(call->request, reply))
            return true;
    }
    reply->deferred = defer_to(call);
    reply->is_long = call_cost(call) == COST_LONG;
    if (reply->deferred)
        return true;
    if (!compute(visit, reply, err))
        return false;
    struct pinned pinned = {visit->path, &visit->params, visit->format};
    pinned_keep(visit->api->with.archive, &pinned, call, reply);
    return true;
}

/* What a spreadsheet asked to see in its cell instead of an error. */
static bool wants_text(const struct visit *visit)
{
    const char *on_error = params_find(&visit->params, "on_error");

    /* A change that was not made must not look like one that was. */
    if (visit->call.resource && visit->call.resource->writes)
        return false;
    return on_error && strcmp(on_error, "text") == 0 &&
           (visit->format == FORMAT_TEXT || visit->format == FORMAT_CSV);
}

/* Whether a page was asked for, as far as the question could be read. */
static bool wants_page(const struct visit *visit)
{
    const char *name = params_find(&visit->params, "format");
    enum format format = visit->format;
    struct err refused;

    if (visit->suffix)
        return format == FORMAT_HTML;
    if (name)
        return format_find(name, strlen(name), &format) && format == FORMAT_HTML;
    return accept_choose(visit->call.request->accept, &format, &refused) && format == FORMAT_HTML;
}

/* The form of the page with the same inputs, where the question has one. */
static const char *form_of(const struct visit *visit, const char *query)
{
    const struct request *request = visit->call.request;
    const char *page = visit->route ? visit->route->page : NULL;

    if (!page || request->method == METHOD_POST)
        return NULL;
    return arena_print(visit->call.arena, "%s?%s", page, query ? query : request->query);
}

static void reply_error(struct visit *visit, struct err *err, struct reply *reply)
{
    struct reply fresh;
    const char *allow = reply_get_header(reply, "Allow"),
               *query = pinned_current(&visit->params, visit->call.arena);

    reply_init(&fresh);
    fresh.route = reply->route;
    fresh.format = reply->format;
    if (allow)
        reply_header(&fresh, "Allow", "%s", allow);
    if (visit->params.from_body)
        problem_point_into_body(err, &visit->params);
    if (wants_text(visit))
        problem_reply_text(err, &fresh);
    else if (wants_page(visit))
        problem_reply_page(err, visit->call.request, form_of(visit, query), &fresh);
    else
        problem_reply(err, visit->call.request,
                      query ? arena_join(visit->call.arena, visit->call.request->path, "?", query)
                            : NULL,
                      &fresh);
    reply_free(reply);
    *reply = fresh;
}

/* What was to be changed, in characters that are safe in a log. */
static const char *target_of(const struct call *call, const struct reply *reply)
{
    const char *location = reply_get_header(reply, "Location"), *name = call->path_name;

    if (location)
        return location;
    return name && name[0] && strspn(name, "0123456789") == strlen(name) ? name : "-";
}

/* Who wanted to change what, and what came of it. Addresses are those that were read as such, the
 * client's on the word of the proxy it came by. */
static void audit(const struct visit *visit, const struct reply *reply)
{
    const struct call *call = &visit->call;
    const char *who = call->writer && call->writer[0] ? call->writer : "-";

    if (call->resource && call->resource->writes && !reply->deferred)
        log_write(
            LOG_AUDIT, "write",
            "id=%s who=%s from=%s%s%s method=%s route=%s target=%.64s status=%d", call->request->id,
            who, call->request->client, call->request->via[0] ? " via=" : "", call->request->via,
            call->request->method_name, visit->route->path, target_of(call, reply), reply->status);
}

/* Everything a request needs lives in its arena; the catalogue is held until the reply is
 * written. A deferred request comes twice and is read anew: the catalogue may be another. */
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
    visit->call.request = request;
    visit->call.arena = &arena;
    visit->api = api;
    visit->call.found = training_search_cache_of(api->found, request->worker);
    if (api->with.parallel)
        visit->parallel = *api->with.parallel;
    visit->parallel.cancel = visit->call.cancel = request->cancel;
    visit->call.parallel = api->with.parallel ? &visit->parallel : NULL;
    visit->call.quotes = api->with.quotes;
    visit->call.today = clock_today();
    visit->call.catalog = live_enter(api->with.live, request->worker);
    if (!price_metrics_answer(&visit->call, reply) && !answer_visit(visit, reply, &err))
        reply_error(visit, &err, reply);
    audit(visit, reply);
    live_exit(api->with.live, request->worker);
    arena_free(&arena);
}
