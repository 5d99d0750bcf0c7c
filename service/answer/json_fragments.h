/* json_fragments.h - the JSON of the answers before, to copy what is the same again.
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

struct earlier;     /* what one thread has written */
struct earlier_all; /* what each has */

struct earlier_all *earlier_new(unsigned n_threads);
void earlier_free(struct earlier_all *all); /* NULL is fine */
struct earlier *earlier_of(struct earlier_all *all, unsigned thread);

/* What a cell's text depends on, besides its field and its place. */
struct mark {
    uint64_t value;     /* the bits of the number, or the address of the text */
    uint64_t reference; /* of an input, see mark_reference(); else 0 */
};

/* As a mark's value: the text is that in the part's text, from where `reference` says, and as long;
 * or never the same. */
enum { MARK_TEXT_SHIFT = 32 };
#define MARK_TEXT (UINT64_MAX - 1)
#define MARK_NEVER UINT64_MAX

/* The cells of one table of fields in one role, all rows one after the other. */
struct earlier_part {
    struct fields fields; /* at NULL: not used yet */
    const void *role;
    struct mark *marks;
    uint32_t *ends; /* of the cells in the text */
    size_t n, room;
    char *text;
};

/* Cells on their way into an answer. */
struct passage {
    struct buf *out;
    struct earlier_part *part; /* NULL: there is none */
    bool records;              /* the part is made anew from what is written now */
    size_t n;                  /* cells to compare with; 0 where there is no part, or it records */
    size_t cell, missed, beyond; /* written: of those, and of more */
    size_t copied, same; /* in the part's text: what is the same up to `same` waits to be copied */
    size_t start;        /* in out */
};

/* `role`: what else of the fields' texts is the same throughout, as an address. `earlier` may be
 * NULL: then everything is written. */
void passage_begin(struct passage *passage, struct earlier *earlier, struct fields fields,
                   const void *role, struct buf *out);
void passage_end(struct passage *passage);
/* Note what has been written. */
void passage_record(struct passage *passage, const struct field *field, struct mark mark);

enum { MARK_SOURCE_SHIFT = 56 }; /* no address has that many bits */

/* Of where an input's value is from, and the address that is shown for it. */
static inline uint64_t mark_reference(const char *address, unsigned source)
{
    return (uintptr_t)address | (uint64_t)source << MARK_SOURCE_SHIFT;
}

static inline uint64_t mark_value(const struct field *field, const void *values)
{
    uint64_t value;

    _Static_assert(sizeof(value) == sizeof(double) && sizeof(value) == sizeof(char *),
                   "numbers and addresses are as long as what is compared");
    memcpy(&value, (const char *)values + field->offset, sizeof(value));
    return value;
}

/* Whether a text that may stand anywhere is the one that was written. */
static inline bool text_repeats(const struct earlier_part *part, const struct mark *mark,
                                const char *text)
{
    size_t n = (uint32_t)mark->reference;

    return text && strncmp(part->text + (mark->reference >> MARK_TEXT_SHIFT), text, n) == 0 &&
           !text[n];
}

/* Of a cell whose value is no other's by its bits. */
static inline bool cell_repeats(const struct earlier_part *part, const struct mark *mark,
                                const struct field *field, const void *values)
{
    return mark->value == MARK_TEXT && field_is_text(field) &&
           text_repeats(part, mark, field_text(field, values));
}

/* How many of the next n cells, up to the first that is another, are the same again, so that they
 * need no writing. `references`: NULL where all are 0. */
static inline size_t passage_repeats(struct passage *passage, const struct field *fields,
                                     const void *values, const uint64_t *references, size_t n)
{
    const struct earlier_part *part = passage->part;
    size_t left = passage->n - passage->cell, most = n < left ? n : left, i = 0;

    if (!most)
        return 0;
    const struct mark *marks = part->marks + passage->cell;
    while (i < most && (marks[i].value == mark_value(&fields[i], values)
                            ? !references || marks[i].reference == references[i]
                            : !references && cell_repeats(part, &marks[i], &fields[i], values)))
        i++;
    if (i) {
        passage->cell += i;
        passage->same = part->ends[passage->cell - 1];
    }
    return i;
}

/* The next cell is another: what repeats before it is copied, and it is to be written. */
static inline void passage_turn(struct passage *passage)
{
    if (passage->same > passage->copied)
        buf_add(passage->out, passage->part->text + passage->copied,
                passage->same - passage->copied);
}

/* It has been written. */
static inline void passage_wrote(struct passage *passage, const struct field *field,
                                 struct mark mark)
{
    if (passage->records) {
        passage_record(passage, field, mark);
    } else if (passage->cell < passage->n) {
        passage->copied = passage->same = passage->part->ends[passage->cell++];
        passage->missed++;
    } else {
        passage->copied = passage->same = 0;
        passage->beyond++;
    }
}

#endif
