/* field.h - members of a JSON object, read strictly; what is wrong is named by JSON pointer. */
#ifndef JSON_FIELD_H
#define JSON_FIELD_H

#include "base/err.h"
#include "base/arena.h"

#include <jansson.h>

/* An object, where it stands in the body, and where its culprits go. */
struct place {
    const json_t *object;
    const char *pointer; /* # or #/model_config */
    struct arena *arena;
    struct err *err;
};

/* The member called by the first of the space-separated names that is there and not null; a slash
 * in a name leads into a nested object. NULL where there is none, else *name is the name found. */
const json_t *json_member_find(const struct place *place, const char *names, const char **name);

/* Read a whole number from min to max. If no member of those names is there *out stays; if it is
 * not a whole number in range, a culprit is added and false returned. */
bool json_member_count(const struct place *place, const char *names, double min, double max,
                       double *out) MUST_CHECK;
/* The same for true and false, which become 1 and 0. */
bool json_member_flag(const struct place *place, const char *names, double *out) MUST_CHECK;
/* The same for a text, copied into the arena. */
bool json_member_text(const struct place *place, const char *names, const char **out) MUST_CHECK;
/* The same for a list, borrowed. */
bool json_member_list(const struct place *place, const char *names, const json_t **out) MUST_CHECK;

/* Add a culprit under `name`, showing `value` (NULL: none), and return false. */
bool json_member_refuse(const struct place *place, const char *name, const json_t *value,
                        const char *rule, const char *fmt, ...) PRINTF_LIKE(5, 6);

/* A plain JSON value as text, {...} and [...] for others; in the arena. */
const char *json_member_show(const json_t *value, struct arena *arena);

#endif
