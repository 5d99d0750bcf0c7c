/* openapi.c - the OpenAPI 3.1 document, written from the route and field tables. */
#include "answer/value.h"
#include "api/resource/decode.h"
#include "api/router.h"
#include "api/routes/routes.h"
#include "api/resource/version.h"

#include <math.h>
#include <string.h>

enum { REFERENCES_MAX = 64 * 1024 };

static void member(struct buf *out, const char *name, const char *text)
{
    buf_print(out, "\"%s\": ", name);
    value_json_text(out, text);
}

static const char *json_type(const struct field *field, bool coming_in)
{
    if (field_is_text(field))
        return "string";
    if (field->type == FIELD_FLAG)
        return coming_in ? "integer" : "boolean";
    if (field->type == FIELD_COUNT)
        return "integer";
    return "number";
}

static void choices(struct buf *out, const char *words)
{
    buf_text(out, ", \"enum\": [");
    for (const char *p = words; *p;) {
        size_t n = strcspn(p, " ");
        buf_print(out, "%s\"%.*s\"", p == words ? "" : ", ", (int)n, p);
        p += n + (p[n] == ' ');
    }
    buf_char(out, ']');
}

/* A literal default; what the estimate or the catalogue chooses is described instead. */
static void fallback(struct buf *out, const struct field *field)
{
    const char *text = field->fallback;

    if (!text[0] || strcmp(text, "required") == 0)
        return;
    if (strcmp(text, "auto") == 0 || text[0] == '@') {
        buf_text(out, ", ");
        member(out, "x-default", text[0] == '@' ? "assumption" : "auto");
        return;
    }
    buf_text(out, ", \"default\": ");
    if (field_is_text(field))
        value_json_text(out, text);
    else
        buf_text(out, text);
}

static void schema(struct buf *out, const struct field *field, bool coming_in)
{
    if (coming_in)
        buf_print(out, "{\"type\": \"%s\"", json_type(field, true));
    else
        buf_print(out, "{\"type\": [\"%s\", \"null\"]", json_type(field, false));
    if (field->type == FIELD_DATE)
        buf_text(out, ", \"format\": \"date\"");
    if (coming_in && field->type == FIELD_CHOICE)
        choices(out, field->choices);
    if (coming_in && isfinite(field->min))
        buf_print(out, ", \"minimum\": %.15g", field->min);
    if (coming_in && isfinite(field->max))
        buf_print(out, ", \"%s\": %.15g", field_is_text(field) ? "maxLength" : "maximum",
                  field->max);
    if (coming_in)
        fallback(out, field);
    if (field->unit[0]) {
        char unit[UNIT_SIZE];
        buf_text(out, ", ");
        member(out, "x-unit", value_unit(field->unit, "currency", unit));
    }
    buf_text(out, ", ");
    member(out, "description", field->sentence);
    buf_char(out, '}');
}

static void parameter(struct buf *out, const struct field *field, bool first)
{
    buf_text(out, first ? "\n    {" : ",\n    {");
    member(out, "name", field->name);
    buf_text(out, ", \"in\": \"query\", ");
    if (strcmp(field->fallback, "required") == 0)
        buf_text(out, "\"required\": true, ");
    member(out, "description", field->sentence);
    buf_text(out, ", \"schema\": ");
    schema(out, field, true);
    buf_char(out, '}');
}

static void parameter_references(struct buf *out, struct fields fields, const char *group)
{
    for (size_t i = 0; i < fields.n; i++)
        buf_print(out, ",\n    {\"$ref\": \"#/components/parameters/%s_%s\"}", group,
                  fields.at[i].name);
}

static void path_parameter(struct buf *out, const char *path)
{
    const char *brace = strchr(path, '{');

    buf_text(out, "\n    {");
    if (brace) {
        buf_print(out, "\"name\": \"%.*s\", \"in\": \"path\", \"required\": true, ",
                  (int)strcspn(brace + 1, "}"), brace + 1);
        buf_text(out, "\"description\": \"Its name, as the list gives it\", "
                      "\"schema\": {\"type\": \"string\"}}");
    }
}

static void parameters(struct buf *out, const struct route *route, const struct resource *resource)
{
    bool first = true;

    buf_text(out, "\"parameters\": [");
    if (strchr(route->path, '{')) {
        path_parameter(out, route->path);
        first = false;
    }
    for (size_t i = 0; i < resource->in->n; i++) {
        parameter(out, &resource->in->at[i], first);
        first = false;
    }
    struct buf rest;
    buf_init(&rest, REFERENCES_MAX);
    if (!resource->writes)
        parameter_references(&rest, common_fields, "common");
    if (!resource->writes && resource_is_list(resource))
        parameter_references(&rest, list_fields, "list");
    buf_text(out, buf_data(&rest) + (first ? 1 : 0));
    buf_free(&rest);
    buf_text(out, "\n  ]");
}

static const char problems[] =
    ", \"400\": {\"$ref\": \"#/components/responses/problem\"}, \"default\": "
    "{\"$ref\": \"#/components/responses/problem\"}}";

static void responses(struct buf *out, const struct route *route, const struct resource *resource,
                      int status)
{
    const char *name = route->project ? route->project : resource->name;

    buf_print(out, "\"responses\": {\"%d\": {\"description\": \"The answer\", \"content\": {",
              status);
    buf_print(out,
              "\"application/json\": {\"schema\": {\"$ref\": \"#/components/schemas/%s%s%s\"}}",
              resource->name, route->project ? "_" : "", route->project ? name : "");
    for (int i = FORMAT_CSV; i < FORMAT_SVG; i++) {
        const char *type = format_type((enum format)i);
        buf_print(out, ", \"%.*s\": {\"schema\": {\"type\": \"string\"}}", (int)strcspn(type, ";"),
                  type);
    }
    buf_char(out, '}');
    if (!resource->writes)
        buf_text(out, ", \"headers\": {\"Gpuplan-Archived\": {\"$ref\": "
                      "\"#/components/headers/archived\"}}}, \"410\": {\"$ref\": "
                      "\"#/components/responses/gone\"");
    buf_char(out, '}');
    buf_text(out, problems);
}

/* The method and the path's words: get_v1_break_even_series. */
static void operation_id(struct buf *out, const char *method, const char *path)
{
    buf_print(out, "\"operationId\": \"%s", method);
    for (const char *p = path; *p; p++)
        if (*p == '/' || *p == '-')
            buf_char(out, '_');
        else if (*p != '{' && *p != '}')
            buf_char(out, *p);
    buf_text(out, "\", ");
}

static void request_body(struct buf *out, const struct resource *resource)
{
    if (resource->body_is_model)
        buf_text(out, "\"requestBody\": {\"required\": true, \"content\": {\"application/json\": "
                      "{\"schema\": {\"type\": \"object\", \"description\": \"A Hugging Face "
                      "config.json, verbatim\"}}}}, ");
    else
        buf_print(out,
                  "\"requestBody\": {\"required\": true, \"content\": {\"application/json\": "
                  "{\"schema\": {\"$ref\": \"#/components/schemas/%s_request\"}}}}, ",
                  resource->name);
}

static void begin_operation(struct buf *out, const char *method, const struct route *route,
                            const struct resource *resource)
{
    buf_print(out, "\"%s\": {", method);
    operation_id(out, method, route->path);
    member(out, "summary", resource->summary);
    buf_text(out, ", ");
    if (resource->writes)
        buf_text(out, "\"security\": [{\"token\": []}], ");
}

static void get_operation(struct buf *out, const struct route *route)
{
    begin_operation(out, "get", route, route->resource);
    parameters(out, route, route->resource);
    buf_print(out, ", \"x-headline\": \"%s\", ", route_headline(route));
    responses(out, route, route->resource, 200);
    buf_char(out, '}');
}

static void post_operation(struct buf *out, const struct route *route)
{
    const struct resource *resource = route->post;

    begin_operation(out, "post", route, resource);
    if (resource->writes)
        buf_text(out, "\"parameters\": [\n    {\"name\": \"Idempotency-Key\", \"in\": \"header\", "
                      "\"required\": false, \"description\": \"Sent again with the same body it is "
                      "answered with the quote it made first, and makes no second\", "
                      "\"schema\": {\"type\": \"string\", \"maxLength\": 255}}\n  ], ");
    request_body(out, resource);
    buf_print(out, "\"x-headline\": \"%s\", ", resource->headline);
    responses(out, route, resource, resource->writes ? 201 : 200);
    buf_char(out, '}');
}

static void put_operation(struct buf *out, const struct route *route)
{
    const struct resource *resource = route->resource->put;

    begin_operation(out, "put", route, resource);
    buf_text(out, "\"parameters\": [");
    path_parameter(out, route->path);
    buf_text(out, "\n  ], ");
    request_body(out, resource);
    responses(out, route, resource, 200);
    buf_char(out, '}');
}

static void delete_operation(struct buf *out, const struct route *route)
{
    begin_operation(out, "delete", route, route->resource->remove);
    parameters(out, route, route->resource->remove);
    buf_text(out, ", \"responses\": {\"204\": {\"description\": \"Done\"}");
    buf_text(out, problems);
    buf_char(out, '}');
}

/* Whether the document tells of the route: `only` of it, NULL of all. */
static bool is_told(const struct route *route, const struct route *only)
{
    return !only || route == only;
}

static void paths(struct buf *out, const struct route *only)
{
    static const char next[] = ",\n  ";
    bool first = true;

    buf_text(out, "\"paths\": {");
    for (size_t i = 0; i < n_routes; i++) {
        if (!is_told(&routes[i], only))
            continue;
        buf_text(out, first ? "\n" : ",\n");
        first = false;
        value_json_text(out, routes[i].path);
        buf_text(out, ": {");
        get_operation(out, &routes[i]);
        if (routes[i].post) {
            buf_text(out, next);
            post_operation(out, &routes[i]);
        }
        if (routes[i].resource->put) {
            buf_text(out, next);
            put_operation(out, &routes[i]);
        }
        if (routes[i].resource->remove) {
            buf_text(out, next);
            delete_operation(out, &routes[i]);
        }
        buf_char(out, '}');
    }
    buf_text(out, "\n}");
}

static void properties(struct buf *out, struct fields fields, bool coming_in, bool *first)
{
    for (size_t i = 0; i < fields.n; i++) {
        buf_text(out, *first ? "\n    " : ",\n    ");
        *first = false;
        value_json_text(out, fields.at[i].name);
        buf_text(out, ": ");
        schema(out, &fields.at[i], coming_in);
    }
}

static void table_property(struct buf *out, const struct resource_table *table, bool *first)
{
    buf_text(out, *first ? "\n    " : ",\n    ");
    *first = false;
    value_json_text(out, table->name);
    buf_text(out, ": {\"type\": \"array\", ");
    member(out, "description", table->sentence);
    buf_text(out, ", \"items\": {\"type\": \"object\", \"properties\": {");
    bool first_field = true;
    properties(out, *table->fields, false, &first_field);
    buf_text(out, "}}}");
}

static void request_schema(struct buf *out, const struct resource *resource)
{
    bool first = true;

    buf_print(out,
              ",\n  \"%s_request\": {\"type\": \"object\", \"additionalProperties\": false, "
              "\"properties\": {",
              resource->name);
    properties(out, *resource->in, true, &first);
    if (!resource->writes)
        properties(out, common_fields, true, &first);
    if (resource->takes_model_config)
        buf_text(out, ",\n    \"model_config\": {\"type\": \"object\", \"description\": "
                      "\"A Hugging Face config.json, verbatim\"}");
    buf_text(out, "}}");
}

/* What inputs, warnings and links look like in every answer. */
static const char footer[] =
    ",\n    \"inputs\": {\"type\": \"object\", \"additionalProperties\": {\"type\": \"object\"}},"
    "\n    \"warnings\": {\"type\": \"array\", \"items\": {\"type\": \"object\"}},"
    "\n    \"links\": {\"type\": \"object\", \"additionalProperties\": {\"type\": \"string\"}}}}";

/* What a list has besides its rows. */
static const char list_properties[] =
    ",\n    \"count\": {\"type\": \"number\", \"description\": \"Rows in all, with count=1\"},"
    "\n    \"next_cursor\": {\"type\": \"string\", \"description\": \"Cursor of the next page, "
    "where "
    "there is one\"}";

/* `project`: only that table, NULL the whole answer. */
static void answer_schema(struct buf *out, const struct resource *resource, const char *project)
{
    bool first = true;

    buf_print(out, ",\n  \"%s%s%s\": {\"type\": \"object\", \"properties\": {", resource->name,
              project ? "_" : "", project ? project : "");
    if (resource->out && !project)
        properties(out, *resource->out, false, &first);
    properties(out, answer_meta_fields, false, &first);
    for (size_t i = 0; i < RESOURCE_TABLES_MAX && resource->tables[i].name; i++)
        if (!project || strcmp(project, resource->tables[i].name) == 0)
            table_property(out, &resource->tables[i], &first);
    if (resource_is_list(resource))
        buf_text(out, list_properties);
    buf_text(out, footer);
}

static bool first_of_resource(size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (routes[j].resource == routes[i].resource)
            return false;
    return true;
}

static const char problem_schema[] =
    "\"problem\": {\"type\": \"object\", \"required\": [\"type\", \"title\", \"status\"], "
    "\"properties\": {\"type\": {\"type\": \"string\"}, \"title\": {\"type\": \"string\"}, "
    "\"status\": {\"type\": \"integer\"}, \"detail\": {\"type\": \"string\"}, "
    "\"instance\": {\"type\": \"string\"}, \"links\": {\"type\": \"object\", "
    "\"additionalProperties\": {\"type\": \"string\"}}, \"errors\": {\"type\": \"array\", "
    "\"items\": {\"type\": \"object\"}}}}";

static void components(struct buf *out, const struct route *only)
{
    buf_text(out, "\"components\": {\"schemas\": {\n  ");
    buf_text(out, problem_schema);
    for (size_t i = 0; i < n_routes; i++) {
        const struct resource *put = routes[i].resource->put;
        if (!is_told(&routes[i], only))
            continue;
        answer_schema(out, routes[i].resource, routes[i].project);
        if (only && only->post && only->post != only->resource)
            answer_schema(out, only->post, NULL);
        if (put) {
            answer_schema(out, put, NULL);
            request_schema(out, put);
        }
        if (routes[i].post && !routes[i].post->body_is_model && (only || first_of_resource(i)))
            request_schema(out, routes[i].post);
    }
    buf_text(out, "\n}, \"parameters\": {");
    for (size_t i = 0; i < common_fields.n + list_fields.n; i++) {
        bool common = i < common_fields.n;
        const struct field *field =
            common ? &common_fields.at[i] : &list_fields.at[i - common_fields.n];
        buf_print(out, "%s\n  \"%s_%s\": {", i ? "," : "", common ? "common" : "list", field->name);
        member(out, "name", field->name);
        buf_text(out, ", \"in\": \"query\", ");
        member(out, "description", field->sentence);
        buf_text(out, ", \"schema\": ");
        schema(out, field, true);
        buf_char(out, '}');
    }
    buf_text(
        out,
        "\n}, \"headers\": {\"archived\": {\"description\": \"Of a link pinned to an earlier "
        "model_version: when the reply, which comes from the archive byte for byte, was "
        "stored\", \"schema\": {\"type\": \"string\", \"format\": \"date-time\"}}}, "
        "\"responses\": {\"gone\": {\"description\": \"The link is pinned to an earlier "
        "model_version and its reply was never archived; links.current asks the same of "
        "today's formulas\", \"content\": {\"application/problem+json\": {\"schema\": "
        "{\"$ref\": \"#/components/schemas/problem\"}}, \"text/html\": {\"schema\": "
        "{\"type\": \"string\"}}}}, \"problem\": {\"description\": \"What was wrong, RFC 9457\", "
        "\"content\": {\"application/problem+json\": {\"schema\": {\"$ref\": "
        "\"#/components/schemas/problem\"}}, \"text/html\": {\"schema\": {\"type\": "
        "\"string\"}}}}}, \"securitySchemes\": {\"token\": {\"type\": "
        "\"http\", \"scheme\": \"bearer\"}}}");
}

static void document(struct buf *out, const struct route *only)
{
    buf_text(out, "{\"openapi\": \"3.1.0\",\n\"info\": {\"title\": \"gpuplan\", ");
    member(out, "version", MODEL_VERSION);
    buf_text(out, ", \"license\": {\"name\": \"Apache-2.0\", \"identifier\": \"Apache-2.0\"}, ");
    member(out, "description",
           "What it takes to train a model, to serve it, and whether to buy or rent. Every path "
           "also takes the suffixes .json .csv .tsv .xml .txt and .html.");
    buf_text(out, "},\n\"servers\": [{\"url\": \"/\"}],\n\"security\": [],\n");
    paths(out, only);
    buf_text(out, ",\n");
    components(out, only);
    buf_text(out, "}\n");
}

void api_openapi(struct buf *out)
{
    document(out, NULL);
}

bool api_openapi_of(const char *path, size_t length, struct buf *out)
{
    for (size_t i = 0; i < n_routes; i++)
        if (strlen(routes[i].path) == length && memcmp(routes[i].path, path, length) == 0) {
            document(out, &routes[i]);
            return true;
        }
    return false;
}
