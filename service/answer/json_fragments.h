/* json_fragments.h - per-thread JSON fragment cache.
 *
 * Two answers to one kind of question have most of their text in common: names, units, formulas,
 * the inputs that were left open. Each thread keeps the last text of each table of fields, cell by
 * cell, and what the cells held. Cells that hold the same again at the same place are copied, all
 * that are neighbours at once; the others are written. A text is the same by its address where it
 * stands in the program itself; elsewhere memory may hold something else by now, and it is read.
 */
#ifndef ANSWER_JSON_FRAGMENTS_H
#define ANSWER_JSON_FRAGMENTS_H

#include "base/buf.h"
#include "base/field/field.h"

#include <stdint.h>

struct json_fragments;     /* what one thread has written */
struct json_fragments_all; /* what each has */

struct json_fragments_all *json_fragments_new(unsigned n_threads);
void json_fragments_free(struct json_fragments_all *all); /* NULL is fine */
struct json_fragments *json_fragments_of(struct json_fragments_all *all, unsigned thread);

/* What a cell's text depends on, besides its field and its place. */
struct fragment_key {
    uint64_t value;     /* the bits of the number, or the address of the text */
    uint64_t reference; /* of an input, see fragment_key_reference(); else 0 */
};

/* As a mark's value: the text is that in the part's text, from where `reference` says, and as long;
 * or never the same. */
enum { FRAGMENT_KEY_TEXT_SHIFT = 32 };
#define FRAGMENT_KEY_TEXT (UINT64_MAX - 1)
#define FRAGMENT_KEY_NEVER UINT64_MAX

/* The cells of one table of fields in one role, all rows one after the other. */
struct json_fragments_part {
    struct fields fields; /* at NULL: not used yet */
    const void *role;
    struct fragment_key *marks;
    uint32_t *ends; /* of the cells in the text */
    size_t n, room;
    char *text;
};

/* Cells on their way into an answer. */
struct fragment {
    struct buf *out;
    struct json_fragments_part *part; /* NULL: there is none */
    bool records;                     /* the table is rebuilt from what is written now */
    size_t n; /* cells to compare with; 0 where there is no part, or it records */
    size_t cell, missed, beyond; /* written: of those, and of more */
    size_t copied, same; /* in the part's text: what is the same up to `same` waits to be copied */
    size_t start;        /* in out */
};

/* `role`: what else of the fields' texts is the same throughout, as an address. `earlier` may be
 * NULL: then everything is written. */
void json_fragments_begin(struct fragment *fragment, struct json_fragments *fragments,
                          struct fields fields, const void *role, struct buf *out);
void json_fragments_end(struct fragment *fragment);
/* Note what has been written. */
void json_fragments_record(struct fragment *fragment, const struct field *field,
                           struct fragment_key mark);

enum { FRAGMENT_KEY_SOURCE_SHIFT = 56 }; /* no address has that many bits */

/* Where an input's value is from, with the address that is shown for it. */
static inline uint64_t fragment_key_reference(const char *address, unsigned source)
{
    return (uintptr_t)address | (uint64_t)source << FRAGMENT_KEY_SOURCE_SHIFT;
}

static inline uint64_t fragment_key_value(const struct field *field, const void *values)
{
    uint64_t value;

    _Static_assert(sizeof(value) == sizeof(double) && sizeof(value) == sizeof(char *),
                   "numbers and addresses are as long as what is compared");
    memcpy(&value, (const char *)values + field->offset, sizeof(value));
    return value;
}

/* Whether a text with no fixed address equals the one that was written. */
static inline bool json_fragments_text_repeats(const struct json_fragments_part *part,
                                               const struct fragment_key *mark, const char *text)
{
    size_t n = (uint32_t)mark->reference;

    return text &&
           strncmp(part->text + (mark->reference >> FRAGMENT_KEY_TEXT_SHIFT), text, n) == 0 &&
           !text[n];
}

/* A mark that never matches. */
static inline bool json_fragments_cell_repeats(const struct json_fragments_part *part,
                                               const struct fragment_key *mark,
                                               const struct field *field, const void *values)
{
    return mark->value == FRAGMENT_KEY_TEXT && field_is_text(field) &&
           json_fragments_text_repeats(part, mark, field_text(field, values));
}

/* How many of the next n cells, up to the first that differs, are unchanged, so that they
 * need no writing. `references`: NULL where all are 0. */
static inline size_t json_fragments_repeated(struct fragment *fragment, const struct field *fields,
                                             const void *values, const uint64_t *references,
                                             size_t n)
{
    const struct json_fragments_part *part = fragment->part;
    size_t left = fragment->n - fragment->cell, most = n < left ? n : left, i = 0;

    if (!most)
        return 0;
    const struct fragment_key *marks = part->marks + fragment->cell;
    while (i < most &&
           (marks[i].value == fragment_key_value(&fields[i], values)
                ? !references || marks[i].reference == references[i]
                : !references && json_fragments_cell_repeats(part, &marks[i], &fields[i], values)))
        i++;
    if (i) {
        fragment->cell += i;
        fragment->same = part->ends[fragment->cell - 1];
    }
    return i;
}

/* The next cell differs: copy the unchanged cells before it, then write it. */
static inline void json_fragments_flush(struct fragment *fragment)
{
    if (fragment->same > fragment->copied)
        buf_add(fragment->out, fragment->part->text + fragment->copied,
                fragment->same - fragment->copied);
}

/* It has been written. */
static inline void json_fragments_wrote(struct fragment *fragment, const struct field *field,
                                        struct fragment_key mark)
{
    if (fragment->records) {
        json_fragments_record(fragment, field, mark);
    } else if (fragment->cell < fragment->n) {
        fragment->copied = fragment->same = fragment->part->ends[fragment->cell++];
        fragment->missed++;
    } else {
        fragment->copied = fragment->same = 0;
        fragment->beyond++;
    }
}

#endif
