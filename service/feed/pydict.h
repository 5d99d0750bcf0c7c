/* pydict.h - a Python literal, as print() shows a dict, as a list of paths and values.
 *
 *     {'Gpus': [{'Name': 'A100', 'Count': 8}]}   gives   gpus.0.name = A100, gpus.0.count = 8
 *
 * Keys are compared in lower case. Depth, number of values and length are bounded.
 */
#ifndef FEED_PYDICT_H
#define FEED_PYDICT_H

#include <stdbool.h>
#include <stddef.h>

enum { PYDICT_VALUES_MAX = 64, PYDICT_TEXT_MAX = 4096 };

struct pydict {
    const char *why; /* what is wrong with it, NULL: nothing */
    size_t n;
    struct {
        const char *path, *value; /* numbers as they are written; None, True and False likewise */
    } at[PYDICT_VALUES_MAX];
    char text[PYDICT_TEXT_MAX];
};

/* Read a literal that begins with a brace. False, saying why in *dict, where it is not one. */
bool pydict_read(struct pydict *dict, const char *text) __attribute__((warn_unused_result));

/* The value at the path, NULL where there is none. */
const char *pydict_find(const struct pydict *dict, const char *path);

#endif
