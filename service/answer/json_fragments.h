/* json_fragments.h - per-thread JSON fragment cache.
 *
 * Two answers to the same type of question share most of their text: names, units, formulas,
 * default inputs. Each thread keeps the last JSON text of each field table, cell by cell, with the
 * cell values. Unchanged cells are copied from the cached text, whole runs at a time; the others
 * are rendered. Two string constants of the program are equal if their addresses are; other strings
 * must be compared by content, since their memory may have been reused.
 */
#ifndef ANSWER_JSON_FRAGMENTS_H
#define ANSWER_JSON_FRAGMENTS_H

#include "base/buf.h"
#include "base/field/field.h"

#include <stdint.h>

struct json_fragments;     /* the cache of one thread */
struct json_fragments_all; /* the caches of all threads */

struct json_fragments_all *json_fragments_new(unsigned n_threads);
void json_fragments_free(struct json_fragments_all *all); /* NULL is allowed */
struct json_fragments *json_fragments_of(struct json_fragments_all *all, unsigned thread);

/* What a cell's text depends on, in addition to its field and position. */
struct fragment_key {
    uint64_t value;     /* the bits of the number, or the address of the string */
    uint64_t reference; /* for an input, see fragment_key_reference(); otherwise 0 */
};

/* Special values of fragment_key.value. TEXT: compare with the cached text, whose offset and length
 * are packed in `reference`. NEVER: matches nothing. */
enum { FRAGMENT_KEY_TEXT_SHIFT = 32 };
#define FRAGMENT_KEY_TEXT (UINT64_MAX - 1)
#define FRAGMENT_KEY_NEVER UINT64_MAX

/* The cached cells of one field table in one role, all rows in sequence. */
struct json_fragments_part {
    struct fields fields; /* at is NULL while unused */
    const void *role;
    struct fragment_key *marks;
    uint32_t *ends; /* end offset of each cell in the text */
    size_t n, room;
    char *text;
};

/* State while an answer's cells are written. */
struct fragment {
    struct buf *out;
    struct json_fragments_part *part; /* NULL if nothing is cached */
    bool records;                     /* rebuild the cached part from what is written now */
    size_t n; /* number of cached cells to compare with; 0 without a part or while recording */
    size_t cell, missed, beyond; /* cells written, of those n and after them */
    size_t copied, same; /* offsets in the part's text: cells up to `same` match, and up to `copied`
                          * are copied */
    size_t start;        /* offset in out */
};

/* `role` is an address that identifies anything else that the text of all cells depends on.
 * `fragments` may be NULL: then nothing is cached. */
void json_fragments_begin(struct fragment *fragment, struct json_fragments *fragments,
                          struct fields fields, const void *role, struct buf *out);
void json_fragments_end(struct fragment *fragment);
/* Record the cell just written. */
void json_fragments_record(struct fragment *fragment, const struct field *field,
                           struct fragment_key mark);

enum { FRAGMENT_KEY_SOURCE_SHIFT = 56 }; /* above the bits that an address uses */

/* Packs an input's source with the address of the reference shown for it. */
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

/* True if a string without a fixed address equals the cached text. */
static inline bool json_fragments_text_repeats(const struct json_fragments_part *part,
                                               const struct fragment_key *mark, const char *text)
{
    size_t n = (uint32_t)mark->reference;

    return text &&
           strncmp(part->text + (mark->reference >> FRAGMENT_KEY_TEXT_SHIFT), text, n) == 0 &&
           !text[n];
}

/* True if the cached cell has a text key and the string equals the cached text. */
static inline bool json_fragments_cell_repeats(const struct json_fragments_part *part,
                                               const struct fragment_key *mark,
                                               const struct field *field, const void *values)
{
    return mark->value == FRAGMENT_KEY_TEXT && field_is_text(field) &&
           json_fragments_text_repeats(part, mark, field_text(field, values));
}

/* Counts how many of the next n cells are unchanged, up to the first that differs, and skips them.
 * `references` is NULL if all are 0. */
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

/* Copy the pending unchanged cells, before a cell that differs is written. */
static inline void json_fragments_flush(struct fragment *fragment)
{
    if (fragment->same > fragment->copied)
        buf_add(fragment->out, fragment->part->text + fragment->copied,
                fragment->same - fragment->copied);
}

/* Call after writing a cell. */
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
