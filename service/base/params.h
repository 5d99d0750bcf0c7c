/* params.h - the raw names and values of a request, from query, form or body, before they are
 * decoded by a field table. */
#ifndef BASE_PARAMS_H
#define BASE_PARAMS_H

#include "base/err.h"
#include "base/arena.h"

/* The value's JSON type; from a query string always PARAM_ANY. */
enum param_kind { PARAM_ANY, PARAM_TEXT, PARAM_NUMBER, PARAM_FLAG };

struct param {
    const char *name, *value;
    enum param_kind kind;
};

enum { PARAMS_MAX = 256 };

struct params {
    size_t n;
    bool from_body; /* errors cite JSON pointers instead of parameter names */
    struct param at[PARAMS_MAX];
};

bool params_add(struct params *params, const char *name, const char *value, enum param_kind kind,
                struct err *err) MUST_CHECK;

/* Parse name=value&... (a query string or a form), percent-decoded into the arena. A plus is a
 * blank, except within a number such as 2e+12. */
bool params_read_query(struct params *params, const char *query, struct arena *arena,
                       struct err *err) MUST_CHECK;

/* The first value with that name, or NULL. */
const char *params_find(const struct params *params, const char *name);

#endif
