#include "json/sentences.h"

#include <jansson.h>

static const char *member(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

static void print_line(struct buf *out, const char *begin, const char *name, const char *sentence)
{
    buf_print(out, "%s%s%s%s\n", begin, name ? name : "", name ? ": " : "",
              sentence ? sentence : "");
}

void json_print_warnings(const char *text, const char *begin, struct buf *out)
{
    json_t *reply = json_loads(text, JSON_DECODE_INT_AS_REAL, NULL);
    const json_t *warnings = json_object_get(reply, "warnings");

    for (size_t i = 0; i < json_array_size(warnings); i++)
        print_line(out, begin, NULL, member(json_array_get(warnings, i), "detail"));
    json_decref(reply);
}

bool json_print_problem(const char *text, const char *begin, struct buf *out)
{
    json_t *reply = json_loads(text, JSON_DECODE_INT_AS_REAL, NULL);
    const json_t *errors = json_object_get(reply, "errors");
    const char *detail = member(reply, "detail");

    for (size_t i = 0; i < json_array_size(errors); i++) {
        const json_t *error = json_array_get(errors, i);
        print_line(out, begin, member(error, "parameter"), member(error, "detail"));
    }
    if (detail && !json_array_size(errors))
        print_line(out, begin, NULL, detail);
    json_decref(reply);
    return detail != NULL;
}

bool json_print_input(const char *text, const char *name, struct buf *out)
{
    json_t *reply = json_loads(text, JSON_DECODE_INT_AS_REAL, NULL);
    const char *value = member(json_object_get(json_object_get(reply, "inputs"), name), "value");

    if (value)
        buf_text(out, value);
    json_decref(reply);
    return value != NULL;
}

bool json_print_stored(const char *text, struct buf *out)
{
    json_t *run = json_loads(text, JSON_DECODE_INT_AS_REAL, NULL);
    const char *id = member(run, "id"), *quantity = member(run, "quantity"),
               *unit = member(run, "quantity_unit");
    double measured = json_number_value(json_object_get(run, "measured")),
           estimated = json_number_value(json_object_get(run, "estimated"));

    bool good = id && quantity && unit;
    if (good)
        buf_print(out, "%s: %s of %.4g %s measured, %.4g estimated without it\n", id, quantity,
                  measured, unit, estimated);
    json_decref(run);
    return good;
}
