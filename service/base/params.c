#include "base/params.h"

#include "base/text.h"

#include <string.h>

bool params_add(struct params *params, const char *name, const char *value, enum param_kind kind,
                struct err *err)
{
    if (params->n == PARAMS_MAX)
        return err_set(err, ERR_INVALID, "more than %d parameters", PARAMS_MAX);
    params->at[params->n++] = (struct param){name, value, kind};
    return true;
}

/* In a query a plus is a blank, except if the whole value is a number: in 2e+12 and +5 it is a
 * sign. */
static bool plus_is_blank(const char *value)
{
    double number;

    return !strchr(value, '+') || !text_number(value + (value[0] == '+'), &number);
}

bool params_read_query(struct params *params, const char *query, struct arena *arena,
                       struct err *err)
{
    for (const char *p = query; *p;) {
        size_t n = strcspn(p, "&");
        if (n) {
            char *name = arena_alloc(arena, n + 1);
            memcpy(name, p, n);
            char *value = strchr(name, '=');
            if (value)
                *value++ = '\0';
            else
                value = name + n;
            if (!text_decode_percent(name, true) ||
                !text_decode_percent(value, plus_is_blank(value)))
                return err_set(
                    err, ERR_INVALID,
                    "the query has a broken percent-encoding: a percent sign is written %%25, "
                    "and 60 percent 0.6");
            if (!text_is_utf8(name) || !text_is_utf8(value))
                return err_set(err, ERR_INVALID, "the query is not UTF-8");
            if (!params_add(params, name, value, PARAM_ANY, err))
                return false;
        }
        p += n + (p[n] == '&');
    }
    return true;
}

const char *params_find(const struct params *params, const char *name)
{
    for (size_t i = 0; i < params->n; i++)
        if (params->at[i].name[0] == name[0] && strcmp(params->at[i].name, name) == 0)
            return params->at[i].value;
    return NULL;
}
