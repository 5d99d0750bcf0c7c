/* body.h - JSON from outside: a request body as parameters, a config.json as a model. */
#ifndef JSON_BODY_H
#define JSON_BODY_H

#include "base/params.h"
#include "catalog/model.h"

/* Once, before there are threads. */
void json_init(void);

enum { JSON_LIST_MEMBERS = 3 };

/* A parameter that may be a list of objects, each of which a query string writes with colons
 * between its members. The first `required` of them must be there. */
struct json_list {
    const char *name;
    size_t required;
    struct {
        const char *name, *type; /* as JSON Schema calls it */
    } members[JSON_LIST_MEMBERS];
};

/* NULL where the parameter is none. */
const struct json_list *json_list_find(const char *name);

/* Read an object of plain values (lists of texts are joined by commas, those of objects as a:b,c:d;
 * null counts as absent).
 * A member `model_config` is a Hugging Face config.json and comes back as *model (made in the
 * arena, else untouched). Refuses what is not one object, duplicate keys, nesting, and sizes no
 * double can hold: ERR_MALFORMED, or ERR_INVALID naming the member. */
bool json_read_params(const char *bytes, size_t n, struct arena *arena, struct params *params,
                      const struct model **model, struct err *err) MUST_CHECK;

/* Read a whole body that is a Hugging Face config.json. */
bool json_read_model(const char *bytes, size_t n, struct arena *arena, const struct model **model,
                     struct err *err) MUST_CHECK;

#endif
