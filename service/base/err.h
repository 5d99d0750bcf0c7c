/* err.h - why an operation failed, in words fit to send to a client.
 *
 * Every function that can fail returns bool and takes a struct err last:
 *
 *     if (!catalog_load(catalog, connection, err))
 *         return false;
 *
 * All inputs are checked before a request is refused, so one err can hold several culprits.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include "base/attr.h"

#include <stdbool.h>
#include <stddef.h>

enum err_code {
#define ERR(name, status, slug, title) ERR_##name,
#include "base/err.def"
#undef ERR
};

enum { ERR_CULPRITS_MAX = 16 };

/* One invalid input. */
struct culprit {
    char field[64];  /* parameter name, or JSON pointer */
    char value[64];  /* the value as received, truncated to fit; "" if there was none */
    char rule[32];   /* machine-readable: unknown_parameter, out_of_range, ... */
    char text[256];  /* one sentence that says what would be valid */
    double min, max; /* the accepted range, NAN if open */
};

struct err {
    enum err_code code;
    char text[400]; /* one sentence, no newline */
    size_t n_culprits;
    struct culprit culprits[ERR_CULPRITS_MAX];
};

/* Overwrite *err and return false, so that a failure is one statement. */
bool err_set(struct err *err, enum err_code code, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* Add a culprit and return false. Culprits beyond ERR_CULPRITS_MAX are only counted in the text.
 * Start from (struct err){0}; the first culprit sets the code to ERR_INVALID. */
bool err_add(struct err *err, const char *field, const char *value, const char *rule,
             const char *fmt, ...) PRINTF_LIKE(5, 6);
/* The same with the accepted range; NAN leaves a side open. */
bool err_add_range(struct err *err, const char *field, const char *value, double min, double max,
                   const char *fmt, ...) PRINTF_LIKE(6, 7);

int err_status(enum err_code code);
const char *err_slug(enum err_code code);
const char *err_title(enum err_code code);

#endif
