/* field.h - reads members of a JSON object with strict checks; errors name the JSON pointer. */
#ifndef JSON_FIELD_H
#define JSON_FIELD_H

#include "base/err.h"
#include "base/arena.h"

#include <jansson.h>

/* An object, its location in the body, and where its culprits are added. */
struct place {
    const json_t *object;
    const char *pointer; /* # or #/model_config */
    struct arena *arena;
    struct err *err;
};

/* The first of the space-separated names that is present and not null; a slash in a name leads into
 * a nested object. Sets *name to the name found; NULL if there is none. */
const json_t *json_member_find(const struct place *place, const char *names, const char **name);

/* Read a whole number from min to max. *out is unchanged if the member is absent; if it is invalid,
 * adds a culprit and returns false. */
bool json_member_count(const struct place *place, const char *names, double min, double max,
                       double *out) MUST_CHECK;
/* The same for true and false, stored as 1 and 0. */
bool json_member_flag(const struct place *place, const char *names, double *out) MUST_CHECK;
/* The same for a string, copied into the arena. */
bool json_member_text(const struct place *place, const char *names, const char **out) MUST_CHECK;
/* The same for a list, borrowed. */
bool json_member_list(const struct place *place, const char *names, const json_t **out) MUST_CHECK;

/* Add a culprit under `name`, showing `value` (NULL if none), and return false. */
bool json_member_refuse(const struct place *place, const char *name, const json_t *value,
                        const char *rule, const char *fmt, ...) PRINTF_LIKE(5, 6);

/* A plain JSON value as text; {...} and [...] for objects and lists; in the arena. */
const char *json_member_show(const json_t *value, struct arena *arena);

#endif
