/* body.h - parses JSON input: a request body as parameters, a config.json as a model. */
#ifndef JSON_BODY_H
#define JSON_BODY_H

#include "base/params.h"
#include "catalog/model.h"

/* Call once, before any thread starts. */
void json_init(void);

enum { JSON_LIST_MEMBERS = 3 };

/* A parameter that a body may give as a list of objects; a query string writes each object with
 * colons between its members. The first `required` members are mandatory. */
struct json_list {
    const char *name;
    size_t required;
    struct {
        const char *name, *type; /* JSON Schema type */
    } members[JSON_LIST_MEMBERS];
};

/* Returns NULL if the parameter is not one of these. */
const struct json_list *json_list_find(const char *name);

/* Read an object of plain values. Lists of texts are joined by commas, lists of objects as a:b,c:d;
 * null counts as absent. A member `model_config` is a Hugging Face config.json and is returned in
 * *model (in the arena; otherwise unchanged). Refuses anything but one object, duplicate keys,
 * nesting, and numbers that do not fit a double: ERR_MALFORMED, or ERR_INVALID naming the
 * member. */
bool json_read_params(const char *bytes, size_t n, struct arena *arena, struct params *params,
                      const struct model **model, struct err *err) MUST_CHECK;

/* Read a body that is a Hugging Face config.json. */
bool json_read_model(const char *bytes, size_t n, struct arena *arena, const struct model **model,
                     struct err *err) MUST_CHECK;

#endif
