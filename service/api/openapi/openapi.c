#include "api/openapi/openapi.h"

#include "answer/value.h"
#include "api/openapi/writer.h"
#include "api/resource/decode.h"
#include "api/resource/version.h"

#include <string.h>

/* A request from api/examples as an inline example: client generators mistake an externalValue for
 * a file. */
static const struct example {
    const char *name, *path;
    enum format format;
    const char *query, *summary;
} examples[] = {
#define EXAMPLE(name, path, format, query, summary) {name, path, FORMAT_##format, query, summary},
#define BODY(name, path, summary, ...)
#include "api/openapi/examples.def"
#undef BODY
#undef EXAMPLE
};
enum { N_EXAMPLES = sizeof(examples) / sizeof(examples[0]) };

/* A request body from api/examples. */
static const struct body {
    const char *name, *path, *json, *summary;
} bodies[] = {
#define EXAMPLE(name, path, format, query, summary)
#define BODY(name, path, summary, ...) {name, path, #__VA_ARGS__, summary},
#include "api/openapi/examples.def"
#undef BODY
#undef EXAMPLE
};
enum { N_BODIES = sizeof(bodies) / sizeof(bodies[0]) };

static const struct tag {
    const char *name, *about;
} tags[] = {
    {"Catalogue", "GPUs, models, defaults and their changes, each with its source"},
    {"Prices", "What GPUs cost to rent and to buy, and the exchange rates"},
    {"Quotes", "The team's own vendor quotes"},
    {"Training", "What it takes to train or fine-tune a model"},
    {"Inference", "What it takes to serve a model"},
    {"Buy or rent", "What buying and renting GPUs cost, and when buying becomes cheaper"},
    {"Recommendation", "From workloads and limits to a shortlist"},
    {"Comparison", "Two answers side by side"},
};

static void path_parameter(struct buf *out, const char *path)
{
    const char *brace = strchr(path, '{') + 1;
    char name[32] = "";

    memcpy(name, brace, strcspn(brace, "}"));
    buf_print(out, "\n    {\"name\": \"%s\", \"in\": \"path\", \"required\": true, ", name);
    buf_text(out, "\"schema\": {\"type\": \"string\", ");
    writer_label(out, name, true);
    buf_text(out, "\"description\": \"Its name, as the list gives it\"}}");
}

static void parameter_references(struct writer *to, struct fields fields, const char **before)
{
    for (size_t i = 0; i < fields.n; i++) {
        buf_print(to->out, "%s\n    ", *before);
        *before = ",";
        writer_parameter(to, &fields.at[i]);
    }
}

static void parameters(struct writer *to, const struct route *route,
                       const struct resource *resource)
{
    const char *before = "";

    buf_text(to->out, "\"parameters\": [");
    if (strchr(route->path, '{')) {
        path_parameter(to->out, route->path);
        before = ",";
    }
    parameter_references(to, *resource->in, &before);
    if (!resource->writes)
        parameter_references(to, common_fields, &before);
    if (!resource->writes && resource_is_list(resource))
        parameter_references(to, list_fields, &before);
    buf_text(to->out, "\n  ], ");
}

static void content(struct writer *to, const struct route *answer)
{
    const char *before = "";

    to->answers[answer - routes] = true;
    buf_text(to->out, "\"content\": {");
    for (int i = FORMAT_JSON; i < FORMAT_SVG; i++) {
        const char *type = answer_format_type((enum format)i), *first = ", \"examples\": {";
        buf_print(to->out, "%s\"%.*s\": {\"schema\": ", before, (int)strcspn(type, ";"), type);
        before = ", ";
        if (i == FORMAT_JSON)
            writer_reference(to->out, "schemas", answer->noun);
        else if (i == FORMAT_XLSX)
            buf_text(to->out, "{\"type\": \"string\", \"format\": \"binary\"}");
        else
            buf_text(to->out, "{\"type\": \"string\"}");
        for (size_t j = 0; j < N_EXAMPLES; j++) {
            if (examples[j].format != (enum format)i || strcmp(examples[j].path, answer->path) != 0)
                continue;
            buf_print(to->out, "%s\"%s\": ", first, examples[j].name);
            first = ", ";
            writer_reference(to->out, "examples", examples[j].name);
        }
        buf_text(to->out, first[2] ? "}" : "}}");
    }
    buf_char(to->out, '}');
}

static const char problems[] = ", \"400\": {\"$ref\": \"#/components/responses/Problem\"}, "
                               "\"default\": {\"$ref\": \"#/components/responses/Problem\"}}";

static void responses(struct writer *to, const struct route *route, const struct resource *resource,
                      int status)
{
    /* The route whose fields the answer has: the path's own if it is for one table. */
    const struct route *answer = route->project ? route : components_answer(resource);

    buf_print(to->out, "\"responses\": {\"%d\": ", status);
    if (resource->writes) {
        buf_text(to->out, "{\"description\": \"The answer\", ");
        content(to, answer);
        buf_char(to->out, '}');
    } else {
        to->responses[answer - routes] = true;
        writer_reference(to->out, "responses", answer->noun);
        buf_text(to->out, ", \"410\": {\"$ref\": \"#/components/responses/Gone\"}");
    }
    buf_text(to->out, problems);
}

static void begin_operation(struct writer *to, const char *method, const char *verb,
                            const char *noun, const struct route *route,
                            const struct resource *resource)
{
    struct buf *out = to->out;
    size_t length = strlen(resource->summary);
    const char *summary =
        resource == route->resource ? route_summary(route, &length) : resource->summary;

    buf_print(out, "\"%s\": {\"operationId\": \"%s%s\", \"tags\": [\"%s\"], ", method, verb, noun,
              route->tag);
    writer_member(out, "summary", arena_print(&to->arena, "%.*s", (int)length, summary));
    buf_text(out, ", ");
    if (resource->writes)
        buf_text(out, "\"security\": [{\"token\": []}], ");
}

static void get_operation(struct writer *to, const struct route *route)
{
    bool lists = route->project || !route->resource->out;

    begin_operation(to, "get", lists ? "list" : "get", route->noun, route, route->resource);
    parameters(to, route, route->resource);
    buf_print(to->out, "\"x-headline\": \"%s\", ", route_headline(route));
    responses(to, route, route->resource, 200);
    buf_char(to->out, '}');
}

static void request_body(struct writer *to, const struct route *request)
{
    to->bodies[request - routes] = true;
    buf_text(to->out, "\"requestBody\": ");
    writer_reference(to->out, "requestBodies", writer_body_name(to, request));
    buf_text(to->out, ", ");
}

static void idempotency_parameter(struct buf *out)
{
    buf_text(out, "\"parameters\": [\n    {\"name\": \"Idempotency-Key\", \"in\": \"header\", "
                  "\"schema\": {\"type\": \"string\", \"maxLength\": 255, ");
    writer_label(out, "idempotency_key", true);
    buf_text(
        out,
        "\"description\": \"A request repeated with the same key and body gets the reply of the "
        "first one and changes nothing\"}}\n  ], ");
}

static void post_operation(struct writer *to, const struct route *route)
{
    const struct resource *resource = route->post;
    const char *verb = resource->writes          ? "create"
                       : resource->body_is_model ? "describe"
                                                 : "calculate";
    const char *noun =
        resource == route->resource ? route->noun : components_pascal(&to->arena, resource->name);

    begin_operation(to, "post", verb, noun, route, resource);
    if (resource->writes)
        idempotency_parameter(to->out);
    request_body(to, components_request(resource));
    buf_print(to->out, "\"x-headline\": \"%s\", ", resource->headline);
    responses(to, route, resource, resource->writes ? 201 : 200);
    buf_char(to->out, '}');
}

static void put_operation(struct writer *to, const struct route *route)
{
    const struct resource *resource = route->resource->put;

    begin_operation(to, "put", "replace", route->noun, route, resource);
    buf_text(to->out, "\"parameters\": [");
    path_parameter(to->out, route->path);
    buf_text(to->out, "\n  ], ");
    request_body(to, route);
    responses(to, route, resource, 200);
    buf_char(to->out, '}');
}

static void delete_operation(struct writer *to, const struct route *route)
{
    begin_operation(to, "delete", "delete", route->noun, route, route->resource->remove);
    parameters(to, route, route->resource->remove);
    buf_text(to->out, "\"responses\": {\"204\": {\"description\": \"Done\"}");
    buf_text(to->out, problems);
    buf_char(to->out, '}');
}

static void path(struct writer *to, const struct route *route)
{
    static const char next[] = ",\n  ";

    value_json_text(to->out, route->path);
    buf_text(to->out, ": {");
    get_operation(to, route);
    if (route->post) {
        buf_text(to->out, next);
        post_operation(to, route);
    }
    if (route->resource->put) {
        buf_text(to->out, next);
        put_operation(to, route);
    }
    if (route->resource->remove) {
        buf_text(to->out, next);
        delete_operation(to, route);
    }
    buf_char(to->out, '}');
}

/* Write the path `only`, or all if NULL. */
static void paths(struct writer *to, const struct route *only)
{
    const char *before = "";

    buf_text(to->out, "\"paths\": {");
    for (size_t i = 0; i < n_routes; i++) {
        if (only && only != &routes[i])
            continue;
        buf_print(to->out, "%s\n", before);
        before = ",";
        path(to, &routes[i]);
    }
    buf_text(to->out, "\n}");
}

static const char problem_responses[] =
    "\n  \"Gone\": {\"description\": \"The link is pinned to an earlier model_version and its "
    "reply was never archived; links.current asks the same of today's formulas\", \"content\": "
    "{\"application/problem+json\": {\"schema\": {\"$ref\": \"#/components/schemas/Problem\"}}, "
    "\"text/html\": {\"schema\": {\"type\": \"string\"}}}},"
    "\n  \"Problem\": {\"description\": \"What was wrong, RFC 9457\", \"content\": "
    "{\"application/problem+json\": {\"schema\": {\"$ref\": \"#/components/schemas/Problem\"}}, "
    "\"text/html\": {\"schema\": {\"type\": \"string\"}}}}";

static void response_components(struct writer *to)
{
    buf_text(to->out, "\"responses\": {");
    buf_text(to->out, problem_responses);
    for (size_t i = 0; i < n_routes; i++) {
        if (!to->responses[i])
            continue;
        buf_print(to->out, ",\n  \"%s\": {\"description\": \"The answer\", ", routes[i].noun);
        content(to, &routes[i]);
        buf_text(to->out, ", \"headers\": {\"Gpuplan-Archived\": {\"$ref\": "
                          "\"#/components/headers/Gpuplan-Archived\"}}}");
    }
    buf_text(to->out, "\n}");
}

static void body_component(struct writer *to, const struct route *request)
{
    const char *first = ", \"examples\": {";

    buf_text(to->out, "{\"required\": true, \"content\": {\"application/json\": {\"schema\": ");
    if (request->post && request->post->body_is_model)
        writer_reference(to->out, "schemas", "model_config");
    else
        writer_reference(to->out, "schemas", writer_body_name(to, request));
    for (size_t i = 0; i < N_BODIES; i++) {
        if (strcmp(bodies[i].path, request->path) != 0)
            continue;
        buf_print(to->out, "%s\"%s\": ", first, bodies[i].name);
        first = ", ";
        writer_reference(to->out, "examples", bodies[i].name);
    }
    buf_text(to->out, first[2] ? "}}}" : "}}}}");
}

static void body_components(struct writer *to)
{
    const char *before = "";

    buf_text(to->out, "\"requestBodies\": {");
    for (size_t i = 0; i < n_routes; i++) {
        if (!to->bodies[i])
            continue;
        buf_print(to->out, "%s\n  \"%s\": ", before, writer_body_name(to, &routes[i]));
        before = ",";
        body_component(to, &routes[i]);
    }
    buf_text(to->out, "\n}");
}

static bool is_shown(const char *path, const bool *shown)
{
    for (size_t i = 0; i < n_routes; i++)
        if (shown[i] && strcmp(routes[i].path, path) == 0)
            return true;
    return false;
}

static void example_components(struct writer *to)
{
    const char *before = "";

    buf_text(to->out, "\"examples\": {");
    for (size_t i = 0; i < N_EXAMPLES; i++) {
        const struct example *each = &examples[i];
        if (!is_shown(each->path, to->answers))
            continue;
        buf_print(to->out, "%s\n  \"%s\": {", before, each->name);
        before = ",";
        writer_member(to->out, "summary", each->summary);
        buf_print(to->out, ", \"description\": \"GET %s.%s?%s\"}", each->path,
                  answer_format_suffix(each->format), each->query);
    }
    for (size_t i = 0; i < N_BODIES; i++) {
        if (!is_shown(bodies[i].path, to->bodies))
            continue;
        buf_print(to->out, "%s\n  \"%s\": {", before, bodies[i].name);
        before = ",";
        writer_member(to->out, "summary", bodies[i].summary);
        buf_print(to->out, ", \"value\": %s}", bodies[i].json);
    }
    buf_text(to->out, "\n}");
}

static const char header_components[] =
    "\"headers\": {\"Gpuplan-Archived\": {\"description\": \"For a link pinned to an earlier "
    "model_version: when the archived reply, sent byte for byte, was stored\", "
    "\"schema\": {\"type\": \"string\", \"format\": \"date-time\"}}},\n"
    "\"securitySchemes\": {\"token\": {\"type\": \"http\", \"scheme\": \"bearer\"}}";

static void document(struct writer *to, const struct route *only)
{
    buf_text(to->out, "{\"openapi\": \"3.1.0\",\n\"info\": {\"title\": \"gpuplan\", ");
    writer_member(to->out, "version", MODEL_VERSION);
    buf_text(to->out,
             ", \"license\": {\"name\": \"Apache-2.0\", \"identifier\": \"Apache-2.0\"}, ");
    writer_member(to->out, "description",
                  "What it takes to train a model, to serve it, and whether to buy or rent. Every "
                  "path also takes the suffixes .json .csv .tsv .xml .txt .html and .xlsx.");
    buf_text(to->out, "},\n\"servers\": [{\"url\": \"/\"}],\n\"security\": [],\n\"tags\": [");
    for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
        buf_text(to->out, i ? ", {" : "{");
        writer_member(to->out, "name", tags[i].name);
        buf_text(to->out, ", ");
        writer_member(to->out, "description", tags[i].about);
        buf_char(to->out, '}');
    }
    buf_text(to->out, "],\n");
    paths(to, only);
    buf_text(to->out, ",\n\"components\": {");
    response_components(to);
    buf_text(to->out, ",\n");
    body_components(to);
    buf_text(to->out, ",\n");
    example_components(to);
    buf_text(to->out, ",\n");
    writer_parameters(to);
    buf_text(to->out, ",\n");
    writer_schemas(to);
    buf_text(to->out, ",\n");
    buf_text(to->out, header_components);
    buf_text(to->out, "}}\n");
}

/* Drop the blanks between tokens, a fifteenth of the document; line ends stay. */
static void compact(struct buf *out)
{
    char *end = out->data;
    bool quoted = false;

    for (const char *p = out->data; p && *p; p++) {
        if (*p == '"')
            quoted = !quoted;
        if (*p == '\\')
            *end++ = *p++;
        if (quoted || *p != ' ')
            *end++ = *p;
    }
    if (end) {
        *end = '\0';
        out->length = (size_t)(end - out->data);
    }
}

static void write(const struct components *components, const struct route *only, struct buf *out)
{
    struct writer to = {.out = out, .components = components};

    to.parameters = arena_alloc(&to.arena, components->n_fields);
    to.schemas = arena_alloc(&to.arena, components->n_fields);
    to.rows = arena_alloc(&to.arena, components->n_rows);
    to.responses = arena_alloc(&to.arena, n_routes);
    to.answers = arena_alloc(&to.arena, n_routes);
    to.bodies = arena_alloc(&to.arena, n_routes);
    document(&to, only);
    compact(out);
    arena_free(&to.arena);
}

void openapi_write(const struct components *components, struct buf *out)
{
    write(components, NULL, out);
}

bool openapi_write_path(const struct components *components, const char *path, size_t length,
                        struct buf *out)
{
    for (size_t i = 0; i < n_routes; i++)
        if (strlen(routes[i].path) == length && memcmp(routes[i].path, path, length) == 0) {
            write(components, &routes[i], out);
            return true;
        }
    return false;
}
