#include "base/err.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
    int status;
    const char *slug, *title;
} info[] = {
#define ERR(name, status, slug, title) [ERR_##name] = {status, slug, title},
#include "base/err.def"
#undef ERR
};

bool err_set(struct err *err, enum err_code code, const char *fmt, ...)
{
    va_list ap;

    err->code = code;
    err->n_culprits = 0;
    va_start(ap, fmt);
    vsnprintf(err->text, sizeof(err->text), fmt, ap);
    va_end(ap);
    return false;
}

/* Truncate at a character boundary, so that the copy stays valid UTF-8. */
static void copy_cut(char *to, size_t size, const char *from)
{
    size_t n = strnlen(from, size - 1);

    if (from[n])
        while (n && ((unsigned char)from[n] & 0xc0) == 0x80)
            n--;
    memcpy(to, from, n);
    to[n] = '\0';
}

PRINTF_LIKE(7, 0)
static bool PRINTF_LIKE(7, 0)
    add(struct err *err, const char *field, const char *value, const char *rule, double min,
        double max, const char *fmt, va_list ap)
{
    err->code = ERR_INVALID;
    if (err->n_culprits < ERR_CULPRITS_MAX) {
        struct culprit *culprit = &err->culprits[err->n_culprits++];
        copy_cut(culprit->field, sizeof(culprit->field), field);
        copy_cut(culprit->value, sizeof(culprit->value), value ? value : "");
        copy_cut(culprit->rule, sizeof(culprit->rule), rule);
        culprit->min = min;
        culprit->max = max;
        vsnprintf(culprit->text, sizeof(culprit->text), fmt, ap);
    }
    if (err->n_culprits == 1)
        snprintf(err->text, sizeof(err->text), "%s: %s", err->culprits[0].field,
                 err->culprits[0].text);
    else
        snprintf(err->text, sizeof(err->text), "%zu parameters are invalid.", err->n_culprits);
    return false;
}

bool err_add(struct err *err, const char *field, const char *value, const char *rule,
             const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    add(err, field, value, rule, (double)NAN, (double)NAN, fmt, ap);
    va_end(ap);
    return false;
}

bool err_add_range(struct err *err, const char *field, const char *value, double min, double max,
                   const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    add(err, field, value, "out_of_range", min, max, fmt, ap);
    va_end(ap);
    return false;
}

int err_status(enum err_code code)
{
    return info[code].status;
}

const char *err_slug(enum err_code code)
{
    return info[code].slug;
}

const char *err_title(enum err_code code)
{
    return info[code].title;
}
