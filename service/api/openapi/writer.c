#include "api/openapi/writer.h"

#include "answer/labels.h"
#include "answer/value.h"
#include "api/resource/decode.h"
#include "json/body.h"

#include <math.h>
#include <string.h>

void writer_member(struct buf *out, const char *name, const char *text)
{
    buf_print(out, "\"%s\": ", name);
    value_json_text(out, text);
}

void writer_reference(struct buf *out, const char *kind, const char *name)
{
    buf_print(out, "{\"$ref\": \"#/components/%s/%s\"}", kind, name);
}

void writer_label(struct buf *out, const char *name, bool input)
{
    enum { LABEL_MAX = 200 };
    const char *hint = input ? labels_hint(name) : NULL;
    struct buf label;

    buf_init(&label, LABEL_MAX);
    if (labels_print(&label, name)) {
        writer_member(out, "x-label", buf_data(&label));
        buf_text(out, ", ");
    }
    buf_free(&label);
    if (hint) {
        writer_member(out, "x-hint", hint);
        buf_text(out, ", ");
    }
}

static const char *json_type(const struct field *field, bool input)
{
    if (field_is_text(field))
        return "string";
    if (field->type == FIELD_FLAG)
        return input ? "integer" : "boolean";
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
        writer_member(out, "x-default", text[0] == '@' ? "assumption" : "auto");
        return;
    }
    buf_text(out, ", \"default\": ");
    if (field_is_text(field))
        value_json_text(out, text);
    else
        buf_text(out, text);
}

static void schema(struct buf *out, const struct field *field, bool input)
{
    if (input)
        buf_print(out, "{\"type\": \"%s\"", json_type(field, true));
    else
        buf_print(out, "{\"type\": [\"%s\", \"null\"]", json_type(field, false));
    if (field->type == FIELD_DATE)
        buf_text(out, ", \"format\": \"date\"");
    if (input && field->type == FIELD_CHOICE)
        choices(out, field->choices);
    if (input && isfinite(field->min))
        buf_print(out, ", \"minimum\": %.15g", field->min);
    if (input && isfinite(field->max))
        buf_print(out, ", \"%s\": %.15g", field_is_text(field) ? "maxLength" : "maximum",
                  field->max);
    if (input)
        fallback(out, field);
    if (field->unit[0]) {
        char unit[UNIT_SIZE];
        buf_text(out, ", ");
        writer_member(out, "x-unit", value_unit(field->unit, "currency", unit));
    }
    buf_text(out, ", ");
    writer_label(out, field->name, input);
    writer_member(out, "description", field->sentence);
    buf_char(out, '}');
}

/* The key of a field's schema, which differs between inputs and figures of the same name. */
static const char *schema_key(struct writer *to, const struct component *field)
{
    return field->input ? arena_join(&to->arena, field->name, "_input") : field->name;
}

/* A reference if the definition is used more than once, else the definition. */
static void field_schema(struct writer *to, const struct field *field, bool input)
{
    size_t i = components_field(to->components, field, input);
    const struct component *component = &to->components->fields[i];

    if (input ? !component->in_body : !component->name) {
        schema(to->out, field, input);
        return;
    }
    to->schemas[i] = true;
    writer_reference(to->out, "schemas", schema_key(to, component));
}

void writer_parameter(struct writer *to, const struct field *field)
{
    size_t i = components_field(to->components, field, true);

    to->parameters[i] = true;
    writer_reference(to->out, "parameters", to->components->fields[i].name);
}

void writer_parameters(struct writer *to)
{
    const char *before = "";

    buf_text(to->out, "\"parameters\": {");
    for (size_t i = 0; i < to->components->n_fields; i++) {
        const struct component *each = &to->components->fields[i];
        if (!to->parameters[i])
            continue;
        buf_print(to->out, "%s\n  \"%s\": {", before, each->name);
        before = ",";
        writer_member(to->out, "name", each->field->name);
        buf_text(to->out, ", \"in\": \"query\", ");
        if (strcmp(each->field->fallback, "required") == 0)
            buf_text(to->out, "\"required\": true, ");
        buf_text(to->out, "\"schema\": ");
        field_schema(to, each->field, true);
        buf_char(to->out, '}');
    }
    buf_text(to->out, "\n}");
}

static void begin_property(struct writer *to, const char *name, bool *first)
{
    buf_text(to->out, *first ? "\n    " : ",\n    ");
    *first = false;
    value_json_text(to->out, name);
    buf_text(to->out, ": ");
}

/* As text, as in a query string, or as a list of objects. */
static void list_schema(struct writer *to, const struct field *field, const struct json_list *list)
{
    buf_char(to->out, '{');
    writer_label(to->out, field->name, true);
    writer_member(to->out, "description", field->sentence);
    buf_text(to->out, ", \"anyOf\": [");
    field_schema(to, field, true);
    buf_text(to->out, ", {\"type\": \"array\", \"items\": {\"type\": \"object\", "
                      "\"additionalProperties\": false, \"required\": [");
    for (size_t i = 0; i < list->required; i++)
        buf_print(to->out, "%s\"%s\"", i ? ", " : "", list->members[i].name);
    buf_text(to->out, "], \"properties\": {");
    for (size_t i = 0; i < JSON_LIST_MEMBERS && list->members[i].name; i++)
        buf_print(to->out, "%s\"%s\": {\"type\": \"%s\"}", i ? ", " : "", list->members[i].name,
                  list->members[i].type);
    buf_text(to->out, "}}}]}");
}

static void properties(struct writer *to, struct fields fields, bool input, bool *first)
{
    for (size_t i = 0; i < fields.n; i++) {
        const struct json_list *list = input ? json_list_find(fields.at[i].name) : NULL;
        begin_property(to, fields.at[i].name, first);
        if (list)
            list_schema(to, &fields.at[i], list);
        else
            field_schema(to, &fields.at[i], input);
    }
}

static void table_property(struct writer *to, const struct resource_table *table, bool *first)
{
    size_t row = components_row(to->components, table->fields);

    begin_property(to, table->name, first);
    buf_text(to->out, "{\"type\": \"array\", ");
    writer_label(to->out, table->name, false);
    writer_member(to->out, "description", table->sentence);
    buf_text(to->out, ", \"items\": ");
    to->rows[row] = true;
    writer_reference(to->out, "schemas", to->components->rows[row].name);
    buf_char(to->out, '}');
}

/* Members of lists and answers in addition to their fields; the schemas are below. */
static void shared_properties(struct writer *to, const char *names, bool *first)
{
    for (const char *p = names; *p;) {
        size_t n = strcspn(p, " ");
        const char *name = arena_part(&to->arena, p, n);
        begin_property(to, name, first);
        writer_reference(to->out, "schemas", name);
        p += n + (p[n] == ' ');
    }
}

static const struct {
    const char *name, *schema;
} shared[] = {
    {"count", "\"type\": \"number\", \"description\": \"Rows in all, with count=1\""},
    {"next_cursor",
     "\"type\": \"string\", \"description\": \"Cursor of the next page, where there is one\""},
    {"inputs", "\"type\": \"object\", \"description\": \"The inputs used, each with its value, "
               "its unit and where it is from\", \"additionalProperties\": {\"$ref\": "
               "\"#/components/schemas/Input\"}"},
    {"warnings", "\"type\": \"array\", \"description\": \"What to know before using the figures\", "
                 "\"items\": {\"$ref\": \"#/components/schemas/Warning\"}"},
    {"links", "\"type\": \"object\", \"description\": \"Related addresses\", "
              "\"additionalProperties\": {\"type\": \"string\"}"},
};

static void answer_schema(struct writer *to, const struct route *answer)
{
    const struct resource *resource = answer->resource;
    const char *project = answer->project;
    bool first = true;

    buf_print(to->out, ",\n  \"%s\": {\"type\": \"object\", \"properties\": {", answer->noun);
    if (resource->out && !project)
        properties(to, *resource->out, false, &first);
    properties(to, answer_meta_fields, false, &first);
    for (size_t i = 0; i < RESOURCE_TABLES_MAX && resource->tables[i].name; i++)
        if (!project || strcmp(project, resource->tables[i].name) == 0)
            table_property(to, &resource->tables[i], &first);
    if (resource_is_list(resource))
        shared_properties(to, "count next_cursor", &first);
    shared_properties(to, "inputs warnings links", &first);
    buf_text(to->out, "}}");
}

const char *writer_body_name(struct writer *to, const struct route *request)
{
    const struct resource *resource = request->post ? request->post : request->resource->put;

    return arena_join(&to->arena,
                      resource->writes || resource->body_is_model
                          ? components_pascal(&to->arena, resource->name)
                          : request->noun,
                      "Request");
}

static void body(struct writer *to, const struct route *request)
{
    const struct resource *resource = request->post ? request->post : request->resource->put;
    bool first = true;

    buf_print(to->out,
              ",\n  \"%s\": {\"type\": \"object\", \"additionalProperties\": false, "
              "\"properties\": {",
              writer_body_name(to, request));
    properties(to, *resource->in, true, &first);
    if (!resource->writes)
        properties(to, common_fields, true, &first);
    if (resource->takes_model_config) {
        begin_property(to, "model_config", &first);
        writer_reference(to->out, "schemas", "model_config");
    }
    buf_text(to->out, "}}");
}

#define TEXT_TYPE "\"type\": \"string\""

/* Schemas of errors (RFC 9457), and of what every answer may contain. */
static const struct object {
    const char *name, *required;
    struct member {
        const char *name, *schema, *about;
    } members[8];
} objects[] = {
    {"Problem",
     "\"type\", \"title\", \"status\"",
     {{"type", TEXT_TYPE, "Address of the kind of problem, such as /problems/invalid-parameter"},
      {"title", TEXT_TYPE, "The kind in words"},
      {"status", "\"type\": \"integer\"", "HTTP status of the reply"},
      {"detail", TEXT_TYPE, "What is wrong with this request, in a sentence"},
      {"instance", TEXT_TYPE, "The path that was requested"},
      {"links", "\"$ref\": \"#/components/schemas/links\"",
       "current: the same question for today's formulas"},
      {"errors", "\"type\": \"array\", \"items\": {\"$ref\": \"#/components/schemas/Fault\"}",
       "Every input that is refused"}}},
    {"Fault",
     "\"value\", \"code\", \"detail\"",
     {{"parameter", TEXT_TYPE, "Name of the input, in a query or a form"},
      {"pointer", TEXT_TYPE, "JSON pointer to the input, in a body"},
      {"value", TEXT_TYPE, "The value as it was sent"},
      {"code", TEXT_TYPE, "The rule it breaks, for programs: out_of_range, unknown_name"},
      {"detail", TEXT_TYPE, "The rule in words, with the nearest known name"},
      {"minimum", "\"type\": \"number\"", "Smallest value allowed"},
      {"maximum", "\"type\": \"number\"", "Largest value allowed"}}},
    {"Warning",
     "\"code\", \"detail\"",
     {{"code", TEXT_TYPE ", \"x-label\": \"Code\"", "For programs; stays when the words change"},
      {"detail", TEXT_TYPE ", \"x-label\": \"Detail\"", "The warning in a sentence"}}},
    {"Input",
     "\"value\", \"source\"",
     {{"value", "\"type\": [\"number\", \"string\", \"boolean\", \"null\"]", "The value used"},
      {"unit", TEXT_TYPE, "Unit of the value"},
      {"source", TEXT_TYPE ", \"enum\": [\"default\", \"request\", \"catalog\", \"chosen\"]",
       "request: given; catalog: looked up; default: the usual value; chosen: by the calculation"},
      {"reference", TEXT_TYPE, "Where a looked-up value is from: a path of the API, or words"}}},
};

static void object_schemas(struct buf *out)
{
    for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++) {
        const char *before = "";
        buf_print(out, "%s\n  \"%s\": {\"type\": \"object\", \"required\": [%s], \"properties\": {",
                  i ? "," : "", objects[i].name, objects[i].required);
        for (const struct member *each = objects[i].members; each->name; each++) {
            buf_print(out, "%s\"%s\": {%s, ", before, each->name, each->schema);
            writer_member(out, "description", each->about);
            buf_char(out, '}');
            before = ", ";
        }
        buf_text(out, "}}");
    }
}

static void row(struct writer *to, const struct component_row *row)
{
    bool first = true;

    buf_print(to->out, ",\n  \"%s\": {\"type\": \"object\", \"properties\": {", row->name);
    properties(to, *row->fields, false, &first);
    buf_text(to->out, "}}");
}

static void shared_schemas(struct writer *to)
{
    for (size_t i = 0; i < sizeof(shared) / sizeof(shared[0]); i++) {
        buf_print(to->out, ",\n  \"%s\": {", shared[i].name);
        writer_label(to->out, shared[i].name, false);
        buf_print(to->out, "%s}", shared[i].schema);
    }
    buf_text(to->out, ",\n  \"model_config\": {\"type\": \"object\", ");
    writer_label(to->out, "model_config", true);
    buf_text(to->out, "\"description\": \"A Hugging Face config.json, verbatim\"}");
}

void writer_schemas(struct writer *to)
{
    const struct components *all = to->components;

    buf_text(to->out, "\"schemas\": {");
    object_schemas(to->out);
    for (size_t i = 0; i < n_routes; i++) {
        if (to->answers[i])
            answer_schema(to, &routes[i]);
        if (to->bodies[i] && !(routes[i].post && routes[i].post->body_is_model))
            body(to, &routes[i]);
    }
    for (size_t i = 0; i < all->n_rows; i++)
        if (to->rows[i])
            row(to, &all->rows[i]);
    shared_schemas(to);
    for (size_t i = 0; i < all->n_fields; i++) {
        if (!to->schemas[i])
            continue;
        buf_print(to->out, ",\n  \"%s\": ", schema_key(to, &all->fields[i]));
        schema(to->out, all->fields[i].field, all->fields[i].input);
    }
    buf_text(to->out, "\n}");
}
