#include "answer/json_fragments.h"

#include "base/mem.h"

#include <stdlib.h>

/* What a thread keeps: the tables of fields of a few kinds of answers, of each what is usual. */
enum { PARTS = 32, CELLS_FIRST = 64, CELLS_MOST = 2048 };

struct earlier {
    struct earlier_part parts[PARTS];
    size_t oldest; /* who makes way for the next that is new */
};

struct earlier_all {
    unsigned n;
    struct earlier threads[];
};

/* Where the program's own texts are, by the linker. */
extern const char __executable_start[]; // NOLINT(bugprone-reserved-identifier,cert-*)
extern const char __data_start[];       // NOLINT(bugprone-reserved-identifier,cert-*)

struct earlier_all *earlier_new(unsigned n_threads)
{
    struct earlier_all *all = mem_alloc(sizeof(*all) + n_threads * sizeof(all->threads[0]));

    all->n = n_threads;
    return all;
}

static void free_parts(struct earlier *earlier)
{
    for (size_t i = 0; i < PARTS; i++) {
        free(earlier->parts[i].marks);
        free(earlier->parts[i].ends);
        free(earlier->parts[i].text);
    }
}

void earlier_free(struct earlier_all *all)
{
    for (unsigned i = 0; all && i < all->n; i++)
        free_parts(&all->threads[i]);
    free(all);
}

struct earlier *earlier_of(struct earlier_all *all, unsigned thread)
{
    return &all->threads[thread];
}

static struct earlier_part *part_of(struct earlier *earlier, struct fields fields, const void *role)
{
    for (size_t i = 0; i < PARTS; i++) {
        struct earlier_part *part = &earlier->parts[i];
        if (part->fields.at == fields.at && part->fields.n == fields.n && part->role == role)
            return part;
    }
    struct earlier_part *part = &earlier->parts[earlier->oldest++ % PARTS];
    part->fields = fields;
    part->role = role;
    part->n = 0;
    return part;
}

void passage_begin(struct passage *passage, struct earlier *earlier, struct fields fields,
                   const void *role, struct buf *out)
{
    struct earlier_part *part = earlier ? part_of(earlier, fields, role) : NULL;

    *passage = (struct passage){.out = out,
                                .part = part,
                                .records = part && !part->n,
                                .n = part ? part->n : 0,
                                .start = out->length};
}

static void make_room(struct earlier_part *part)
{
    if (part->n < part->room)
        return;
    part->room = part->room ? 2 * part->room : CELLS_FIRST;
    part->marks = mem_resize(part->marks, part->room * sizeof(part->marks[0]));
    part->ends = mem_resize(part->ends, part->room * sizeof(part->ends[0]));
}

static bool may_change(uint64_t text)
{
    text &= ((uint64_t)1 << MARK_SOURCE_SHIFT) - 1;
    return text && (text < (uintptr_t)__executable_start || text >= (uintptr_t)__data_start);
}

/* Of a text that may change: where it stands in the answer, if it does as it is. */
static struct mark mark_of_text(const struct passage *passage, struct mark mark)
{
    const struct buf *out = passage->out;
    const char *text;

    memcpy(&text, &mark.value, sizeof(text)); /* of which it holds the address */
    size_t n = strlen(text), end = out->length - (out->data[out->length - 1] == '}');
    size_t from = end - n - 1; /* before the quote */

    if (end < passage->start + n + 1 || memcmp(out->data + from, text, n) != 0)
        return (struct mark){MARK_NEVER, MARK_NEVER};
    return (struct mark){MARK_TEXT, (uint64_t)(from - passage->start) << MARK_TEXT_SHIFT | n};
}

void passage_record(struct passage *passage, const struct field *field, struct mark mark)
{
    struct earlier_part *part = passage->part;

    if (part->n == CELLS_MOST || passage->out->full)
        return;
    make_room(part);
    if (may_change(mark.reference))
        mark = (struct mark){MARK_NEVER, MARK_NEVER};
    else if (field_is_text(field) && may_change(mark.value))
        mark = mark_of_text(passage, mark);
    part->marks[part->n] = mark;
    part->ends[part->n++] = (uint32_t)(passage->out->length - passage->start);
}

/* A part of which less than a quarter is the same again is of little use: the next answer makes it
 * anew. */
void passage_end(struct passage *passage)
{
    struct earlier_part *part = passage->part;

    if (!part)
        return;
    passage_turn(passage);
    bool is_cut = passage->out->full; /* a cell may be, then */
    size_t written = passage->missed + passage->beyond, all = passage->cell + passage->beyond;
    if (is_cut || (!passage->records && 4 * written > 3 * all)) {
        part->n = 0;
    } else if (passage->records && part->n) {
        size_t n = part->ends[part->n - 1];
        part->text = mem_resize(part->text, n);
        memcpy(part->text, passage->out->data + passage->start, n);
    }
}
