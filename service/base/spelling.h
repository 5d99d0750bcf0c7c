/* spelling.h - spelling suggestions: the nearest of several names by edit distance, by prefix or by
 * words; names are tried one by one. */
#ifndef BASE_SPELLING_H
#define BASE_SPELLING_H

#include <stdbool.h>
#include <stddef.h>

struct spelling {
    const char *typed;
    const char *nearest; /* the first of the nearest names, at any distance; "" if none was tried */
    size_t distance;     /* edit distance between the two */
};

struct spelling spelling_of(const char *typed);
/* Try a name; true if it is nearer than all before it. */
bool spelling_try(struct spelling *spelling, const char *name);
/* The nearest name, or NULL if it is too far to be what was meant. */
const char *spelling_meant(const struct spelling *spelling);

/* How well the words typed, in any order, match a product name; 0 means no match. Words end at
 * blanks, hyphens, underscores and slashes. If words with letters are typed, at least one must
 * match; the same for words with digits, which identify the product. A size (8b, 8x7b) must be
 * equal; a memory size (80gb) may differ. */
size_t spelling_words(const char *typed, const char *name);
/* Whether the name has every word typed, whole or its beginning. */
bool spelling_has_words(const char *typed, const char *name);
/* Whether it equals one of the space-separated names or, unless `exactly`, resembles one. */
bool spelling_is_called(const char *typed, const char *names, bool exactly);
/* The factor that converts a figure from the unit in the typed name to ours: 60 for
 * requests_per_second and requests/minute, 0.001 for latency_ms and s; 0 if the name has none. */
double spelling_unit_factor(const char *typed, const char *unit);

/* The number that text such as "$300,000", "0,7", "2M tokens", "3 years" or "8xH100" stands for in
 * a unit such as months; NAN if that is not clear. */
double spelling_number_meant(const char *typed, const char *unit);

#endif
