/* params.h - the names and values a request came with, from query, form or body, before any table
 * has said what they mean. */
#ifndef BASE_PARAMS_H
#define BASE_PARAMS_H

#include "base/err.h"
#include "base/arena.h"

/* What JSON says a value is; from a query string everything is PARAM_ANY. */
enum param_kind { PARAM_ANY, PARAM_TEXT, PARAM_NUMBER, PARAM_FLAG };

struct param {
    const char *name, *value;
    enum param_kind kind;
};

enum { PARAMS_MAX = 256 };

struct params {
    size_t n;
    bool from_body; /* errors name JSON pointers instead of parameters */
    struct param at[PARAMS_MAX];
};

bool params_add(struct params *params, const char *name, const char *value, enum param_kind kind,
                struct err *err) MUST_CHECK;

/* Read name=value&... (a query string or a form), percent-decoded into the arena. A plus is a blank
 * but in what is a number with it, as 2e+12. */
bool params_read_query(struct params *params, const char *query, struct arena *arena,
                       struct err *err) MUST_CHECK;

/* The value of the first of that name, NULL if there is none. */
const char *params_find(const struct params *params, const char *name);

#endif
