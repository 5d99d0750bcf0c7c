#include "json/body.h"

#include "json/field.h"
#include "json/model_config.h"

#include <string.h>

/* jansson parses and frees recursively; a config.json nests four levels deep. */
enum { DEPTH_MAX = 32, LIST_MAX = 100 };

void json_init(void)
{
    json_object_seed(0);
}

/* Maximum depth of brackets outside strings; up to its first syntax error jansson sees no deeper
 * nesting. */
static size_t depth_of(const char *bytes, size_t n)
{
    size_t depth = 0, deepest = 0;
    bool text = false;

    for (size_t i = 0; i < n; i++) {
        char c = bytes[i];
        if (text) {
            i += c == '\\';
            text = c != '"';
        } else if (c == '"') {
            text = true;
        } else if (c == '{' || c == '[') {
            depth++;
            deepest = depth > deepest ? depth : deepest;
        } else if ((c == '}' || c == ']') && depth) {
            depth--;
        }
    }
    return deepest;
}

static const char *sentence(const json_error_t *error)
{
    switch (json_error_code(error)) {
    case json_error_duplicate_key:
        return "a member is given more than once";
    case json_error_numeric_overflow:
        return "a number is too large for a double";
    case json_error_invalid_utf8:
        return "the text is not UTF-8";
    case json_error_null_character:
    case json_error_null_byte_in_key:
        return "a text holds a NUL";
    case json_error_premature_end_of_input:
        return "the body ends too early";
    case json_error_end_of_input_expected:
        return "something follows the object";
    default:
        return "this is not JSON";
    }
}

/* The text near a jansson error, if it is printable: " near '...'". */
static const char *near(const json_error_t *error)
{
    const char *at = strstr(error->text, " near '");

    if (!at || strlen(at) > 80)
        return "";
    for (const char *p = at; *p; p++)
        if (*p < 0x20 || *p > 0x7e)
            return "";
    return at;
}

/* Integers are decoded as doubles too, since every quantity here is one: 8e23 written out in full
 * is valid, like 8e23. */
static json_t *load(const char *bytes, size_t n, struct err *err)
{
    json_error_t error;
    json_t *root;

    if (!n) {
        err_set(err, ERR_MALFORMED, "the body is empty: send one JSON object");
        return NULL;
    }
    if (depth_of(bytes, n) > DEPTH_MAX) {
        err_set(err, ERR_MALFORMED, "the body is nested deeper than %d levels", DEPTH_MAX);
        return NULL;
    }
    root = json_loadb(bytes, n, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL,
                      &error);
    if (!root) {
        err_set(err, ERR_MALFORMED, "line %d, column %d: %s%s", error.line, error.column,
                sentence(&error), near(&error));
    } else if (!json_is_object(root)) {
        err_set(err, ERR_MALFORMED, "the body must be one JSON object");
        json_decref(root);
        root = NULL;
    }
    return root;
}

/* RFC 6901 escapes ~ and / as ~0 and ~1. */
static const char *pointer_name(const char *name, struct arena *arena)
{
    char *to = arena_alloc(arena, 2 * strlen(name) + 1), *p = to;

    for (; *name; name++) {
        *p++ = *name == '/' ? '~' : *name;
        if (*name == '~' || *name == '/')
            *p++ = *name == '~' ? '0' : '1';
    }
    return to;
}

static bool check_item(const struct place *place, const char *name, const json_t *item)
{
    if (!json_is_string(item))
        return json_member_refuse(place, name, item, "wrong_type",
                                  "a list must hold JSON strings only");
    if (strchr(json_string_value(item), ','))
        return json_member_refuse(place, name, item, "bad_list_item",
                                  "an item of a list must not hold a comma");
    return true;
}

/* Join a list of texts by commas; an empty list becomes an empty text, which counts as not
 * given. */
static bool join(const struct place *place, const char *name, const json_t *list, const char **out)
{
    size_t i, length = 0;
    json_t *item;

    json_array_foreach(list, i, item)
    {
        if (!check_item(place, name, item))
            return false;
        length += json_string_length(item) + 1;
    }
    char *to = arena_alloc(place->arena, length + 1);
    *out = to;
    json_array_foreach(list, i, item)
    {
        if (i)
            *to++ = ',';
        memcpy(to, json_string_value(item), json_string_length(item));
        to += json_string_length(item);
    }
    return true;
}

static bool add_plain(const struct place *place, const char *name, const json_t *value,
                      struct params *params)
{
    enum param_kind kind = json_is_number(value)    ? PARAM_NUMBER
                           : json_is_boolean(value) ? PARAM_FLAG
                                                    : PARAM_TEXT;
    const char *pointer = pointer_name(name, place->arena), *text;

    if (json_is_null(value))
        return true;
    if (json_is_object(value))
        return json_member_refuse(place, pointer, value, "wrong_type",
                                  "must be a plain value, not an object");
    if (!json_is_array(value))
        text = json_member_show(value, place->arena);
    else if (!join(place, pointer, value, &text))
        return false;
    if (params->n == PARAMS_MAX)
        return json_member_refuse(place, pointer, value, "too_many", "more than %d members",
                                  PARAMS_MAX);
    return params_add(params, arena_text(place->arena, name), text, kind, place->err);
}

static const struct json_list lists[] = {
    {"pools", 2, {{"model", "string"}, {"share", "number"}, {"gpu", "string"}}},
    {"request_lengths",
     3,
     {{"input_tokens", "integer"}, {"output_tokens", "integer"}, {"share", "number"}}},
};

const struct json_list *json_list_find(const char *name)
{
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
        if (strcmp(lists[i].name, name) == 0)
            return &lists[i];
    return NULL;
}

/* One object as a:b:c; NULL if it does not have exactly those members. */
static const char *item_text(const struct place *place, const struct json_list *list,
                             const json_t *item)
{
    const char *text = "";
    size_t n = 0;

    while (n < JSON_LIST_MEMBERS && list->members[n].name) {
        const json_t *member = json_object_get(item, list->members[n].name);
        if (!json_is_number(member) && !json_is_string(member))
            break;
        text = arena_join(place->arena, text, n ? ":" : "", json_member_show(member, place->arena));
        n++;
    }
    return n >= list->required && n == json_object_size(item) && !strchr(text, ',') ? text : NULL;
}

static const char *members_of(const struct json_list *list, struct arena *arena)
{
    const char *text = list->members[0].name;

    for (size_t i = 1; i < JSON_LIST_MEMBERS && list->members[i].name; i++)
        text = arena_join(arena, text, ", ", list->members[i].name);
    return text;
}

static bool add_list(const struct place *place, const struct json_list *list, const json_t *value,
                     struct params *params)
{
    const char *text = "", *one;
    size_t i;
    json_t *item;

    if (json_array_size(value) > LIST_MAX)
        return json_member_refuse(place, list->name, value, "too_many", "more than %d objects",
                                  LIST_MAX);
    json_array_foreach(value, i, item)
    {
        if (!(one = item_text(place, list, item)))
            return json_member_refuse(place, list->name, value, "wrong_type",
                                      "must be a list of objects, each with %s",
                                      members_of(list, place->arena));
        text = arena_join(place->arena, text, i ? "," : "", one);
    }
    if (params->n == PARAMS_MAX)
        return json_member_refuse(place, list->name, value, "too_many", "more than %d members",
                                  PARAMS_MAX);
    return params_add(params, list->name, text, PARAM_TEXT, place->err);
}

static bool add_config(const struct place *place, const json_t *value, const struct model **model)
{
    struct place config = {value, "#/model_config", place->arena, place->err};

    if (json_is_null(value))
        return true;
    if (!json_is_object(value))
        return json_member_refuse(place, "model_config", value, "wrong_type",
                                  "must be an object: a Hugging Face config.json, verbatim");
    return model_config_read(&config, model);
}

/* A config.json sent as it is, with the other inputs in the query string. */
static bool is_bare_config(const json_t *root)
{
    return !json_object_get(root, "model_config") &&
           json_is_array(json_object_get(root, "architectures")) &&
           json_is_string(json_object_get(root, "model_type"));
}

bool json_read_params(const char *bytes, size_t n, struct arena *arena, struct params *params,
                      const struct model **model, struct err *err)
{
    json_t *root = load(bytes, n, err), *value;
    struct place place = {root, "#", arena, err};
    const struct json_list *list;
    const char *name;
    bool good = true;

    if (!root)
        return false;
    params->from_body = true;
    err->n_culprits = 0;
    if (is_bare_config(root)) {
        good = model_config_read(&place, model);
        json_decref(root);
        return good;
    }
    json_object_foreach(root, name, value)
    {
        if (strcmp(name, "model_config") == 0)
            good &= add_config(&place, value, model);
        else if (json_is_array(value) && (list = json_list_find(name)))
            good &= add_list(&place, list, value, params);
        else
            good &= add_plain(&place, name, value, params);
    }
    json_decref(root);
    return good;
}

bool json_read_model(const char *bytes, size_t n, struct arena *arena, const struct model **model,
                     struct err *err)
{
    json_t *root = load(bytes, n, err);
    struct place place = {root, "#", arena, err};

    if (!root)
        return false;
    err->n_culprits = 0;
    const json_t *wrapped = json_object_get(root, "model_config");
    bool good = wrapped ? add_config(&place, wrapped, model) : model_config_read(&place, model);
    json_decref(root);
    return good;
}
