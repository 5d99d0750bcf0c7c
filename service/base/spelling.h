/* spelling.h - the nearest of several names to what was typed, by their edit distance, by how
 * they begin, or by their words; the names are offered one by one.
 */
#ifndef BASE_SPELLING_H
#define BASE_SPELLING_H

#include <stdbool.h>
#include <stddef.h>

struct spelling {
    const char *typed;
    const char
        *nearest;    /* the first of the nearest names, however far; "" where none was offered */
    size_t distance; /* edits between the two */
};

struct spelling spelling_of(const char *typed);
/* True where the name is nearer than all before it. */
bool spelling_try(struct spelling *spelling, const char *name);
/* The nearest name; NULL where it is not near enough to be what was meant. */
const char *spelling_meant(const struct spelling *spelling);

/* How well the words typed, in any order, fit the name of a product; 0 where it is not what was
 * meant. Words end at blanks, hyphens, underscores and slashes. One of the words with letters has
 * to fit, and one of those with digits, which tell the product; a size (8b, 8x7b) has to be the
 * same; a memory (80gb) may be wrong. */
size_t spelling_words(const char *typed, const char *name);

#endif
