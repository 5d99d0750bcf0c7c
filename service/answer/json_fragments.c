#include "answer/json_fragments.h"

#include "base/mem.h"

#include <stdlib.h>

/* One thread's cache: field tables of the usual size, for a few types of answers. */
enum { PARTS = 32, CELLS_FIRST = 64, CELLS_MOST = 2048 };

struct json_fragments {
    struct json_fragments_part parts[PARTS];
    size_t oldest; /* index of the next part to replace */
};

struct json_fragments_all {
    unsigned n;
    struct json_fragments threads[];
};

/* Address range of the program's constant strings, defined by the linker. */
extern const char __executable_start[]; // NOLINT(clang-diagnostic-reserved-identifier)
extern const char __data_start[];       // NOLINT(clang-diagnostic-reserved-identifier)

struct json_fragments_all *json_fragments_new(unsigned n_threads)
{
    struct json_fragments_all *all = mem_alloc(sizeof(*all) + n_threads * sizeof(all->threads[0]));

    all->n = n_threads;
    return all;
}

void json_fragments_free(struct json_fragments_all *all)
{
    for (unsigned i = 0; all && i < all->n; i++)
        for (size_t k = 0; k < PARTS; k++) {
            free(all->threads[i].parts[k].marks);
            free(all->threads[i].parts[k].ends);
            free(all->threads[i].parts[k].text);
        }
    free(all);
}

struct json_fragments *json_fragments_of(struct json_fragments_all *all, unsigned thread)
{
    return &all->threads[thread];
}

static struct json_fragments_part *part_of(struct json_fragments *fragments, struct fields fields,
                                           const void *role)
{
    for (size_t i = 0; i < PARTS; i++) {
        struct json_fragments_part *part = &fragments->parts[i];
        if (part->fields.at == fields.at && part->fields.n == fields.n && part->role == role)
            return part;
    }
    struct json_fragments_part *part = &fragments->parts[fragments->oldest++ % PARTS];
    part->fields = fields;
    part->role = role;
    part->n = 0;
    return part;
}

void json_fragments_begin(struct fragment *fragment, struct json_fragments *fragments,
                          struct fields fields, const void *role, struct buf *out)
{
    struct json_fragments_part *part = fragments ? part_of(fragments, fields, role) : NULL;

    *fragment = (struct fragment){.out = out,
                                  .part = part,
                                  .records = part && !part->n,
                                  .n = part ? part->n : 0,
                                  .start = out->length};
}

static void make_room(struct json_fragments_part *part)
{
    if (part->n < part->room)
        return;
    part->room = part->room ? 2 * part->room : CELLS_FIRST;
    part->marks = mem_resize(part->marks, part->room * sizeof(part->marks[0]));
    part->ends = mem_resize(part->ends, part->room * sizeof(part->ends[0]));
}

static bool may_change(uint64_t text)
{
    text &= ((uint64_t)1 << FRAGMENT_KEY_SOURCE_SHIFT) - 1;
    return text && (text < (uintptr_t)__executable_start || text >= (uintptr_t)__data_start);
}

/* The key of a text that may change: its position in the answer, if it was written verbatim. */
static struct fragment_key mark_of_text(const struct fragment *fragment, struct fragment_key mark)
{
    const struct buf *out = fragment->out;
    const char *text;

    memcpy(&text, &mark.value, sizeof(text)); /* the key holds its address */
    size_t n = strlen(text), end = out->length - (out->data[out->length - 1] == '}');
    size_t from = end - n - 1; /* excluding the quotes */

    if (end < fragment->start + n + 1 || memcmp(out->data + from, text, n) != 0)
        return (struct fragment_key){FRAGMENT_KEY_NEVER, FRAGMENT_KEY_NEVER};
    return (struct fragment_key){FRAGMENT_KEY_TEXT,
                                 (uint64_t)(from - fragment->start) << FRAGMENT_KEY_TEXT_SHIFT | n};
}

void json_fragments_record(struct fragment *fragment, const struct field *field,
                           struct fragment_key mark)
{
    struct json_fragments_part *part = fragment->part;

    if (part->n == CELLS_MOST || fragment->out->full)
        return;
    make_room(part);
    if (may_change(mark.reference))
        mark = (struct fragment_key){FRAGMENT_KEY_NEVER, FRAGMENT_KEY_NEVER};
    else if (field_is_text(field) && may_change(mark.value))
        mark = mark_of_text(fragment, mark);
    part->marks[part->n] = mark;
    part->ends[part->n++] = (uint32_t)(fragment->out->length - fragment->start);
}

/* A part of which less than a quarter repeats is of little use: the next answer replaces it. */
void json_fragments_end(struct fragment *fragment)
{
    struct json_fragments_part *part = fragment->part;

    if (!part)
        return;
    json_fragments_flush(fragment);
    bool is_cut = fragment->out->full; /* then a cell may be truncated */
    size_t written = fragment->missed + fragment->beyond, all = fragment->cell + fragment->beyond;
    if (is_cut || (!fragment->records && 4 * written > 3 * all)) {
        part->n = 0;
    } else if (fragment->records && part->n) {
        size_t n = part->ends[part->n - 1];
        part->text = mem_resize(part->text, n);
        memcpy(part->text, fragment->out->data + fragment->start, n);
    }
}
