#include "json/field.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The value at a path; NULL if it is absent or null. */
static const json_t *follow(const json_t *object, const char *path)
{
    while (object && *path) {
        size_t n = strcspn(path, "/");
        char name[64];
        snprintf(name, sizeof(name), "%.*s", (int)n, path);
        object = json_object_get(object, name);
        path += n + (path[n] == '/');
    }
    return json_is_null(object) ? NULL : object;
}

const json_t *json_member_find(const struct place *place, const char *names, const char **name)
{
    for (const char *p = names; *p;) {
        size_t n = strcspn(p, " ");
        const char *path = arena_print(place->arena, "%.*s", (int)n, p);
        const json_t *value = follow(place->object, path);
        if (value) {
            *name = path;
            return value;
        }
        p += n + (p[n] == ' ');
    }
    return NULL;
}

/* Whole numbers are printed in full while they are exact, others as the shortest decimal that reads
 * back exactly. */
static const char *show_number(double value, struct arena *arena)
{
    char text[32];

    if (fabs(value) <= 9007199254740992.0 && value == floor(value)) /* 2^53 */
        return arena_print(arena, "%.0f", value);
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof(text), "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    return arena_text(arena, text);
}

const char *json_member_show(const json_t *value, struct arena *arena)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return "{...}";
    case JSON_ARRAY:
        return "[...]";
    case JSON_STRING:
        return arena_text(arena, json_string_value(value));
    case JSON_TRUE:
        return "true";
    case JSON_FALSE:
        return "false";
    case JSON_NULL:
        return "null";
    default:
        return show_number(json_number_value(value), arena);
    }
}

bool json_member_refuse(const struct place *place, const char *name, const json_t *value,
                        const char *rule, const char *fmt, ...)
{
    char text[256];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    return err_add(place->err, arena_print(place->arena, "%s/%s", place->pointer, name),
                   value ? json_member_show(value, place->arena) : "", rule, "%s", text);
}

bool json_member_count(const struct place *place, const char *names, double min, double max,
                       double *out)
{
    const char *name;
    const json_t *value = json_member_find(place, names, &name);

    if (!value)
        return true;
    if (!json_is_number(value))
        return json_member_refuse(place, name, value, "wrong_type", "must be a JSON number");
    double number = json_number_value(value);
    if (number < min || number > max)
        return err_add_range(place->err, arena_print(place->arena, "%s/%s", place->pointer, name),
                             json_member_show(value, place->arena), min, max,
                             "must be between %.10g and %.10g", min, max);
    if (number != floor(number))
        return json_member_refuse(place, name, value, "not_whole", "must be a whole number");
    *out = number;
    return true;
}

bool json_member_flag(const struct place *place, const char *names, double *out)
{
    const char *name;
    const json_t *value = json_member_find(place, names, &name);

    if (!value)
        return true;
    if (!json_is_boolean(value))
        return json_member_refuse(place, name, value, "wrong_type", "must be true or false");
    *out = json_is_true(value);
    return true;
}

bool json_member_text(const struct place *place, const char *names, const char **out)
{
    const char *name;
    const json_t *value = json_member_find(place, names, &name);

    if (!value)
        return true;
    if (!json_is_string(value))
        return json_member_refuse(place, name, value, "wrong_type", "must be a JSON string");
    if (json_string_length(value) > 200)
        return json_member_refuse(place, name, value, "too_long", "must be at most 200 bytes long");
    *out = arena_text(place->arena, json_string_value(value));
    return true;
}

bool json_member_list(const struct place *place, const char *names, const json_t **out)
{
    const char *name;
    const json_t *value = json_member_find(place, names, &name);

    if (!value)
        return true;
    if (!json_is_array(value))
        return json_member_refuse(place, name, value, "wrong_type", "must be a list");
    *out = value;
    return true;
}
