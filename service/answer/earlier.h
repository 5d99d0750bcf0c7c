/* earlier.h - the JSON of the answers before, to copy what is the same again.
 *
 * Two answers to one kind of question have most of their text in common: names, units, formulas,
 * the inputs that were left open. Each thread keeps the last text of each table of fields, cell by
 * cell, and what the cells held. Cells that hold the same again at the same place are copied, all
 * that are neighbours at once; the others are written. A text counts as the same only where it
 * stands in the program itself: other memory may hold something else by now.
 */
#ifndef ANSWER_EARLIER_H
#define ANSWER_EARLIER_H

#include "base/buf.h"
#include "base/field.h"

#include <stdint.h>

struct earlier;     /* what one thread has written */
struct earlier_all; /* what each has */

struct earlier_all *earlier_new(unsigned n_threads);
void earlier_free(struct earlier_all *all); /* NULL is fine */
struct earlier *earlier_of(struct earlier_all *all, unsigned thread);

/* What a cell's text depends on, besides its field and its place. */
struct mark {
    uint64_t value;     /* the bits of the number, or the address of the text */
    uint64_t reference; /* of an input: its source, and the address of its reference; else 0 */
};

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
    size_t cell, missed;
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

/* What a row holds of the field. */
static inline struct mark mark_of(const struct field *field, const void *values)
{
    struct mark mark = {0};

    _Static_assert(sizeof(mark.value) == sizeof(double) && sizeof(mark.value) == sizeof(char *),
                   "a number and an address are as long as what is compared");
    memcpy(&mark.value, (const char *)values + field->offset, sizeof(mark.value));
    return mark;
}

enum { MARK_SOURCE_SHIFT = 56 }; /* no address has that many bits */

static inline void mark_refer(struct mark *mark, const char *reference, unsigned source)
{
    mark->reference = (uintptr_t)reference | (uint64_t)source << MARK_SOURCE_SHIFT;
}

static inline uint64_t mark_reference(struct mark mark)
{
    return mark.reference & (((uint64_t)1 << MARK_SOURCE_SHIFT) - 1);
}

/* Whether the next cell is the same again: then it needs no writing. */
static inline bool passage_repeats(struct passage *passage, struct mark mark)
{
    const struct earlier_part *part = passage->part;
    size_t i = passage->cell;

    if (i >= passage->n || part->marks[i].value != mark.value ||
        part->marks[i].reference != mark.reference)
        return false;
    passage->same = part->ends[i];
    passage->cell++;
    return true;
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
    const struct earlier_part *part = passage->part;

    if (passage->records) {
        passage_record(passage, field, mark);
    } else if (part) {
        size_t i = passage->cell++;
        passage->copied = passage->same = i < passage->n ? part->ends[i] : 0;
        passage->missed++;
    }
}

#endif
