/* spelling.h - spelling suggestions: the nearest of several names by edit distance, by prefix,
 * or by words; the names are offered one by one. */
#ifndef BASE_SPELLING_H
#define BASE_SPELLING_H

#include <stdbool.h>
#include <stddef.h>

struct spelling {
    const char *typed;
    const char *nearest; /* the first of the nearest names, however far; "" if none was offered */
    size_t distance;     /* edits between the two */
};

struct spelling spelling_of(const char *typed);
/* True if the name is nearer than all before it. */
bool spelling_try(struct spelling *spelling, const char *name);
/* The nearest name; NULL if it is too far to be what was meant. */
const char *spelling_meant(const struct spelling *spelling);

/* How well the words typed, in any order, match a product name; 0 if it is not what was meant.
 * Words end at blanks, hyphens, underscores and slashes. One word with letters must match, and
 * one with digits, which identify the product; a size (8b, 8x7b) must be equal; a memory size
 * (80gb) may differ. */
size_t spelling_words(const char *typed, const char *name);

#endif
