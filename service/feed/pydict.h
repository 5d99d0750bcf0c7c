/* pydict.h - parses a Python literal, as printed for a dict, into paths and values.
 *
 *     {'Gpus': [{'Name': 'A100', 'Count': 8}]}   gives   gpus.0.name = A100, gpus.0.count = 8
 *
 * Keys are converted to lower case. Depth, number of values and length are bounded.
 */
#ifndef FEED_PYDICT_H
#define FEED_PYDICT_H

#include <stdbool.h>
#include <stddef.h>

enum { PYDICT_VALUES_MAX = 64, PYDICT_TEXT_MAX = 4096 };

struct pydict {
    const char *why; /* the syntax error, or NULL */
    size_t n;
    struct {
        const char *path, *value; /* numbers, None, True and False as written */
    } at[PYDICT_VALUES_MAX];
    char text[PYDICT_TEXT_MAX];
};

/* Parse a literal that begins with a brace. False, with the reason in dict->why, if it is
 * malformed. */
bool pydict_read(struct pydict *dict, const char *text) __attribute__((warn_unused_result));

/* The value at the path, or NULL. */
const char *pydict_find(const struct pydict *dict, const char *path);

#endif
