/* text.h - strict parsing of numbers, dates and lists, edit distance, UTF-8 and hashes. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Parse the whole text as -?digits[.digits][e-?digits], or .digits; false for anything else, and if
 * a double cannot hold it. The decimal sign is a dot in every locale. */
bool text_number(const char *text, double *out);

/* Parse yyyy-mm-dd to yyyymmdd; false if there is no such day. */
bool text_day(const char *text, int32_t *out);
/* Format the day as yyyy-mm-dd; `to` holds 11 bytes. */
void text_print_day(int32_t day, char to[11]);
/* Days from a to b; negative if b is earlier. */
int text_days_between(int32_t a, int32_t b);
/* Add days, which may be negative. */
int32_t text_day_plus(int32_t day, int days);

/* Where `word` stands among the space-separated words of `list`, ignoring case; NULL if it does
 * not. */
const char *text_in_words(const char *list, const char *word);

/* The ending of a noun that is counted: "" for 1, else "s". */
const char *text_plural(double n);

/* The text, or NULL if it is empty or NULL: the catalogue stores unknown texts as "". */
const char *text_given(const char *text);

/* True if `word` is in the comma-separated `list`. */
bool text_in_list(const char *list, const char *word);
/* The number that `list`, such as rtx-4090:4,a100-sxm4-80gb:8, gives for a word; NAN if the word is
 * not in the list or the list is NULL. */
double text_figure_in_list(const char *list, const char *word);

/* Edit distance (insert, delete, replace, transpose neighbours), ignoring case; only the first 63
 * bytes are compared. */
size_t text_distance(const char *a, const char *b);
/* True if a is probably a typo of b: 2 edits apart, or one edit per 3 letters; 1 edit in a word of
 * fewer than 5 letters. */
bool text_is_typo(const char *a, const char *b, size_t distance);

/* Length in bytes of the UTF-8 character at `text`, which must not be at its end; 0 if invalid. */
size_t text_utf8_length(const char *text);
/* True if the whole text is valid UTF-8. */
bool text_is_utf8(const char *text);

/* A cheap hash of the length and a few letters, enough to tell most names apart. */
size_t text_few_hash(const char *bytes, size_t n);

/* FNV-1a over the bytes, continuing from `hash`; start with TEXT_HASH. */
#define TEXT_HASH 14695981039346656037U
uint64_t text_hash(uint64_t hash, const char *bytes, size_t n);

enum { TEXT_HEX_SIZE = 17 };

/* Format as sixteen hexadecimal digits and a NUL. */
void text_print_hex(uint64_t number, char to[TEXT_HEX_SIZE]);

/* Percent-decode in place; with `plus`, + becomes a space. False for an invalid escape or a NUL. */
bool text_decode_percent(char *text, bool plus);

#endif
