/* text.h - reading numbers, dates and lists strictly, and finding the name someone meant. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The whole text as -?digits[.digits][e-?digits], or .digits alone; false for anything else, and
 * for what a double cannot hold. The decimal sign is a dot whatever the locale. */
bool text_number(const char *text, double *out);

/* yyyy-mm-dd as yyyymmdd; false where there is no such day. */
bool text_day(const char *text, int32_t *out);
/* The day as yyyy-mm-dd; `to` takes 11 bytes. */
void text_print_day(int32_t day, char to[11]);
/* Days from a to b. */
int text_days_between(int32_t a, int32_t b);
/* That many days later, or earlier where negative. */
int32_t text_day_plus(int32_t day, int days);

/* Whether `word` is one of the space-separated words of `list`, ignoring case; the canonical
 * word's length and place come back through `at` (borrowed from list). */
bool text_in_words(const char *list, const char *word, const char **at, size_t *length);

/* The text itself, NULL where it is empty or NULL: the catalogue's empty texts are unknown ones. */
const char *text_given(const char *text);

/* Whether `word` stands in the comma-separated `list`. */
bool text_in_list(const char *list, const char *word);
/* The figure of a word in a list as rtx-4090:4,a100-sxm4-80gb:8, which may be NULL; NAN where it is
 * not in it. */
double text_figure_in_list(const char *list, const char *word);

/* Edits (insert, delete, replace, swap neighbours) that turn a into b, ignoring case; long texts
 * are compared by their first 63 bytes. */
size_t text_distance(const char *a, const char *b);
/* Whether b is near enough to a to be what was meant. */
bool text_near(const char *a, const char *b, size_t distance);

/* Bytes of the UTF-8 character at `text`, which is not at its end; 0 where there is none. */
size_t text_utf8_length(const char *text);
/* Whether all of it is UTF-8. */
bool text_is_utf8(const char *text);

/* Hash of the length and a few letters, which tell most names apart. */
size_t text_few_hash(const char *bytes, size_t n);

/* FNV-1a over the bytes, going on from `hash`, which is TEXT_HASH at first. */
#define TEXT_HASH 14695981039346656037U
uint64_t text_hash(uint64_t hash, const char *bytes, size_t n);

enum { TEXT_HEX_SIZE = 17 };

/* Sixteen digits and a NUL. */
void text_print_hex(uint64_t number, char to[TEXT_HEX_SIZE]);

/* Percent-decode in place, + is a space where `plus`; false for a broken escape or a NUL. */
bool text_decode_percent(char *text, bool plus);

#endif
